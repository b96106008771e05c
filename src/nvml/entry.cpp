// The management library's functions, made from the table: the emulated devices as the runtime library describes them.
// What an emulated device does not have (a temperature, a clock, a load) is not supported, as on devices without it.
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "cudart/api/api.hpp"
#include "cudart/state/properties.hpp"
#include "cudart/state/runtime.hpp"
#include "warpwright/nvml.h"

namespace warpwright::nvml {
namespace {

std::atomic<int> users{0};

unsigned device_count() { return cudart::Runtime::get().settings.devices; }

/// Handles are numbers from 1 on.
nvmlDevice_t handle_of(unsigned index) { return reinterpret_cast<nvmlDevice_t>(std::uintptr_t{index} + 1); }
bool index_of(nvmlDevice_t device, unsigned& index) {
    const auto number = reinterpret_cast<std::uintptr_t>(device);
    index = static_cast<unsigned>(number - 1);
    return number >= 1 && number <= device_count();
}

nvmlReturn_t give(const std::string& from, char* to, unsigned bytes) {
    if (!to) return NVML_ERROR_INVALID_ARGUMENT;
    if (bytes <= from.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
    std::memcpy(to, from.c_str(), from.size() + 1);
    return NVML_SUCCESS;
}

/// Calls `work` with the properties of a device.
template <class F>
nvmlReturn_t with(nvmlDevice_t device, const void* to, F work) {
    unsigned index = 0;
    if (!to || !index_of(device, index)) return NVML_ERROR_INVALID_ARGUMENT;
    cudaDeviceProp p;
    cudart::fill_properties_of(p, index);
    return work(p);
}

std::string uuid_of(const cudaDeviceProp& p) { return cudart::text_of(p.uuid); }

std::string bus_id(const cudaDeviceProp& p, const char* form) {
    char text[32];
    std::snprintf(text, sizeof text, form, static_cast<unsigned>(p.pciDomainID), static_cast<unsigned>(p.pciBusID),
                  static_cast<unsigned>(p.pciDeviceID));
    return text;
}
constexpr const char* kBusId = "%08X:%02X:%02X.0";
constexpr const char* kBusIdLegacy = "%04X:%02X:%02X.0";

/// The device for which `is` holds.
template <class F>
nvmlReturn_t find(const void* asked, nvmlDevice_t* device, F is) {
    if (!asked || !device) return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned k = 0; k < device_count(); ++k) {
        cudaDeviceProp p;
        cudart::fill_properties_of(p, k);
        if (is(p)) return *device = handle_of(k), NVML_SUCCESS;
    }
    return NVML_ERROR_NOT_FOUND;
}

/// The generations by compute capability, as NVML numbers them.
unsigned architecture_of(int major, int minor) {
    if (major >= 10) return 10;
    if (major == 9) return 9;
    if (major == 8) return minor == 9 ? 8 : 7;
    if (major == 7) return minor >= 5 ? 6 : 5;
    return major == 6 ? 4 : major == 5 ? 3 : 2;
}

namespace impl {

nvmlReturn_t nvmlInitWithFlags(unsigned) {
    ++users;
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlInit_v2() { return impl::nvmlInitWithFlags(0); }
nvmlReturn_t nvmlInit() { return impl::nvmlInitWithFlags(0); }
nvmlReturn_t nvmlShutdown() {
    --users;
    return NVML_SUCCESS;
}

// There is no NVIDIA driver: the version is this project's.
nvmlReturn_t nvmlSystemGetDriverVersion(char* text, unsigned bytes) { return give(WARPWRIGHT_VERSION, text, bytes); }
nvmlReturn_t nvmlSystemGetDriverBranch(nvmlSystemDriverBranchInfo_t*, unsigned) { return NVML_ERROR_NOT_SUPPORTED; }
nvmlReturn_t nvmlSystemGetNVMLVersion(char* text, unsigned bytes) { return give(WARPWRIGHT_VERSION, text, bytes); }
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) {
    if (!version) return NVML_ERROR_INVALID_ARGUMENT;
    return cudart::impl::cudaDriverGetVersion(version) == cudaSuccess ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) { return impl::nvmlSystemGetCudaDriverVersion(version); }

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    *count = device_count();
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCount(unsigned* count) { return impl::nvmlDeviceGetCount_v2(count); }
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
    if (!device || index >= device_count()) return NVML_ERROR_INVALID_ARGUMENT;
    *device = handle_of(index);
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t* device) {
    return impl::nvmlDeviceGetHandleByIndex_v2(index, device);
}
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
    return find(uuid, device, [&](const cudaDeviceProp& p) { return uuid_of(p) == uuid; });
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* id, nvmlDevice_t* device) {
    return find(id, device, [&](const cudaDeviceProp& p) {
        return ::strcasecmp(bus_id(p, kBusId).c_str(), id) == 0 ||
               ::strcasecmp(bus_id(p, kBusIdLegacy).c_str(), id) == 0;
    });
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char* id, nvmlDevice_t* device) {
    return impl::nvmlDeviceGetHandleByPciBusId_v2(id, device);
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned* index) {
    unsigned found = 0;
    if (!index || !index_of(device, found)) return NVML_ERROR_INVALID_ARGUMENT;
    *index = found;
    return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* text, unsigned bytes) {
    return with(device, text, [&](const cudaDeviceProp& p) { return give(p.name, text, bytes); });
}
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* text, unsigned bytes) {
    return with(device, text, [&](const cudaDeviceProp& p) { return give(uuid_of(p), text, bytes); });
}
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
    return with(device, pci, [&](const cudaDeviceProp& p) {
        *pci = {};
        pci->domain = static_cast<unsigned>(p.pciDomainID), pci->bus = static_cast<unsigned>(p.pciBusID);
        pci->device = static_cast<unsigned>(p.pciDeviceID);
        (void)give(bus_id(p, kBusIdLegacy), pci->busIdLegacy, sizeof pci->busIdLegacy);
        return give(bus_id(p, kBusId), pci->busId, sizeof pci->busId);
    });
}
nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t* pci) {
    return impl::nvmlDeviceGetPciInfo_v3(device, pci);
}
nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t* pci) {
    return impl::nvmlDeviceGetPciInfo_v3(device, pci);
}

