// The records of CUPTI's Activity API, and the data of its callbacks, as their published layouts are (CUDA 13.5; those
// of earlier versions are their beginnings). Times are nanoseconds, or the unit of the program's own clock.
// tests/cupti/headers compares them with NVIDIA's headers where those are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwright::libraries::cupti {

/// CUptiResult, as far as we give it.
enum Result : int {
    kSuccess = 0,
    kInvalidParameter = 1,
    kMaxLimitReached = 12,
    kQueueEmpty = 18,
    kInvalidKind = 21,
    kNotSupported = 27,
    kMultipleSubscribers = 39
};

/// CUpti_ActivityKind, as far as we know them.
enum Kind : std::uint32_t {
    kMemcpy = 1,
    kMemset = 2,
    kKernel = 3,
    kDriver = 4,
    kRuntime = 5,
    kConcurrentKernel = 10,
    kMemcpyPeer = 22,
    kExternalCorrelation = 39,
    kKinds = 64  ///< beyond the last
};

enum Domain : std::uint32_t { kDriverApi = 1, kRuntimeApi = 2, kDomains = 7 };

struct KernelRecord {
    std::uint32_t kind;
    std::uint8_t cache_config, shared_config;
    std::uint16_t registers;  ///< per thread
    std::uint32_t partitioned[2];
    std::uint64_t start, end, completed;
    std::uint32_t device, context, stream;
    std::int32_t grid[3], block[3];
    std::int32_t static_shared, dynamic_shared;
    std::uint32_t local_per_thread, local_total, correlation;
    std::int64_t grid_id;
    const char* name;
    void* reserved;
    std::uint64_t queued, submitted;
    std::uint8_t launch_type, carveout_asked, carveout, padding;
    std::uint32_t shared_executed;
    std::uint64_t graph_node;
    std::uint32_t shared_limit, graph;
    void* access_policy;
    std::uint32_t channel, channel_type;
    std::uint32_t cluster[3], cluster_scheduling;
    std::uint64_t local_total_wide;
    std::uint64_t later[6];
};
static_assert(sizeof(KernelRecord) == 248);

struct MemcpyRecord {
    std::uint32_t kind;
    std::uint8_t copy_kind, source_kind, destination_kind, flags;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream, correlation, runtime_correlation, padding;
    void* reserved;
    std::uint64_t graph_node;
    std::uint32_t graph, channel, channel_type, padding2;
    std::uint64_t later[3];
};
static_assert(sizeof(MemcpyRecord) == 112);

/// A copy between devices.
struct PeerRecord {
    std::uint32_t kind;
    std::uint8_t copy_kind, source_kind, destination_kind, flags;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream, source, source_context, destination, destination_context, correlation;
    void* reserved;
    std::uint64_t graph_node;
    std::uint32_t graph, channel, channel_type, padding;
};
static_assert(sizeof(PeerRecord) == 96);

struct MemsetRecord {
    std::uint32_t kind, value;
    std::uint64_t bytes, start, end;
    std::uint32_t device, context, stream, correlation;
    std::uint16_t flags, memory_kind;
    std::uint32_t padding;
    void* reserved;
    std::uint64_t graph_node;
    std::uint32_t graph, channel, channel_type, padding2;
    std::uint64_t later[2];
};
static_assert(sizeof(MemsetRecord) == 104);

struct ApiRecord {
    std::uint32_t kind, function;
    std::uint64_t start, end;
    std::uint32_t process, thread, correlation, result;
};
static_assert(sizeof(ApiRecord) == 40);

struct ExternalRecord {
    std::uint32_t kind, external_kind;
    std::uint64_t external;
    std::uint32_t correlation, padding;
};
static_assert(sizeof(ExternalRecord) == 24);

/// What a subscriber gets at the beginning and at the end of a call (CUpti_CallbackData).
struct CallbackData {
    int site;  ///< 0: it begins, 1: it ends
    const char* function;
    const void* parameters;
    const void* result;
    const char* symbol;  ///< of launches: the kernel
    void* context;
    std::uint32_t context_id;
    std::uint64_t* correlation_data;
    std::uint32_t correlation;
};

using Callback = void (*)(void* user, std::uint32_t domain, std::uint32_t id, const CallbackData* data);

}  // namespace warpwright::libraries::cupti
