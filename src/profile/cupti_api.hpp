// The part of CUPTI's C interface that we use, declared here, so that neither building nor installing needs NVIDIA
// software. Records are declared up to the last member that we read: newer versions only append. tests/cupti compares
// every offset and number with NVIDIA's headers on machines that have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpwright::cupti {

using Code = int;
namespace code {
inline constexpr Code success = 0, invalid_metric_name = 17, insufficient_privileges = 35, multiple_subscribers = 39,
                      virtual_insufficient_privileges = 40;
}

/// What an activity record is of.
namespace kind {
inline constexpr std::uint32_t memcpy_ = 1, memset_ = 2, driver = 4, runtime = 5, concurrent_kernel = 10,
                               memcpy_peer = 22;
}

namespace domain {
inline constexpr int driver_api = 1, runtime_api = 2, resource = 3;
}
inline constexpr std::uint32_t context_ends = 2;  ///< of the resource domain
inline constexpr int site_enter = 0, site_exit = 1;
inline constexpr std::uint32_t flush_forced = 1;

// ---- activity records; each begins with its kind

struct KernelRecord {
    std::uint32_t kind;
    std::uint8_t cache_config, shared_config;
    std::uint16_t registers;  ///< per thread
    std::uint32_t partitioned[2];
    std::uint64_t start, end, completed;  ///< nanoseconds
    std::uint32_t device, context, stream;
    std::int32_t grid[3], block[3];
    std::int32_t static_shared, dynamic_shared;
    std::uint32_t local_per_thread, local_total, correlation;
    std::int64_t grid_id;
    const char* name;
};

struct MemcpyRecord {
    std::uint32_t kind;
    std::uint8_t copy_kind, source_kind, destination_kind, flags;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream, correlation;
};

/// A copy between devices: the same beginning as MemcpyRecord.
struct PeerRecord {
    std::uint32_t kind;
    std::uint8_t copy_kind, source_kind, destination_kind, flags;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream;
};

struct MemsetRecord {
    std::uint32_t kind, value;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream, correlation;
};

struct ApiRecord {
    std::uint32_t kind, function;
    std::uint64_t start, end;
    std::uint32_t process, thread, correlation, result;
};

// ---- callbacks

struct CallbackData {
    int site;
    const char* function;
    const void* parameters;
    void* result;
    const char* symbol;  ///< of launches: the kernel
    void* context;
    std::uint32_t context_id;
    std::uint64_t* correlation_data;
    std::uint32_t correlation;
};

struct ResourceData {
    void* context;
};

/// Parameters of cuLaunchKernel and cuLaunchCooperativeKernel, as far as both have them.
struct LaunchParameters {
    void* function;
    unsigned grid[3], block[3], shared;
    void* stream;
};
/// Of cuLaunchKernelEx: a shape with the same order, then the function.
struct LaunchShapeHead {
    unsigned grid[3], block[3], shared;
    void* stream;
};
struct LaunchExParameters {
    const LaunchShapeHead* shape;
    void* function;
};

// ---- counters. Every parameter block begins with its size and a null pointer.

struct Head {
    std::size_t size = 0;
    void* reserved = nullptr;
};

inline constexpr int range_auto = 1, replay_kernel = 2, profiler_range = 0;

struct Initialize {
    Head head;
};
struct ChipName {
    Head head;
    std::size_t device = 0;
    const char* name = nullptr;
};
struct Availability {
    Head head;
    void* context = nullptr;
    std::size_t bytes = 0;
    std::uint8_t* image = nullptr;
};

