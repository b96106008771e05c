// The part of NVIDIA's driver API that we use: names, types and numbers from its public documentation, declared here so
// that neither its headers nor its library are needed to build. The table of entry points is filled when the program
// runs (driver.*), or by a test with its own functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwright::device::cuda {

using Status = int;  ///< CUresult
using DeviceId = int;
using DevicePointer = unsigned long long;
using Context = struct ContextTag*;
using ModuleHandle = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using LinkState = struct LinkTag*;
using Graph = struct GraphTag*;
using GraphExec = struct GraphExecTag*;

namespace status {
inline constexpr Status success = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3, no_device = 100,
                        invalid_device = 101, invalid_image = 200, no_binary = 209, ecc = 214, invalid_ptx = 218,
                        jit_missing = 221, unsupported_ptx = 222, not_found = 500, not_ready = 600,
                        illegal_address = 700, out_of_resources = 701, launch_timeout = 702, peer_enabled = 704,
                        hardware_stack = 714, illegal_instruction = 715, misaligned_address = 716,
                        invalid_address_space = 717, invalid_pc = 718, launch_failed = 719, too_large_cooperative = 720,
                        assertion = 710, not_supported = 801, system_driver_mismatch = 803, unknown = 999;
}

/// CUdevice_attribute.
enum class DeviceAttribute : int {
    threads_per_block = 1,
    block_x = 2,
    block_y = 3,
    block_z = 4,
    grid_x = 5,
    grid_y = 6,
    grid_z = 7,
    shared_per_block = 8,
    constant = 9,
    warp = 10,
    registers_per_block = 12,
    clock_khz = 13,
    multiprocessors = 16,
    ecc = 32,
    memory_clock_khz = 36,
    bus_bits = 37,
    l2_bytes = 38,
    threads_per_multiprocessor = 39,
    capability_major = 75,
    capability_minor = 76,
    shared_per_multiprocessor = 81,
    registers_per_multiprocessor = 82,
    cooperative = 95,
    shared_per_block_optin = 97,
    blocks_per_multiprocessor = 106,
    reserved_shared_per_block = 111,
    clusters = 120,
};

/// CUfunction_attribute.
enum class FunctionAttribute : int {
    threads_per_block = 0,
    static_shared = 1,
    constant = 2,
    local = 3,
    registers = 4,
    dynamic_shared_max = 8,
    non_portable_cluster = 14,
};

/// Of tensor maps: CUtensorMapDataType, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
/// CUtensorMapFloatOOBfill.
enum class TensorType : int { u8, u16, u32, i32, u64, i64, f16, f32, f64, bf16, f32_flushed, tf32, tf32_flushed };
enum class TensorInterleave : int { none };
enum class TensorSwizzle : int { none, b32, b64, b128 };
enum class TensorPromotion : int { none, b64, b128, b256 };
enum class TensorFill : int { zero, nan };

/// CUjit_option; values are passed as pointers that hold numbers or addresses.
enum class JitOption : int { error_log = 5, error_log_bytes = 6, optimization_level = 7, generate_line_info = 13 };

inline constexpr int kInputPtx = 1;  ///< CUjitInputType

/// CUlaunchAttribute: 8 bytes of identity, 64 of value.
struct LaunchAttribute {
    enum class Id : int { cooperative = 2, cluster = 4, programmatic = 6 };
    Id id;
    int padding;
    union {
        int flag;
        struct {
            unsigned x, y, z;
        } extent;
        char bytes[64];
    } value;
};
static_assert(sizeof(LaunchAttribute) == 72 && offsetof(LaunchAttribute, value) == 8);

/// CUlaunchConfig.
struct LaunchShape {
    unsigned grid_x, grid_y, grid_z;
    unsigned block_x, block_y, block_z;
    unsigned dynamic_shared;
    Stream stream;
    LaunchAttribute* attributes;
    unsigned attribute_count;
};
static_assert(sizeof(LaunchShape) == 56 && offsetof(LaunchShape, stream) == 32);

inline constexpr unsigned kStreamDefault = 0, kStreamNonBlocking = 1, kEventDefault = 0;
inline const Stream kLegacyStream = reinterpret_cast<Stream>(1);  ///< CU_STREAM_LEGACY: the default stream
inline constexpr int kCaptureThreadLocal = 1;                     ///< CUstreamCaptureMode