// The memory in use is this process's: an emulated device has no other user.
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
    return with(device, memory, [&](const cudaDeviceProp& p) {
        auto& runtime = cudart::Runtime::get();
        const auto& seen = runtime.visible();
        const auto own = std::find(seen.begin(), seen.end(), static_cast<unsigned>(p.pciBusID) - 1);
        const unsigned long long total = runtime.memory_size(),
                                 used = own == seen.end()
                                            ? 0
                                            : runtime.memory_used(static_cast<unsigned>(own - seen.begin()));
        *memory = {total, total > used ? total - used : 0, used};
        return NVML_SUCCESS;
    });
}
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t* memory) {
    constexpr unsigned kVersion = sizeof(nvmlMemory_v2_t) | 2u << 24;
    if (memory && memory->version != kVersion) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    nvmlMemory_t same;
    if (auto e = impl::nvmlDeviceGetMemoryInfo(device, memory ? &same : nullptr); e != NVML_SUCCESS) return e;
    *memory = {kVersion, same.total, 0, same.free, same.used};
    return NVML_SUCCESS;
}
/// Lists the processes that use a device: this one, once it has allocated memory of it.
template <class Process>
nvmlReturn_t list_processes(nvmlDevice_t device, unsigned* count, Process* processes) {
    nvmlMemory_t memory;
    if (auto e = impl::nvmlDeviceGetMemoryInfo(device, count ? &memory : nullptr); e != NVML_SUCCESS) return e;
    const unsigned room = *count;
    *count = memory.used ? 1 : 0;
    if (room < *count) return NVML_ERROR_INSUFFICIENT_SIZE;
    if (*count && !processes) return NVML_ERROR_INVALID_ARGUMENT;
    if (*count) processes[0].pid = static_cast<unsigned>(::getpid()), processes[0].usedGpuMemory = memory.used;
    return NVML_SUCCESS;
}
constexpr unsigned kWhole = ~0u;  // no part of a device that was cut into instances
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned* count,
                                                  nvmlProcessInfo_v1_t* processes) {
    return list_processes(device, count, processes);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned* count,
                                                     nvmlProcessInfo_t* processes) {
    const auto e = list_processes(device, count, processes);
    if (e == NVML_SUCCESS && *count) processes[0].gpuInstanceId = processes[0].computeInstanceId = kWhole;
    return e;
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned* count,
                                                     nvmlProcessInfo_t* processes) {
    return impl::nvmlDeviceGetComputeRunningProcesses_v3(device, count, processes);
}
nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned* bits) {
    return with(device, bits, [&](const cudaDeviceProp& p) {
        *bits = static_cast<unsigned>(p.memoryBusWidth);
        return NVML_SUCCESS;
    });
}
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int* major, int* minor) {
    return with(device, major && minor ? major : nullptr, [&](const cudaDeviceProp& p) {
        *major = p.major, *minor = p.minor;
        return NVML_SUCCESS;
    });
}
nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, unsigned* architecture) {
    return with(device, architecture, [&](const cudaDeviceProp& p) {
        *architecture = architecture_of(p.major, p.minor);
        return NVML_SUCCESS;
    });
}
/// Every thread of every process may use the device.
nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, unsigned* mode) {
    return with(device, mode, [&](const cudaDeviceProp&) {
        *mode = 0;
        return NVML_SUCCESS;
    });
}

