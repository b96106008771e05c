// The records and callbacks of our own libcupti against NVIDIA's headers: compiled only where those are.
#include <cuda.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include "libraries/cupti/records.hpp"

namespace warpwright::libraries::cupti {
namespace {

#define SAME(ours, member, theirs, field)                             \
    static_assert(offsetof(ours, member) == offsetof(theirs, field)); \
    static_assert(sizeof(ours::member) == sizeof(theirs::field));
#define FIRST_OF_THREE(ours, member, theirs, field) \
    static_assert(offsetof(ours, member) == offsetof(theirs, field) && sizeof(ours::member) == 12);

using K = CUpti_ActivityKernel9;
SAME(KernelRecord, registers, K, registersPerThread)
SAME(KernelRecord, start, K, start)
SAME(KernelRecord, end, K, end)
SAME(KernelRecord, completed, K, completed)
SAME(KernelRecord, device, K, deviceId)
SAME(KernelRecord, context, K, contextId)
SAME(KernelRecord, stream, K, streamId)
FIRST_OF_THREE(KernelRecord, grid, K, gridX)
FIRST_OF_THREE(KernelRecord, block, K, blockX)
SAME(KernelRecord, static_shared, K, staticSharedMemory)
SAME(KernelRecord, dynamic_shared, K, dynamicSharedMemory)
SAME(KernelRecord, correlation, K, correlationId)
SAME(KernelRecord, grid_id, K, gridId)
SAME(KernelRecord, name, K, name)
SAME(KernelRecord, queued, K, queued)
SAME(KernelRecord, submitted, K, submitted)
SAME(KernelRecord, launch_type, K, launchType)
SAME(KernelRecord, shared_executed, K, sharedMemoryExecuted)
SAME(KernelRecord, graph_node, K, graphNodeId)
SAME(KernelRecord, graph, K, graphId)
SAME(KernelRecord, channel, K, channelID)
FIRST_OF_THREE(KernelRecord, cluster, K, clusterX)
SAME(KernelRecord, local_total_wide, K, localMemoryTotal_v2)
static_assert(sizeof(KernelRecord) >= sizeof(K));

using C = CUpti_ActivityMemcpy5;
SAME(MemcpyRecord, copy_kind, C, copyKind)
SAME(MemcpyRecord, source_kind, C, srcKind)
SAME(MemcpyRecord, destination_kind, C, dstKind)
SAME(MemcpyRecord, bytes, C, bytes)
SAME(MemcpyRecord, start, C, start)
SAME(MemcpyRecord, end, C, end)
SAME(MemcpyRecord, device, C, deviceId)
SAME(MemcpyRecord, stream, C, streamId)
SAME(MemcpyRecord, correlation, C, correlationId)
SAME(MemcpyRecord, runtime_correlation, C, runtimeCorrelationId)
SAME(MemcpyRecord, graph_node, C, graphNodeId)
SAME(MemcpyRecord, graph, C, graphId)
SAME(MemcpyRecord, channel, C, channelID)
static_assert(sizeof(MemcpyRecord) >= sizeof(C));

using P = CUpti_ActivityMemcpyPtoP4;
SAME(PeerRecord, bytes, P, bytes)
SAME(PeerRecord, start, P, start)
SAME(PeerRecord, device, P, deviceId)
SAME(PeerRecord, source, P, srcDeviceId)
SAME(PeerRecord, source_context, P, srcContextId)
SAME(PeerRecord, destination, P, dstDeviceId)
SAME(PeerRecord, destination_context, P, dstContextId)
SAME(PeerRecord, correlation, P, correlationId)
SAME(PeerRecord, graph_node, P, graphNodeId)
SAME(PeerRecord, graph, P, graphId)
static_assert(sizeof(PeerRecord) == sizeof(P));

using S = CUpti_ActivityMemset4;
SAME(MemsetRecord, value, S, value)
SAME(MemsetRecord, bytes, S, bytes)
SAME(MemsetRecord, start, S, start)
SAME(MemsetRecord, device, S, deviceId)
SAME(MemsetRecord, stream, S, streamId)
SAME(MemsetRecord, correlation, S, correlationId)
SAME(MemsetRecord, memory_kind, S, memoryKind)
SAME(MemsetRecord, graph_node, S, graphNodeId)
SAME(MemsetRecord, graph, S, graphId)
static_assert(sizeof(MemsetRecord) >= sizeof(S));

using A = CUpti_ActivityAPI;
SAME(ApiRecord, function, A, cbid)
SAME(ApiRecord, start, A, start)
SAME(ApiRecord, end, A, end)
SAME(ApiRecord, process, A, processId)
SAME(ApiRecord, thread, A, threadId)
SAME(ApiRecord, correlation, A, correlationId)
SAME(ApiRecord, result, A, returnValue)
static_assert(sizeof(ApiRecord) == sizeof(A));

using E = CUpti_ActivityExternalCorrelation;
SAME(ExternalRecord, external_kind, E, externalKind)
SAME(ExternalRecord, external, E, externalId)
SAME(ExternalRecord, correlation, E, correlationId)
static_assert(sizeof(ExternalRecord) == sizeof(E));

using D = CUpti_CallbackData;
SAME(CallbackData, site, D, callbackSite)
SAME(CallbackData, function, D, functionName)
SAME(CallbackData, parameters, D, functionParams)
SAME(CallbackData, result, D, functionReturnValue)
SAME(CallbackData, symbol, D, symbolName)
SAME(CallbackData, context, D, context)
SAME(CallbackData, context_id, D, contextUid)
SAME(CallbackData, correlation_data, D, correlationData)
SAME(CallbackData, correlation, D, correlationId)

#undef FIRST_OF_THREE
#undef SAME

TEST(OwnLayout, NumbersAreThoseOfTheHeaders) {
    EXPECT_EQ(kMemcpy, static_cast<std::uint32_t>(CUPTI_ACTIVITY_KIND_MEMCPY));
    EXPECT_EQ(kMemset, static_cast<std::uint32_t>(CUPTI_ACTIVITY_KIND_MEMSET));
    EXPECT_EQ(kKernel, static_cast<std::uint32_t>(CUPTI_ACTIVITY_KIND_KERNEL));
    EXPECT_EQ(kDriver, static_cast<std::uint32_t>(CUPTI_ACTIVITY_KIND_DRIVER));
    EXPECT_EQ(kRuntime, static_cast<std::uint32_t>(CUPTI_ACTIVITY_KIND_RUNTIME));
    EXPECT_EQ(kConcurrentKernel, static_cast<std::uint32_t>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    EXPECT_EQ(kMemcpyPeer, static_cast<std::uint32_t>(CUPTI_ACTIVITY_KIND_MEMCPY2));
    EXPECT_EQ(kExternalCorrelation, static_cast<std::uint32_t>(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION));
    EXPECT_EQ(kInvalidParameter, static_cast<int>(CUPTI_ERROR_INVALID_PARAMETER));
    EXPECT_EQ(kMaxLimitReached, static_cast<int>(CUPTI_ERROR_MAX_LIMIT_REACHED));
    EXPECT_EQ(kInvalidKind, static_cast<int>(CUPTI_ERROR_INVALID_KIND));
    EXPECT_EQ(kQueueEmpty, static_cast<int>(CUPTI_ERROR_QUEUE_EMPTY));
    EXPECT_EQ(kNotSupported, static_cast<int>(CUPTI_ERROR_NOT_SUPPORTED));
    EXPECT_EQ(kMultipleSubscribers, static_cast<int>(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED));
}

#if CUPTI_API_VERSION < 130200
// Functions that headers before CUDA 13.2 do not have are not compared.
constexpr int CUPTI_DRIVER_TRACE_CBID_cuKernelGetParamCount = 836;
constexpr int CUPTI_DRIVER_TRACE_CBID_cuFuncGetParamCount = 835;
constexpr int CUPTI_RUNTIME_TRACE_CBID_cudaGraphNodeGetParams_v13020 = 558;
#endif

/// The numbers of functions.
#define WW_CUPTI_DRIVER(symbol, number) static_assert(CUPTI_DRIVER_TRACE_CBID_##symbol == number);
#define WW_CUPTI_RUNTIME(name, version, number) static_assert(CUPTI_RUNTIME_TRACE_CBID_##name##_v##version == number);
#if CUPTI_API_VERSION >= 130000
    #include "libraries/cupti/callback_ids.inc"
#endif

}  // namespace
}  // namespace warpwright::libraries::cupti