// X(member, symbol, result and parameters). Symbols carry the version suffix that current headers give them.
#define WARPWRIGHT_CUDA_ENTRY_POINTS(X)                                                                               \
    X(init, "cuInit", Status(unsigned))                                                                               \
    X(driver_version, "cuDriverGetVersion", Status(int*))                                                             \
    X(error_name, "cuGetErrorName", Status(Status, const char**))                                                     \
    X(error_text, "cuGetErrorString", Status(Status, const char**))                                                   \
    X(device_count, "cuDeviceGetCount", Status(int*))                                                                 \
    X(device_get, "cuDeviceGet", Status(DeviceId*, int))                                                              \
    X(device_name, "cuDeviceGetName", Status(char*, int, DeviceId))                                                   \
    X(device_memory, "cuDeviceTotalMem_v2", Status(std::size_t*, DeviceId))                                           \
    X(device_attribute, "cuDeviceGetAttribute", Status(int*, DeviceAttribute, DeviceId))                              \
    X(context_retain, "cuDevicePrimaryCtxRetain", Status(Context*, DeviceId))                                         \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", Status(DeviceId))                                              \
    X(context_reset, "cuDevicePrimaryCtxReset_v2", Status(DeviceId))                                                  \
    X(context_set, "cuCtxSetCurrent", Status(Context))                                                                \
    X(memory_info, "cuMemGetInfo_v2", Status(std::size_t*, std::size_t*))                                             \
    X(memory_allocate, "cuMemAlloc_v2", Status(DevicePointer*, std::size_t))                                          \
    X(memory_free, "cuMemFree_v2", Status(DevicePointer))                                                             \
    X(copy_to_device, "cuMemcpyHtoDAsync_v2", Status(DevicePointer, const void*, std::size_t, Stream))                \
    X(copy_to_host, "cuMemcpyDtoHAsync_v2", Status(void*, DevicePointer, std::size_t, Stream))                        \
    X(copy_on_device, "cuMemcpyDtoDAsync_v2", Status(DevicePointer, DevicePointer, std::size_t, Stream))              \
    X(host_allocate, "cuMemHostAlloc", Status(void**, std::size_t, unsigned))                                         \
    X(host_free, "cuMemFreeHost", Status(void*))                                                                      \
    X(set_bytes, "cuMemsetD8Async", Status(DevicePointer, unsigned char, std::size_t, Stream))                        \
    X(module_load, "cuModuleLoadDataEx", Status(ModuleHandle*, const void*, unsigned, JitOption*, void**))            \
    X(module_unload, "cuModuleUnload", Status(ModuleHandle))                                                          \
    X(module_function, "cuModuleGetFunction", Status(Function*, ModuleHandle, const char*))                           \
    X(module_global, "cuModuleGetGlobal_v2", Status(DevicePointer*, std::size_t*, ModuleHandle, const char*))         \
    X(link_create, "cuLinkCreate_v2", Status(unsigned, JitOption*, void**, LinkState*))                               \
    X(link_add, "cuLinkAddData_v2",                                                                                   \
      Status(LinkState, int, void*, std::size_t, const char*, unsigned, JitOption*, void**))                          \
    X(link_complete, "cuLinkComplete", Status(LinkState, void**, std::size_t*))                                       \
    X(link_destroy, "cuLinkDestroy", Status(LinkState))                                                               \
    X(function_attribute, "cuFuncGetAttribute", Status(int*, FunctionAttribute, Function))                            \
    X(function_set_attribute, "cuFuncSetAttribute", Status(Function, FunctionAttribute, int))                         \
    X(resident_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor", Status(int*, Function, int, std::size_t))       \
    X(stream_create, "cuStreamCreate", Status(Stream*, unsigned))                                                     \
    X(stream_destroy, "cuStreamDestroy_v2", Status(Stream))                                                           \
    X(stream_wait, "cuStreamSynchronize", Status(Stream))                                                             \
    X(stream_wait_event, "cuStreamWaitEvent", Status(Stream, Event, unsigned))                                        \
    X(event_create, "cuEventCreate", Status(Event*, unsigned))                                                        \
    X(event_destroy, "cuEventDestroy_v2", Status(Event))                                                              \
    X(event_record, "cuEventRecord", Status(Event, Stream))                                                           \
    X(event_query, "cuEventQuery", Status(Event))                                                                     \
    X(event_wait, "cuEventSynchronize", Status(Event))                                                                \
    X(event_elapsed, "cuEventElapsedTime", Status(float*, Event, Event))                                              \
    X(launch, "cuLaunchKernel",                                                                                       \
      Status(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**)) \
    X(launch_cooperative, "cuLaunchCooperativeKernel",                                                                \
      Status(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**))

// Entry points of newer drivers: null if the driver at hand does not have them.
#define WARPWRIGHT_CUDA_OPTIONAL_ENTRY_POINTS(X)                                                                   \
    X(launch_extended, "cuLaunchKernelEx", Status(const LaunchShape*, Function, void**, void**))                   \
    X(active_clusters, "cuOccupancyMaxActiveClusters", Status(int*, Function, const LaunchShape*))                 \
    X(encode_tiled, "cuTensorMapEncodeTiled",                                                                      \
      Status(void*, TensorType, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*,                  \
             const std::uint32_t*, const std::uint32_t*, TensorInterleave, TensorSwizzle, TensorPromotion,         \
             TensorFill))                                                                                          \
    X(capture_begin, "cuStreamBeginCapture_v2", Status(Stream, int))                                               \
    X(capture_end, "cuStreamEndCapture", Status(Stream, Graph*))                                                   \
    X(graph_instantiate, "cuGraphInstantiateWithFlags", Status(GraphExec*, Graph, unsigned long long))             \
    X(graph_launch, "cuGraphLaunch", Status(GraphExec, Stream))                                                    \
    X(device_bus, "cuDeviceGetPCIBusId", Status(char*, int, DeviceId))                                             \
    X(peer_can, "cuDeviceCanAccessPeer", Status(int*, DeviceId, DeviceId))                                         \
    X(peer_enable, "cuCtxEnablePeerAccess", Status(Context, unsigned))                                             \
    X(copy_peer, "cuMemcpyPeerAsync", Status(DevicePointer, Context, DevicePointer, Context, std::size_t, Stream)) \
    X(graph_upload, "cuGraphUpload", Status(GraphExec, Stream))                                                    \
    X(graph_destroy, "cuGraphDestroy", Status(Graph))                                                              \
    X(graph_exec_destroy, "cuGraphExecDestroy", Status(GraphExec))

template <class Signature>
using EntryPoint = Signature*;

/// The entry points. All calls are made through it.
struct DriverTable {
#define WARPWRIGHT_CUDA_MEMBER(member, symbol, ...) EntryPoint<__VA_ARGS__> member = nullptr;
    WARPWRIGHT_CUDA_ENTRY_POINTS(WARPWRIGHT_CUDA_MEMBER)
    WARPWRIGHT_CUDA_OPTIONAL_ENTRY_POINTS(WARPWRIGHT_CUDA_MEMBER)
#undef WARPWRIGHT_CUDA_MEMBER
};

}  // namespace warpwright::device::cuda
