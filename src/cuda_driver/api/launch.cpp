// Launches and occupancy, and the launches of CUDA 3 and before, whose parameters are set one by one.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "cuda_driver/api/api.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/launch/kernel_launch.hpp"

namespace warpwright::cuda_driver::impl {
namespace {

const void* address(CUfunction function) { return reinterpret_cast<const void*>(function); }

cudaLaunchConfig_t config_of(const CUlaunchConfig& c) {
    return {{c.gridDimX, c.gridDimY, c.gridDimZ},
            {c.blockDimX, c.blockDimY, c.blockDimZ},
            c.sharedMemBytes,
            c.hStream,
            c.attrs,
            c.numAttrs};
}

CUresult launch(CUfunction function, const cudaLaunchConfig_t& config, void** parameters, void** extra) {
    if (parameters && extra) return CUDA_ERROR_INVALID_VALUE;
    return code_of(cudart::launch(config, address(function), parameters, extra));
}

/// What cuFuncSetBlockShape and its like have set, for the next launch of the function.
struct Setting {
    unsigned x = 1, y = 1, z = 1, shared = 0;
    std::vector<std::byte> parameters;
};
std::mutex settings_mutex;
std::map<CUfunction, Setting>& settings() {
    static auto* all = new std::map<CUfunction, Setting>;
    return *all;
}

template <class F>
CUresult change(CUfunction function, F work) {
    if (!cudart::Registry::get().kernel(address(function))) return CUDA_ERROR_INVALID_HANDLE;
    std::lock_guard lock(settings_mutex);
    return work(settings()[function]);
}

constexpr unsigned kMostParameters = 32764;

CUresult put(CUfunction function, int offset, const void* data, unsigned bytes) {
    if (offset < 0 || !data || bytes > kMostParameters || static_cast<unsigned>(offset) > kMostParameters - bytes)
        return CUDA_ERROR_INVALID_VALUE;
    return change(function, [&](Setting& s) {
        const auto from = static_cast<std::size_t>(offset);
        s.parameters.resize(std::max(s.parameters.size(), from + bytes));
        std::memcpy(s.parameters.data() + from, data, bytes);
        return CUDA_SUCCESS;
    });
}

CUresult launch_as_set(CUfunction function, int width, int height, CUstream stream) {
    if (width < 1 || height < 1) return CUDA_ERROR_INVALID_VALUE;
    Setting s;
    if (auto e = change(function, [&](Setting& now) { return s = now, CUDA_SUCCESS; }); e != CUDA_SUCCESS) return e;
    size_t size = s.parameters.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, s.parameters.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    return launch(function,
                  {{static_cast<unsigned>(width), static_cast<unsigned>(height), 1},
                   {s.x, s.y, s.z},
                   s.shared,
                   stream,
                   nullptr,
                   0},
                  nullptr, size ? extra : nullptr);
}

}  // namespace

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                        unsigned blockY, unsigned blockZ, unsigned shared, CUstream stream, void** parameters,
                        void** extra) {
    return launch(function, {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, shared, stream, nullptr, 0}, parameters,
                  extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
    if (!config || (config->numAttrs && !config->attrs)) return CUDA_ERROR_INVALID_VALUE;
    return launch(function, config_of(*config), parameters, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                                   unsigned blockY, unsigned blockZ, unsigned shared, CUstream stream,
                                   void** parameters) {
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    return launch(function, {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, shared, stream, &cooperative, 1},
                  parameters, nullptr);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
    return code_of(rt::cudaLaunchHostFunc(stream, function, data));
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
    if (x < 1 || y < 1 || z < 1) return CUDA_ERROR_INVALID_VALUE;
    return change(function, [&](Setting& s) {
        s.x = static_cast<unsigned>(x), s.y = static_cast<unsigned>(y), s.z = static_cast<unsigned>(z);
        return CUDA_SUCCESS;
    });
}
CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes) {
    return change(function, [&](Setting& s) { return s.shared = bytes, CUDA_SUCCESS; });
}
CUresult cuParamSetSize(CUfunction function, unsigned bytes) {
    if (bytes > kMostParameters) return CUDA_ERROR_INVALID_VALUE;
    return change(function, [&](Setting& s) { return s.parameters.resize(bytes), CUDA_SUCCESS; });
}
CUresult cuParamSeti(CUfunction function, int offset, unsigned value) {
    return put(function, offset, &value, sizeof value);
}
CUresult cuParamSetf(CUfunction function, int offset, float value) {
    return put(function, offset, &value, sizeof value);
}
CUresult cuParamSetv(CUfunction function, int offset, void* data, unsigned bytes) {
    return put(function, offset, data, bytes);
}
CUresult cuLaunch(CUfunction function) { return launch_as_set(function, 1, 1, nullptr); }
CUresult cuLaunchGrid(CUfunction function, int width, int height) {
    return launch_as_set(function, width, height, nullptr);
}
CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
    return launch_as_set(function, width, height, stream);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads, size_t shared) {
    return code_of(rt::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, address(function), threads, shared));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int threads,
                                                              size_t shared, unsigned flags) {
    return code_of(
        rt::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, address(function), threads, shared, flags));
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* threads, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared, int limit, unsigned) {
    if (!grid || !threads || limit < 0) return CUDA_ERROR_INVALID_VALUE;
    cudaFuncAttributes a;
    if (auto e = rt::cudaFuncGetAttributes(&a, address(function)); e != cudaSuccess) return code_of(e);
    const int most = limit ? std::min(limit, a.maxThreadsPerBlock) : a.maxThreadsPerBlock;
    int best = 0;
    *grid = *threads = 0;
    // The largest block of those that keep most threads resident; sizes are whole warps, but for the limit itself.
    for (int n = most; n > 0; n = (n - 1) / 32 * 32) {
        int blocks = 0;
        const size_t bytes = shared_of ? shared_of(n) : shared;
        if (auto e = rt::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, address(function), n, bytes);
            e != cudaSuccess)
            return code_of(e);
        if (blocks * n <= best) continue;
        best = blocks * n;
        *threads = n;
        *grid = blocks * static_cast<int>(cudart::Runtime::get().model().sm.multiprocessors);
    }
    return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* threads, CUfunction function, CUoccupancyB2DSize shared_of,
                                          size_t shared, int limit) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, threads, function, shared_of, shared, limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* shared, CUfunction function, int blocks, int threads) {
    return code_of(rt::cudaOccupancyAvailableDynamicSMemPerBlock(shared, address(function), blocks, threads));
}
CUresult cuOccupancyMaxPotentialClusterSize(int* size, CUfunction function, const CUlaunchConfig* config) {
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    const auto c = config_of(*config);
    return code_of(rt::cudaOccupancyMaxPotentialClusterSize(size, address(function), &c));
}
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function, const CUlaunchConfig* config) {
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    const auto c = config_of(*config);
    return code_of(rt::cudaOccupancyMaxActiveClusters(clusters, address(function), &c));
}

}  // namespace warpwright::cuda_driver::impl