struct HostInitialize {
    Head head;
    int profiler = profiler_range;
    const char* chip = nullptr;
    const std::uint8_t* availability = nullptr;
    void* host = nullptr;
};
struct HostRelease {
    Head head;
    void* host = nullptr;
};
struct HostProperties {
    Head head;
    void* host = nullptr;
    const char *metric = nullptr, *description = nullptr, *unit = nullptr, *dimension = nullptr;
    int type = 0;
};
struct HostAdd {
    Head head;
    void* host = nullptr;
    const char** metrics = nullptr;
    std::size_t count = 0;
};
struct HostImageSize {
    Head head;
    void* host = nullptr;
    std::size_t bytes = 0;
};
struct HostImage {
    Head head;
    void* host = nullptr;
    std::size_t bytes = 0;
    std::uint8_t* image = nullptr;
};
struct HostPasses {
    Head head;
    std::size_t bytes = 0;
    std::uint8_t* image = nullptr;
    std::size_t passes = 0;
};
struct HostEvaluate {
    Head head;
    void* host = nullptr;
    const std::uint8_t* data = nullptr;
    std::size_t data_bytes = 0, range = 0;
    const char** metrics = nullptr;
    std::size_t count = 0;
    double* values = nullptr;
};

struct RangeEnable {
    Head head;
    void* context = nullptr;
    void* profiler = nullptr;
};
struct RangeCall {
    Head head;
    void* profiler = nullptr;
};  ///< Disable, Start
struct RangeStop {
    Head head;
    void* profiler = nullptr;
    std::size_t pass = 0, level = 0;
    std::uint8_t all_submitted = 0;
};
struct RangeDecode {
    Head head;
    void* profiler = nullptr;
    std::size_t dropped = 0;
};
struct RangeDataSize {
    Head head;
    void* profiler = nullptr;
    const char** metrics = nullptr;
    std::size_t count = 0, ranges = 0;
    std::uint32_t nodes = 0;
    std::size_t bytes = 0;
};
struct RangeDataInitialize {
    Head head;
    void* profiler = nullptr;
    std::size_t bytes = 0;
    std::uint8_t* data = nullptr;
};
struct RangeDataInfo {
    Head head;
    const std::uint8_t* data = nullptr;
    std::size_t bytes = 0, ranges = 0;
};
struct RangeConfigure {
    Head head;
    void* profiler = nullptr;
    std::size_t config_bytes = 0;
    const std::uint8_t* config = nullptr;
    std::size_t data_bytes = 0;
    std::uint8_t* data = nullptr;
    int range = range_auto, replay = replay_kernel;
    std::size_t ranges_per_pass = 1;
    std::uint16_t levels = 1, first_level = 1;
    std::size_t pass = 0;
    std::uint16_t target_level = 1;
};

// The size that a block states ends with its last member, without padding.
#define WARPWRIGHT_CUPTI_SIZE(type, last) (offsetof(type, last) + sizeof(type::last))
template <class Block>
inline constexpr std::size_t announced = sizeof(Block);
template <>
inline constexpr std::size_t announced<HostProperties> = WARPWRIGHT_CUPTI_SIZE(HostProperties, type);
template <>
inline constexpr std::size_t announced<RangeStop> = WARPWRIGHT_CUPTI_SIZE(RangeStop, all_submitted);
template <>
inline constexpr std::size_t announced<RangeConfigure> = WARPWRIGHT_CUPTI_SIZE(RangeConfigure, target_level);

template <class Block>
Block block() {
    Block b;
    b.head.size = announced<Block>;
    return b;
}

using Callback = void(void* user, int domain, std::uint32_t function, const void* data);
using BufferWanted = void(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records);
using BufferFull = void(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes, std::size_t used);

