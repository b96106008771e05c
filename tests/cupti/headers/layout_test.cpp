// Our declarations of CUPTI's structures against NVIDIA's headers: compiled only where those are.
#include <cuda.h>
#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <gtest/gtest.h>

#include "profile/cupti_api.hpp"

namespace warpwright::cupti {
namespace {

#define SAME(ours, member, theirs, field)                             \
    static_assert(offsetof(ours, member) == offsetof(theirs, field)); \
    static_assert(sizeof(ours::member) == sizeof(theirs::field));

using K = CUpti_ActivityKernel9;
SAME(KernelRecord, kind, K, kind)
SAME(KernelRecord, registers, K, registersPerThread)
SAME(KernelRecord, start, K, start)
SAME(KernelRecord, end, K, end)
SAME(KernelRecord, device, K, deviceId)
SAME(KernelRecord, context, K, contextId)
SAME(KernelRecord, stream, K, streamId)
static_assert(offsetof(KernelRecord, grid) == offsetof(K, gridX) && offsetof(K, gridZ) == offsetof(K, gridX) + 8);
static_assert(offsetof(KernelRecord, block) == offsetof(K, blockX) && offsetof(K, blockZ) == offsetof(K, blockX) + 8);
SAME(KernelRecord, static_shared, K, staticSharedMemory)
SAME(KernelRecord, dynamic_shared, K, dynamicSharedMemory)
SAME(KernelRecord, correlation, K, correlationId)
SAME(KernelRecord, name, K, name)
// Versions before and after have the same beginning.
static_assert(offsetof(CUpti_ActivityKernel4, name) == offsetof(K, name) &&
              offsetof(CUpti_ActivityKernel4, correlationId) == offsetof(K, correlationId));

using M = CUpti_ActivityMemcpy5;
SAME(MemcpyRecord, copy_kind, M, copyKind)
SAME(MemcpyRecord, bytes, M, bytes)
SAME(MemcpyRecord, start, M, start)
SAME(MemcpyRecord, end, M, end)
SAME(MemcpyRecord, stream, M, streamId)
SAME(MemcpyRecord, correlation, M, correlationId)
using P = CUpti_ActivityMemcpyPtoP4;
SAME(PeerRecord, bytes, P, bytes)
SAME(PeerRecord, start, P, start)
SAME(PeerRecord, end, P, end)
SAME(PeerRecord, stream, P, streamId)
using S = CUpti_ActivityMemset4;
SAME(MemsetRecord, bytes, S, bytes)
SAME(MemsetRecord, start, S, start)
SAME(MemsetRecord, end, S, end)
SAME(MemsetRecord, stream, S, streamId)
SAME(MemsetRecord, correlation, S, correlationId)
using A = CUpti_ActivityAPI;
SAME(ApiRecord, function, A, cbid)
SAME(ApiRecord, start, A, start)
SAME(ApiRecord, end, A, end)
SAME(ApiRecord, thread, A, threadId)
SAME(ApiRecord, correlation, A, correlationId)
SAME(ApiRecord, result, A, returnValue)

SAME(CallbackData, site, CUpti_CallbackData, callbackSite)
SAME(CallbackData, parameters, CUpti_CallbackData, functionParams)
SAME(CallbackData, symbol, CUpti_CallbackData, symbolName)
SAME(CallbackData, context, CUpti_CallbackData, context)
SAME(CallbackData, correlation, CUpti_CallbackData, correlationId)
SAME(ResourceData, context, CUpti_ResourceData, context)
SAME(LaunchParameters, function, cuLaunchKernel_params, f)
SAME(LaunchParameters, shared, cuLaunchKernel_params, sharedMemBytes)
SAME(LaunchParameters, stream, cuLaunchKernel_params, hStream)
SAME(LaunchParameters, stream, cuLaunchCooperativeKernel_params, hStream)
SAME(LaunchExParameters, shape, cuLaunchKernelEx_params, config)
SAME(LaunchExParameters, function, cuLaunchKernelEx_params, f)
SAME(LaunchShapeHead, shared, CUlaunchConfig, sharedMemBytes)
SAME(LaunchShapeHead, stream, CUlaunchConfig, hStream)
static_assert(offsetof(LaunchShapeHead, block) == offsetof(CUlaunchConfig, blockDimX));

#define BLOCK(ours, theirs) static_assert(announced<ours> == theirs##_STRUCT_SIZE && sizeof(ours) == sizeof(theirs));
BLOCK(Initialize, CUpti_Profiler_Initialize_Params)
BLOCK(ChipName, CUpti_Device_GetChipName_Params)
BLOCK(Availability, CUpti_Profiler_GetCounterAvailability_Params)
BLOCK(HostInitialize, CUpti_Profiler_Host_Initialize_Params)
BLOCK(HostRelease, CUpti_Profiler_Host_Deinitialize_Params)
BLOCK(HostProperties, CUpti_Profiler_Host_GetMetricProperties_Params)
BLOCK(HostAdd, CUpti_Profiler_Host_ConfigAddMetrics_Params)
BLOCK(HostImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params)
BLOCK(HostImage, CUpti_Profiler_Host_GetConfigImage_Params)
BLOCK(HostPasses, CUpti_Profiler_Host_GetNumOfPasses_Params)
BLOCK(HostEvaluate, CUpti_Profiler_Host_EvaluateToGpuValues_Params)
BLOCK(RangeEnable, CUpti_RangeProfiler_Enable_Params)
BLOCK(RangeCall, CUpti_RangeProfiler_Start_Params)
BLOCK(RangeStop, CUpti_RangeProfiler_Stop_Params)
BLOCK(RangeDecode, CUpti_RangeProfiler_DecodeData_Params)
BLOCK(RangeDataSize, CUpti_RangeProfiler_GetCounterDataSize_Params)
BLOCK(RangeDataInitialize, CUpti_RangeProfiler_CounterDataImage_Initialize_Params)
BLOCK(RangeDataInfo, CUpti_RangeProfiler_GetCounterDataInfo_Params)
BLOCK(RangeConfigure, CUpti_RangeProfiler_SetConfig_Params)
SAME(HostInitialize, chip, CUpti_Profiler_Host_Initialize_Params, pChipName)
SAME(HostInitialize, availability, CUpti_Profiler_Host_Initialize_Params, pCounterAvailabilityImage)
SAME(HostInitialize, host, CUpti_Profiler_Host_Initialize_Params, pHostObject)
SAME(HostEvaluate, data, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pCounterDataImage)
SAME(HostEvaluate, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex)
SAME(HostEvaluate, metrics, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames)
SAME(HostEvaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues)
SAME(RangeDataSize, ranges, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumOfRanges)
SAME(RangeDataSize, nodes, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes)
SAME(RangeDataSize, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize)
SAME(RangeConfigure, config_bytes, CUpti_RangeProfiler_SetConfig_Params, configSize)
SAME(RangeConfigure, config, CUpti_RangeProfiler_SetConfig_Params, pConfig)
SAME(RangeConfigure, data_bytes, CUpti_RangeProfiler_SetConfig_Params, counterDataImageSize)
SAME(RangeConfigure, data, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage)
SAME(RangeConfigure, range, CUpti_RangeProfiler_SetConfig_Params, range)
SAME(RangeConfigure, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode)
SAME(RangeConfigure, ranges_per_pass, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass)
SAME(RangeConfigure, levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels)
SAME(RangeConfigure, first_level, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel)
SAME(RangeConfigure, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex)

TEST(Layout, NumbersAreThoseOfTheHeaders) {
    EXPECT_EQ(kind::memcpy_, CUPTI_ACTIVITY_KIND_MEMCPY);
    EXPECT_EQ(kind::memset_, CUPTI_ACTIVITY_KIND_MEMSET);
    EXPECT_EQ(kind::driver, CUPTI_ACTIVITY_KIND_DRIVER);
    EXPECT_EQ(kind::runtime, CUPTI_ACTIVITY_KIND_RUNTIME);
    EXPECT_EQ(kind::concurrent_kernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    EXPECT_EQ(kind::memcpy_peer, CUPTI_ACTIVITY_KIND_MEMCPY2);
    EXPECT_EQ(domain::driver_api, CUPTI_CB_DOMAIN_DRIVER_API);
    EXPECT_EQ(domain::runtime_api, CUPTI_CB_DOMAIN_RUNTIME_API);
    EXPECT_EQ(domain::resource, CUPTI_CB_DOMAIN_RESOURCE);
    EXPECT_EQ(context_ends, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
    EXPECT_EQ(site_enter, CUPTI_API_ENTER);
    EXPECT_EQ(site_exit, CUPTI_API_EXIT);
    EXPECT_EQ(flush_forced, static_cast<unsigned>(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    EXPECT_EQ(range_auto, CUPTI_AutoRange);
    EXPECT_EQ(replay_kernel, CUPTI_KernelReplay);
    EXPECT_EQ(profiler_range, CUPTI_PROFILER_TYPE_RANGE_PROFILER);
    EXPECT_EQ(code::insufficient_privileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
    EXPECT_EQ(code::virtual_insufficient_privileges, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
    EXPECT_EQ(code::multiple_subscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    EXPECT_EQ(code::invalid_metric_name, CUPTI_ERROR_INVALID_METRIC_NAME);
    EXPECT_EQ(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 1);
    EXPECT_EQ(CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, 8);
    EXPECT_EQ(CUPTI_ACTIVITY_MEMCPY_KIND_PTOP, 10);
}

}  // namespace
}  // namespace warpwright::cupti
