// Devices, errors, versions, limits.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "cudart/api/api.hpp"
#include "cudart/api/memory_pools.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/observe/host_checks.hpp"
#include "cudart/observe/recorder.hpp"
#include "cudart/state/chosen_device.hpp"
#include "cudart/state/properties.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/capture_rules.hpp"
#include "cudart/work/stream/stream.hpp"
#include "cudart/work/stream/wait_for_device.hpp"

namespace warpwright::cudart::impl {
namespace {

std::atomic<unsigned> device_flags{0};
/// The most local memory that a thread may have (CUDA C++ Programming Guide, "Technical Specifications").
constexpr std::size_t kMostStackBytes = 512 * 1024;
std::atomic<std::size_t> limits[7] = {1024, std::size_t{1} << 20, std::size_t{8} << 20, 2, 2048, 128, 0};

bool no_device(int device) { return Runtime::get().no_device(device); }

/// Whether two devices reach each other's memory: any two different ones do, over the model's links.
bool are_linked(int device, int peer) { return device != peer; }

}  // namespace

cudaError_t cudaDeviceSynchronize(void) {
    if (auto e = wait_for_device(current_device()); e != cudaSuccess) return e;
    Runtime::get().flush_print();
    return Runtime::get().sticky();
}

cudaError_t cudaDeviceReset(void) {
    const unsigned device = current_device();
    if (auto e = wait_for_device(device); e != cudaSuccess) return e;
    Runtime::get().flush_print();
    // The program's objects on the device are gone, and their handles become invalid.
    capture_rules::end_all(device);
    Scheduler::get().destroy_all(device);
    forget_events(device);
    if (Runtime::get().started()) MemoryTable::get().reset(device);
    forget_gone_pool_memory();
    for (unsigned peer = 0; peer < Runtime::get().devices(); ++peer) {
        (void)Runtime::get().set_access(device, peer, false);
        (void)Runtime::get().set_access(peer, device, false);
    }
    Runtime::get().unstick();
    thread_state().last = cudaSuccess;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
    auto& state = thread_state();
    const auto last = state.last != cudaSuccess ? state.last : Runtime::get().known_error();
    state.last = cudaSuccess;
    return last;
}

cudaError_t cudaPeekAtLastError(void) {
    const auto last = thread_state().last;
    return last != cudaSuccess ? last : Runtime::get().known_error();
}

cudaError_t cudaSetDevice(int device) {
    if (no_device(device)) {
        auto& runtime = Runtime::get();
        const unsigned there = runtime.devices();
        runtime.say(
            fmt::format("cudaSetDevice({}): the program sees {} emulated device{} (run --devices N gives it more)",
                        device, there, there == 1 ? "" : "s"));
        return cudaErrorInvalidDevice;
    }
    thread_state().device = chosen_device() = device;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
    if (!device) return cudaErrorInvalidValue;
    *device = thread_state().device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
    if (!count) return cudaErrorInvalidValue;
    *count = static_cast<int>(Runtime::get().devices());
    return *count ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (!properties) return cudaErrorInvalidValue;
    if (no_device(device)) return cudaErrorInvalidDevice;
    fill_properties(*properties, device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    if (!value) return cudaErrorInvalidValue;
    if (no_device(device)) return cudaErrorInvalidDevice;
    return attribute_of(attribute, device, *value) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
    if (!device || !wanted) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return no_device(device) ? cudaErrorInvalidDevice : cudaSuccess;
}
cudaError_t cudaSetValidDevices(int*, int) { return cudaSuccess; }

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    const unsigned schedule = flags & cudaDeviceScheduleMask;
    if ((flags & ~unsigned{cudaDeviceMask}) || (schedule & (schedule - 1))) return cudaErrorInvalidValue;
    device_flags = flags;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    if (!flags) return cudaErrorInvalidValue;
    *flags = device_flags | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    if (static_cast<unsigned>(limit) >= std::size(limits)) return cudaErrorInvalidValue;
    if (limit == cudaLimitStackSize && value > kMostStackBytes) return cudaErrorInvalidValue;
    limits[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    if (!value) return cudaErrorInvalidValue;
    if (static_cast<unsigned>(limit) >= std::size(limits)) return cudaErrorInvalidValue;
    *value = limits[limit];
    return cudaSuccess;
}

// Preferences that have no effect here.
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    if (!config) return cudaErrorInvalidValue;
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
    return is_cache_config(config) ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    if (!config) return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache(void) { return cudaSuccess; }

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
    if (!id || length < 13) return cudaErrorInvalidValue;
    if (no_device(device)) return cudaErrorInvalidDevice;
    std::snprintf(id, static_cast<std::size_t>(length), "0000:%02x:00.0",
                  Runtime::get().visible()[static_cast<unsigned>(device)] + 1);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
    unsigned domain = 0, bus = 0, slot = 0;
    if (!device || !id || std::sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3) return cudaErrorInvalidValue;
    const auto& all = Runtime::get().visible();
    const auto found = std::find(all.begin(), all.end(), bus - 1);
    if (found == all.end()) return cudaErrorInvalidDevice;
    *device = static_cast<int>(found - all.begin());
    return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* elements, const cudaChannelFormatDesc* format, int) {
    if (!elements || !format) return cudaErrorInvalidValue;
    *elements = std::size_t{1} << 28;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
    if (!version) return cudaErrorInvalidValue;
    *version = kDriverVersion;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    if (!version) return cudaErrorInvalidValue;
    *version = kRuntimeVersion;
    return cudaSuccess;
}

cudaError_t cudaProfilerStart(void) {
    Recorder::get().pause(false);
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void) {
    // Under the checkers the record says which kernels were checked: all are.
    if (!Checks::on()) Recorder::get().pause(true);
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    if (!can) return cudaErrorInvalidValue;
    if (no_device(device) || no_device(peer)) return cudaErrorInvalidDevice;
    *can = are_linked(device, peer);
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    if (flags) return cudaErrorInvalidValue;
    if (no_device(peer)) return cudaErrorInvalidDevice;
    if (!are_linked(thread_state().device, peer)) return cudaErrorPeerAccessUnsupported;
    return Runtime::get().set_access(current_device(), static_cast<unsigned>(peer), true)
               ? cudaSuccess
               : cudaErrorPeerAccessAlreadyEnabled;
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    if (no_device(peer) || !are_linked(thread_state().device, peer)) return cudaErrorInvalidDevice;
    // Work that uses the access has been queued with it.
    Scheduler::get().wait_device(current_device());
    return Runtime::get().set_access(current_device(), static_cast<unsigned>(peer), false)
               ? cudaSuccess
               : cudaErrorPeerAccessNotEnabled;
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to) {
    if (!value) return cudaErrorInvalidValue;
    if (no_device(from) || no_device(to) || from == to) return cudaErrorInvalidDevice;
    const bool nvlink = Runtime::get().topology() == arch::Topology::nvlink;
    switch (attribute) {
        case cudaDevP2PAttrPerformanceRank:
            *value = nvlink ? 0 : 1;  // 0 is the best link of a machine
            return cudaSuccess;
        case cudaDevP2PAttrAccessSupported:
        case cudaDevP2PAttrCudaArrayAccessSupported:
            *value = 1;
            return cudaSuccess;
        case cudaDevP2PAttrNativeAtomicSupported:
            *value = nvlink;  // PCI Express has no atomics of all widths
            return cudaSuccess;
        default:
            return cudaErrorInvalidValue;
    }
}

}  // namespace warpwright::cudart::impl