// The link is the model's, and always at its full width. A model that says none of it has none.
nvmlReturn_t link_figure(nvmlDevice_t device, unsigned* to, unsigned figure) {
    return with(device, to, [&](const cudaDeviceProp&) {
        if (figure == 0) return NVML_ERROR_NOT_SUPPORTED;
        *to = figure;
        return NVML_SUCCESS;
    });
}
const auto& links() { return cudart::Runtime::get().model().links; }
nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t device, unsigned* generation) {
    return link_figure(device, generation, links().pcie_generation);
}
nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned* generation) {
    return link_figure(device, generation, links().pcie_generation);
}
nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned* lanes) {
    return link_figure(device, lanes, links().pcie_lanes);
}
nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned* lanes) {
    return link_figure(device, lanes, links().pcie_lanes);
}

}  // namespace impl

bool begins(const char* name) { return std::strncmp(name, "nvmlInit", 8) == 0; }

template <class F>
nvmlReturn_t enter(const char* name, F work) {
    return users > 0 || begins(name) ? work() : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t none_of(nvmlDevice_t device) {
    unsigned index = 0;
    return index_of(device, index) ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_INVALID_ARGUMENT;
}

}  // namespace
}  // namespace warpwright::nvml

using namespace warpwright::nvml;

#define WW_EXPORT extern "C" __attribute__((visibility("default")))
#define WW_ML(name, parameters, arguments)                         \
    WW_EXPORT nvmlReturn_t name parameters {                       \
        return enter(#name, [&] { return impl::name arguments; }); \
    }
#define WW_ML_NONE(name)                                      \
    WW_EXPORT nvmlReturn_t name(nvmlDevice_t device, ...) {   \
        return enter(#name, [&] { return none_of(device); }); \
    }
#include "warpwright/nvml_api.inc"

WW_EXPORT const char* nvmlErrorString(nvmlReturn_t result) {
    switch (result) {
        case NVML_SUCCESS:
            return "Success";
        case NVML_ERROR_UNINITIALIZED:
            return "The library was not initialized";
        case NVML_ERROR_INVALID_ARGUMENT:
            return "An argument is not valid";
        case NVML_ERROR_NOT_SUPPORTED:
            return "The emulated device does not support this";
        case NVML_ERROR_NOT_FOUND:
            return "There is no such device";
        case NVML_ERROR_INSUFFICIENT_SIZE:
            return "The buffer is too small";
        case NVML_ERROR_ARGUMENT_VERSION_MISMATCH:
            return "The version of a structure is not known";
        default:
            return "Unknown error";
    }
}