// X(member, symbol, type): entry points of every CUPTI that we can use.
#define WARPWRIGHT_CUPTI_ENTRY_POINTS(X)                                                            \
    X(version, "cuptiGetVersion", Code(std::uint32_t*))                                             \
    X(result_text, "cuptiGetResultString", Code(Code, const char**))                                \
    X(subscribe, "cuptiSubscribe", Code(void**, Callback*, void*))                                  \
    X(enable_callback, "cuptiEnableCallback", Code(std::uint32_t, void*, int, std::uint32_t))       \
    X(callback_name, "cuptiGetCallbackName", Code(int, std::uint32_t, const char**))                \
    X(timestamp, "cuptiGetTimestamp", Code(std::uint64_t*))                                         \
    X(device_id, "cuptiGetDeviceId", Code(void*, std::uint32_t*))                                   \
    X(register_buffers, "cuptiActivityRegisterCallbacks", Code(BufferWanted*, BufferFull*))         \
    X(enable, "cuptiActivityEnable", Code(std::uint32_t))                                           \
    X(disable, "cuptiActivityDisable", Code(std::uint32_t))                                         \
    X(next_record, "cuptiActivityGetNextRecord", Code(std::uint8_t*, std::size_t, std::uint32_t**)) \
    X(dropped, "cuptiActivityGetNumDroppedRecords", Code(void*, std::uint32_t, std::size_t*))       \
    X(flush_all, "cuptiActivityFlushAll", Code(std::uint32_t))

// Entry points since CUDA 11.3 (flush_period) and 12.6: null if the library does not have them.
#define WARPWRIGHT_CUPTI_OPTIONAL_ENTRY_POINTS(X)                                                        \
    X(flush_period, "cuptiActivityFlushPeriod", Code(std::uint32_t))                                     \
    X(stream_id, "cuptiGetStreamIdEx", Code(void*, void*, std::uint8_t, std::uint32_t*))                 \
    X(initialize, "cuptiProfilerInitialize", Code(Initialize*))                                          \
    X(chip_name, "cuptiDeviceGetChipName", Code(ChipName*))                                              \
    X(availability, "cuptiProfilerGetCounterAvailability", Code(Availability*))                          \
    X(host_initialize, "cuptiProfilerHostInitialize", Code(HostInitialize*))                             \
    X(host_release, "cuptiProfilerHostDeinitialize", Code(HostRelease*))                                 \
    X(host_properties, "cuptiProfilerHostGetMetricProperties", Code(HostProperties*))                    \
    X(host_add, "cuptiProfilerHostConfigAddMetrics", Code(HostAdd*))                                     \
    X(host_image_size, "cuptiProfilerHostGetConfigImageSize", Code(HostImageSize*))                      \
    X(host_image, "cuptiProfilerHostGetConfigImage", Code(HostImage*))                                   \
    X(host_passes, "cuptiProfilerHostGetNumOfPasses", Code(HostPasses*))                                 \
    X(host_evaluate, "cuptiProfilerHostEvaluateToGpuValues", Code(HostEvaluate*))                        \
    X(range_enable, "cuptiRangeProfilerEnable", Code(RangeEnable*))                                      \
    X(range_data_size, "cuptiRangeProfilerGetCounterDataSize", Code(RangeDataSize*))                     \
    X(range_data_initialize, "cuptiRangeProfilerCounterDataImageInitialize", Code(RangeDataInitialize*)) \
    X(range_configure, "cuptiRangeProfilerSetConfig", Code(RangeConfigure*))                             \
    X(range_start, "cuptiRangeProfilerStart", Code(RangeCall*))                                          \
    X(range_stop, "cuptiRangeProfilerStop", Code(RangeStop*))                                            \
    X(range_decode, "cuptiRangeProfilerDecodeData", Code(RangeDecode*))                                  \
    X(range_data_info, "cuptiRangeProfilerGetCounterDataInfo", Code(RangeDataInfo*))

struct CuptiFunctions {
#define WARPWRIGHT_CUPTI_MEMBER(member, symbol, ...) std::add_pointer_t<__VA_ARGS__> member = nullptr;
    WARPWRIGHT_CUPTI_ENTRY_POINTS(WARPWRIGHT_CUPTI_MEMBER)
    WARPWRIGHT_CUPTI_OPTIONAL_ENTRY_POINTS(WARPWRIGHT_CUPTI_MEMBER)
#undef WARPWRIGHT_CUPTI_MEMBER
};

}  // namespace warpwright::cupti
