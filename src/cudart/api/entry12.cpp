// Entry points of libcudart.so.12 whose parameters or structures CUDA 13 changed; all others are the same (entry.cpp).
#ifdef WARPWRIGHT_CUDART_12
    #include <cstring>

    #include "cudart/api/api.hpp"
    #include "cudart/api/enter.hpp"

namespace {

/// The device's properties as CUDA 12 lays them out.
struct Properties12 {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2],
        maxTexture2DLinear[3];
    int maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2];
    int maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3];
    int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
        unifiedAddressing;
    int memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
        timelineSemaphoreInteropSupported;
    int memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers, reserved2[2],
        reserved1[1], reserved[60];
};

    #define WW_ENTRY extern "C" __attribute__((visibility("default")))

}  // namespace

using warpwright::cudart::Api;
using warpwright::cudart::enter;

static cudaError_t properties(Properties12* to, int device) {
    cudaDeviceProp p;
    if (!to) return cudaErrorInvalidValue;
    if (auto e = warpwright::cudart::impl::cudaGetDeviceProperties(&p, device); e != cudaSuccess) return e;
    std::memset(to, 0, sizeof *to);
    #define WW_SAME(member) std::memcpy(static_cast<void*>(&to->member), &p.member, sizeof to->member);
    WW_SAME(name)
    WW_SAME(uuid)
    WW_SAME(totalGlobalMem) WW_SAME(sharedMemPerBlock) WW_SAME(regsPerBlock) WW_SAME(warpSize) WW_SAME(
        memPitch) WW_SAME(maxThreadsPerBlock) WW_SAME(maxThreadsDim) WW_SAME(maxGridSize) WW_SAME(clockRate)
        WW_SAME(totalConstMem) WW_SAME(major) WW_SAME(minor) WW_SAME(textureAlignment) WW_SAME(
            texturePitchAlignment) WW_SAME(deviceOverlap) WW_SAME(multiProcessorCount) WW_SAME(integrated)
            WW_SAME(canMapHostMemory) WW_SAME(maxTexture1D) WW_SAME(maxTexture1DLinear) WW_SAME(maxTexture2D) WW_SAME(
                maxTexture2DLinear) WW_SAME(maxTexture3D) WW_SAME(maxTexture1DLayered) WW_SAME(maxTexture2DLayered)
                WW_SAME(maxSurface1D) WW_SAME(maxSurface2D) WW_SAME(maxSurface3D) WW_SAME(surfaceAlignment) WW_SAME(
                    concurrentKernels) WW_SAME(ECCEnabled) WW_SAME(pciBusID) WW_SAME(pciDeviceID) WW_SAME(pciDomainID)
                    WW_SAME(asyncEngineCount) WW_SAME(unifiedAddressing) WW_SAME(memoryClockRate) WW_SAME(
                        memoryBusWidth) WW_SAME(l2CacheSize) WW_SAME(persistingL2CacheMaxSize)
                        WW_SAME(maxThreadsPerMultiProcessor) WW_SAME(streamPrioritiesSupported) WW_SAME(
                            globalL1CacheSupported) WW_SAME(localL1CacheSupported) WW_SAME(sharedMemPerMultiprocessor)
                            WW_SAME(regsPerMultiprocessor) WW_SAME(managedMemory) WW_SAME(multiGpuBoardGroupID)
                                WW_SAME(singleToDoublePrecisionPerfRatio) WW_SAME(pageableMemoryAccess)
                                    WW_SAME(concurrentManagedAccess) WW_SAME(computePreemptionSupported)
                                        WW_SAME(canUseHostPointerForRegisteredMem) WW_SAME(cooperativeLaunch)
                                            WW_SAME(sharedMemPerBlockOptin) WW_SAME(directManagedMemAccessFromHost)
                                                WW_SAME(maxBlocksPerMultiProcessor) WW_SAME(accessPolicyMaxWindowSize)
                                                    WW_SAME(reservedSharedMemPerBlock) WW_SAME(hostRegisterSupported)
                                                        WW_SAME(memoryPoolsSupported) WW_SAME(clusterLaunch)
                                                            WW_SAME(maxTexture1DMipmap) WW_SAME(maxTexture2DMipmap)
                                                                WW_SAME(maxTexture2DGather) WW_SAME(maxTexture3DAlt)
                                                                    WW_SAME(maxTextureCubemap)
                                                                        WW_SAME(maxTextureCubemapLayered)
                                                                            WW_SAME(maxSurface1DLayered)
                                                                                WW_SAME(maxSurface2DLayered)
                                                                                    WW_SAME(maxSurfaceCubemap) WW_SAME(
                                                                                        maxSurfaceCubemapLayered)
    #undef WW_SAME
                                                                                        return cudaSuccess;
}

WW_ENTRY cudaError_t cudaGetDeviceProperties_v2(Properties12* to, int device) {
    return enter(Api::cudaGetDeviceProperties, [&] { return properties(to, device); });
}

WW_ENTRY cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream) {
    return enter(Api::cudaMemPrefetchAsync, [&] {
        return warpwright::cudart::impl::cudaMemPrefetchAsync(pointer, bytes, {cudaMemLocationTypeDevice, device}, 0,
                                                              stream);
    });
}

WW_ENTRY cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, enum cudaMemoryAdvise advice, int device) {
    return enter(Api::cudaMemAdvise, [&] {
        return warpwright::cudart::impl::cudaMemAdvise(pointer, bytes, advice, {cudaMemLocationTypeDevice, device});
    });
}

WW_ENTRY cudaError_t cudaMemcpyBatchAsync(void** to, void** from, size_t* sizes, size_t count,
                                          cudaMemcpyAttributes* attributes, size_t* indices, size_t attributeCount,
                                          size_t* failed, cudaStream_t stream) {
    const auto e = enter(Api::cudaMemcpyBatchAsync, [&] {
        return warpwright::cudart::impl::cudaMemcpyBatchAsync(to, from, sizes, count, attributes, indices,
                                                              attributeCount, stream);
    });
    if (failed && e != cudaSuccess) *failed = ~size_t{0};  // no particular one of them
    return e;
}

WW_ENTRY cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus* status,
                                                 unsigned long long* id, cudaGraph_t* graph,
                                                 const cudaGraphNode_t** dependencies, size_t* count) {
    return enter(Api::cudaStreamGetCaptureInfo, [&] {
        return warpwright::cudart::impl::cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, nullptr,
                                                                  count);
    });
}
#endif
