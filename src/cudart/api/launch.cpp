// Launches; functions' attributes; occupancy.
#include <algorithm>
#include <cstring>

#include "arch/occupancy.hpp"
#include "cudart/api/api.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/launch/kernel_launch.hpp"

namespace warpwright::cudart {
namespace {

cudaError_t find(const void* address, Kernel*& kernel) {
    kernel = Registry::get().kernel(address);
    if (!kernel) return no_kernel(address);
    return Registry::get().ready(*kernel);
}

/// The most threads that a block of the kernel may have.
std::uint64_t most_threads(const Kernel& kernel) {
    const auto& model = Runtime::get().model();
    std::uint64_t most = Runtime::get().device()->limits().threads_per_block;
    if (kernel.info->max_threads) most = std::min<std::uint64_t>(most, kernel.info->max_threads);
    if (model.limits.threads_per_sm == 0) return most;
    while (most > 32 && arch::occupancy(model, kernel.info->registers, kernel.info->static_shared, most).blocks == 0)
        most -= 32;
    return most;
}

}  // namespace

cudaError_t launch(const cudaLaunchConfig_t& config, const void* kernel, void** arguments, void** extra) {
    auto stream = Scheduler::get().find(config.stream);
    if (!stream) return cudaErrorInvalidResourceHandle;
    // As measured with the driver of CUDA 13: a launch runs on its stream's device, whichever is current.
    const OnDevice on(static_cast<int>(stream->device));
    auto l = std::make_shared<Launch>();
    for (unsigned k = 0; k < config.numAttrs; ++k) {
        const auto& a = config.attrs[k];
        if (a.id == cudaLaunchAttributeCooperative) l->config.cooperative = a.val.cooperative != 0;
        if (a.id == cudaLaunchAttributeClusterDimension)
            l->config.cluster = {a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z};
        // The other attributes say how soon or where to run: this library uses one of the orders that a correct program
        // must allow.
    }
    if (auto e = prepare(*l, kernel, config.gridDim, config.blockDim, config.dynamicSmemBytes, arguments, extra);
        e != cudaSuccess)
        return e;
    return queue(std::move(l), stream);
}

namespace impl {

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
    return launch({grid, block, shared, stream, nullptr, 0}, kernel, arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                        cudaStream_t stream) {
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    return launch({grid, block, shared, stream, &cooperative, 1}, kernel, arguments);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
    return config ? launch(*config, kernel, arguments) : cudaErrorInvalidValue;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* address) {
    if (!attributes) return cudaErrorInvalidValue;
    Kernel* kernel = nullptr;
    if (auto e = find(address, kernel); e != cudaSuccess) return e;
    const auto& info = *kernel->info;
    std::memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = info.static_shared;
    attributes->constSizeBytes = info.constant;
    attributes->localSizeBytes = info.local;
    attributes->numRegs = static_cast<int>(info.registers);
    attributes->maxThreadsPerBlock = static_cast<int>(most_threads(*kernel));
    // As on a GPU: the PTX reports what it was compiled for, and the binary that the driver makes of it reports the
    // device.
    attributes->binaryVersion = Runtime::get().model().compute_capability;
    const auto arch = kernel->binary->arch;
    attributes->ptxVersion = arch ? static_cast<int>(arch) : attributes->binaryVersion;
    attributes->cacheModeCA = 1;
    const auto& limits = Runtime::get().device()->limits();
    const auto plain = limits.shared_per_block - std::min(limits.shared_per_block, info.static_shared);
    attributes->maxDynamicSharedSizeBytes =
        static_cast<int>(std::max<std::uint64_t>(plain, kernel->most_dynamic_shared));
    attributes->preferredShmemCarveout = kernel->carveout;
    attributes->clusterDimMustBeSet = info.explicit_cluster;
    attributes->requiredClusterWidth = static_cast<int>(info.required_cluster.x);
    attributes->requiredClusterHeight = static_cast<int>(info.required_cluster.y);
    attributes->requiredClusterDepth = static_cast<int>(info.required_cluster.z);
    attributes->nonPortableClusterSizeAllowed = kernel->wide_clusters;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* address, cudaFuncAttribute attribute, int value) {
    Kernel* kernel = nullptr;
    if (auto e = find(address, kernel); e != cudaSuccess) return e;
    const auto most = Runtime::get().device()->limits().shared_per_block_optin;
    switch (attribute) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize:
            if (value < 0 || static_cast<std::uint64_t>(value) + kernel->info->static_shared > most)
                return cudaErrorInvalidValue;
            kernel->most_dynamic_shared = static_cast<std::uint64_t>(value);
            return cudaSuccess;
        case cudaFuncAttributePreferredSharedMemoryCarveout:
            if (value < -1 || value > 100) return cudaErrorInvalidValue;
            kernel->carveout = value;
            return cudaSuccess;
        case cudaFuncAttributeNonPortableClusterSizeAllowed:
            kernel->wide_clusters = value != 0;
            return cudaSuccess;
        case cudaFuncAttributeClusterSchedulingPolicyPreference:
            return cudaSuccess;
        default:
            return cudaErrorInvalidValue;
    }
}

cudaError_t cudaFuncSetCacheConfig(const void* address, cudaFuncCache config) {
    if (!is_cache_config(config)) return cudaErrorInvalidValue;
    return Registry::get().kernel(address) ? cudaSuccess : no_kernel(address);
}
cudaError_t cudaFuncSetSharedMemConfig(const void* address, cudaSharedMemConfig) {
    return Registry::get().kernel(address) ? cudaSuccess : no_kernel(address);
}

cudaError_t cudaFuncGetName(const char** name, const void* address) {
    auto* kernel = Registry::get().kernel(address);
    if (!kernel || !name) return kernel ? cudaErrorInvalidValue : no_kernel(address);
    *name = kernel->name.c_str();
    return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void* address, size_t index, size_t* offset, size_t* size) {
    Kernel* kernel = nullptr;
    if (auto e = find(address, kernel); e != cudaSuccess) return e;
    const auto& parameters = kernel->info->parameters;
    if (index >= parameters.size() || !offset) return cudaErrorInvalidValue;
    *offset = parameters[index].offset;
    if (size) *size = parameters[index].size;
    return cudaSuccess;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
    auto* kernel = Registry::get().kernel(symbol);
    if (!kernel || !function) return cudaErrorInvalidDeviceFunction;
    *function = reinterpret_cast<cudaFunction_t>(kernel);
    return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t* handle, const void* entry) {
    auto* kernel = Registry::get().kernel(entry);
    if (!kernel || !handle) return cudaErrorInvalidDeviceFunction;
    *handle = reinterpret_cast<cudaKernel_t>(kernel);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* address, int threads,
                                                                   size_t shared, unsigned) {
    Kernel* kernel = nullptr;
    if (!blocks || threads <= 0) return cudaErrorInvalidValue;
    if (auto e = find(address, kernel); e != cudaSuccess) return e;
    *blocks = 0;
    if (static_cast<std::uint64_t>(threads) > most_threads(*kernel)) return cudaSuccess;
    *blocks =
        static_cast<int>(arch::occupancy(Runtime::get().model(), kernel->info->registers,
                                         kernel->info->static_shared + shared, static_cast<std::uint64_t>(threads))
                             .blocks);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads, size_t shared) {
    return impl::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads, shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* shared, const void* address, int blocks, int threads) {
    Kernel* kernel = nullptr;
    if (!shared || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
    if (auto e = find(address, kernel); e != cudaSuccess) return e;
    const auto& m = Runtime::get().model();
    const std::uint64_t each = m.limits.shared_per_sm / static_cast<unsigned>(blocks) / 128 * 128;
    const std::uint64_t taken = m.allocation.reserved_shared + kernel->info->static_shared;
    // Never more than the kernel may have: beyond the usual limit only where it was raised for the kernel.
    cudaFuncAttributes attributes;
    if (auto e = impl::cudaFuncGetAttributes(&attributes, address); e != cudaSuccess) return e;
    *shared = std::min<std::uint64_t>(each > taken ? each - taken : 0,
                                      static_cast<std::uint64_t>(std::max(0, attributes.maxDynamicSharedSizeBytes)));
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* address, const cudaLaunchConfig_t*) {
    Kernel* kernel = nullptr;
    if (!size) return cudaErrorInvalidValue;
    if (auto e = find(address, kernel); e != cudaSuccess) return e;
    *size = kernel->wide_clusters ? 16 : 8;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* address, const cudaLaunchConfig_t* config) {
    if (!clusters || !config) return cudaErrorInvalidValue;
    int blocks = 0;
    const auto threads = config->blockDim.x * config->blockDim.y * config->blockDim.z;
    if (auto e = impl::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, address, static_cast<int>(threads),
                                                                     config->dynamicSmemBytes);
        e != cudaSuccess)
        return e;
    unsigned each = 1;
    for (unsigned k = 0; k < config->numAttrs; ++k)
        if (config->attrs[k].id == cudaLaunchAttributeClusterDimension) {
            const auto& d = config->attrs[k].val.clusterDim;
            each = std::max(1u, d.x * d.y * d.z);
        }
    *clusters = blocks * static_cast<int>(Runtime::get().model().sm.multiprocessors / each);
    return cudaSuccess;
}

}  // namespace impl
}  // namespace warpwright::cudart
