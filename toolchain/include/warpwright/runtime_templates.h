// C++ forms of the runtime's functions: typed pointers, kernels and symbols by their names, launches with their arguments;
// and the forms that older versions had.
#pragma once

template <class ww_T> inline cudaError_t cudaMalloc(ww_T** p, size_t bytes) { return cudaMalloc((void**)p, bytes); }
template <class ww_T> inline cudaError_t cudaMallocHost(ww_T** p, size_t bytes, unsigned int flags = 0) { return cudaHostAlloc((void**)p, bytes, flags); }
template <class ww_T> inline cudaError_t cudaHostAlloc(ww_T** p, size_t bytes, unsigned int flags) { return cudaHostAlloc((void**)p, bytes, flags); }
template <class ww_T> inline cudaError_t cudaHostGetDevicePointer(ww_T** device, void* host, unsigned int flags) {
    return cudaHostGetDevicePointer((void**)device, host, flags);
}
template <class ww_T> inline cudaError_t cudaMallocManaged(ww_T** p, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
    return cudaMallocManaged((void**)p, bytes, flags);
}
template <class ww_T> inline cudaError_t cudaMallocPitch(ww_T** p, size_t* pitch, size_t width, size_t height) {
    return cudaMallocPitch((void**)p, pitch, width, height);
}
template <class ww_T> inline cudaError_t cudaMallocAsync(ww_T** p, size_t bytes, cudaStream_t stream) { return cudaMallocAsync((void**)p, bytes, stream); }
template <class ww_T> inline cudaError_t cudaMallocAsync(ww_T** p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void**)p, bytes, pool, stream);
}
template <class ww_T> inline cudaError_t cudaMallocFromPoolAsync(ww_T** p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void**)p, bytes, pool, stream);
}
inline cudaError_t cudaMallocHost(void** p, size_t bytes, unsigned int flags) { return cudaHostAlloc(p, bytes, flags); }
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) { return cudaEventCreateWithFlags(event, flags); }

// Symbols. An array's name is its address already.
template <class ww_T>
inline cudaError_t cudaMemcpyToSymbol(const ww_T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol((const void*)&symbol, from, bytes, offset, kind);
}
template <class ww_T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const ww_T& symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, (const void*)&symbol, bytes, offset, kind);
}
template <class ww_T>
inline cudaError_t cudaMemcpyToSymbolAsync(const ww_T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
    return cudaMemcpyToSymbolAsync((const void*)&symbol, from, bytes, offset, kind, stream);
}
template <class ww_T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const ww_T& symbol, size_t bytes, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
    return cudaMemcpyFromSymbolAsync(to, (const void*)&symbol, bytes, offset, kind, stream);
}
template <class ww_T, class ww_S> inline cudaError_t cudaGetSymbolAddress(ww_T** p, const ww_S& symbol) {
    return cudaGetSymbolAddress((void**)p, (const void*)&symbol);
}
template <class ww_S> inline cudaError_t cudaGetSymbolSize(size_t* bytes, const ww_S& symbol) { return cudaGetSymbolSize(bytes, (const void*)&symbol); }

// Kernels.
template <class ww_T> inline cudaError_t cudaFuncSetAttribute(ww_T* kernel, cudaFuncAttribute attribute, int value) {
    return cudaFuncSetAttribute((const void*)kernel, attribute, value);
}
template <class ww_T> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, ww_T* kernel) {
    return cudaFuncGetAttributes(attributes, (const void*)kernel);
}
template <class ww_T> inline cudaError_t cudaFuncSetCacheConfig(ww_T* kernel, cudaFuncCache config) {
    return cudaFuncSetCacheConfig((const void*)kernel, config);
}
template <class ww_T> inline cudaError_t cudaFuncSetSharedMemConfig(ww_T* kernel, cudaSharedMemConfig config) {
    return cudaFuncSetSharedMemConfig((const void*)kernel, config);
}
template <class ww_T> inline cudaError_t cudaFuncGetName(const char** name, ww_T* kernel) { return cudaFuncGetName(name, (const void*)kernel); }
template <class ww_T>
inline cudaError_t cudaLaunchKernel(ww_T* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0, cudaStream_t stream = nullptr) {
    return cudaLaunchKernel((const void*)kernel, grid, block, arguments, shared, stream);
}
template <class ww_T>
inline cudaError_t cudaLaunchCooperativeKernel(ww_T* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                               cudaStream_t stream = nullptr) {
    return cudaLaunchCooperativeKernel((const void*)kernel, grid, block, arguments, shared, stream);
}
template <class... Wanted, class... Given>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Wanted...), Given&&... given) {
    return [&](Wanted... values) {
        void* arguments[] = {(void*)&values..., nullptr};
        return cudaLaunchKernelExC(config, (const void*)kernel, arguments);
    }(static_cast<Given&&>(given)...);
}
template <class ww_T>
inline cudaError_t cudaLibraryGetGlobal(ww_T** pointer, size_t* bytes, cudaLibrary_t library, const char* name) {
    return cudaLibraryGetGlobal((void**)pointer, bytes, library, name);
}
template <class ww_T> inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, ww_T* kernel) {
    return cudaGetFuncBySymbol(function, (const void*)kernel);
}
template <class ww_T> inline cudaError_t cudaGetKernel(cudaKernel_t* handle, ww_T* kernel) { return cudaGetKernel(handle, (const void*)kernel); }

// Occupancy.
template <class ww_T> inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, ww_T kernel, int block, size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void*)kernel, block, shared, 0);
}
template <class ww_T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, ww_T kernel, int block, size_t shared, unsigned int flags) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void*)kernel, block, shared, flags);
}
template <class ww_T> inline cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, ww_T* kernel, const cudaLaunchConfig_t* config) {
    return cudaOccupancyMaxActiveClusters(clusters, (const void*)kernel, config);
}
template <class ww_T> inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, ww_T* kernel, const cudaLaunchConfig_t* config) {
    return cudaOccupancyMaxPotentialClusterSize(size, (const void*)kernel, config);
}
/// The block with which most threads are resident; of several the largest. `shared(block)`: dynamic shared memory.
template <class Shared, class ww_T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, ww_T kernel, Shared shared, int limit = 0) {
    cudaFuncAttributes facts;
    if (cudaError_t e = cudaFuncGetAttributes(&facts, (const void*)kernel)) return e;
    int device = 0, processors = 0, best = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int most = facts.maxThreadsPerBlock;
    if (limit > 0 && limit < most) most = limit;
    *block = *grid = 0;
    for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
        const int size = threads < most ? threads : most;
        int blocks = 0;
        if (cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void*)kernel, size, shared(size), 0)) return e;
        if (blocks * size > best) best = blocks * size, *block = size, *grid = blocks * processors;
    }
    return cudaSuccess;
}
template <class ww_T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, ww_T kernel, size_t shared = 0, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, [=](int) { return shared; }, limit);
}
template <class ww_T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, ww_T kernel, size_t shared = 0, int limit = 0, unsigned int = 0) {
    return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, shared, limit);
}

// Formats of array elements.
template <class ww_T> inline cudaChannelFormatDesc cudaCreateChannelDesc() { return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone); }
#define WW_CHANNELS(type, bits, kind)                                                                                                          \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() { return cudaCreateChannelDesc(bits, 0, 0, 0, kind); }
#define WW_CHANNELS_VECTOR(name, bits, kind)                                                                                                   \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<name##1>() { return cudaCreateChannelDesc(bits, 0, 0, 0, kind); }           \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<name##2>() { return cudaCreateChannelDesc(bits, bits, 0, 0, kind); }        \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<name##4>() { return cudaCreateChannelDesc(bits, bits, bits, bits, kind); }
WW_CHANNELS(char, 8, cudaChannelFormatKindSigned)
WW_CHANNELS(signed char, 8, cudaChannelFormatKindSigned)
WW_CHANNELS(unsigned char, 8, cudaChannelFormatKindUnsigned)
WW_CHANNELS(short, 16, cudaChannelFormatKindSigned)
WW_CHANNELS(unsigned short, 16, cudaChannelFormatKindUnsigned)
WW_CHANNELS(int, 32, cudaChannelFormatKindSigned)
WW_CHANNELS(unsigned int, 32, cudaChannelFormatKindUnsigned)
WW_CHANNELS(float, 32, cudaChannelFormatKindFloat)
WW_CHANNELS_VECTOR(char, 8, cudaChannelFormatKindSigned)
WW_CHANNELS_VECTOR(uchar, 8, cudaChannelFormatKindUnsigned)
WW_CHANNELS_VECTOR(short, 16, cudaChannelFormatKindSigned)
WW_CHANNELS_VECTOR(ushort, 16, cudaChannelFormatKindUnsigned)
WW_CHANNELS_VECTOR(int, 32, cudaChannelFormatKindSigned)
WW_CHANNELS_VECTOR(uint, 32, cudaChannelFormatKindUnsigned)
WW_CHANNELS_VECTOR(float, 32, cudaChannelFormatKindFloat)
#undef WW_CHANNELS
#undef WW_CHANNELS_VECTOR

// As until CUDA 12: a device's number where later versions have a place.
inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
    return cudaMemAdvise(pointer, bytes, advice, cudaMemLocation{device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device});
}
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream = 0) {
    return cudaMemPrefetchAsync(pointer, bytes, cudaMemLocation{device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device}, 0, stream);
}
// Programs that were brought to CUDA 13 may define these names as the newer ones.
#ifndef cudaThreadSynchronize
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
#endif
#ifndef cudaThreadExit
inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
#endif

// By this name CUB waits within kernels, from CUDA 11.6 on; its functions are for both sides.
#ifdef __CUDA_ARCH__
extern "C" __attribute__((device)) cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance();
#else
inline cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance() { return cudaDeviceSynchronize(); }
#endif

// Texture and surface references. Without a format it is the reference's own, or the array's.
#ifdef WW_TEXTURE_REFERENCES
template <class ww_T, int ww_k, cudaTextureReadMode ww_m>
inline cudaError_t cudaBindTexture(size_t* offset, const texture<ww_T, ww_k, ww_m>& t, const void* pointer, const cudaChannelFormatDesc& format,
                                   size_t bytes = 0xffffffffu) {
    return cudaBindTexture(offset, (const textureReference*)&t, pointer, &format, bytes);
}
template <class ww_T, int ww_k, cudaTextureReadMode ww_m>
inline cudaError_t cudaBindTexture(size_t* offset, const texture<ww_T, ww_k, ww_m>& t, const void* pointer, size_t bytes = 0xffffffffu) {
    return cudaBindTexture(offset, (const textureReference*)&t, pointer, &t.channelDesc, bytes);
}
template <class ww_T, int ww_k, cudaTextureReadMode ww_m>
inline cudaError_t cudaBindTexture2D(size_t* offset, const texture<ww_T, ww_k, ww_m>& t, const void* pointer, const cudaChannelFormatDesc& format, size_t width,
                                     size_t height, size_t pitch) {
    return cudaBindTexture2D(offset, (const textureReference*)&t, pointer, &format, width, height, pitch);
}
template <class ww_T, int ww_k, cudaTextureReadMode ww_m>
inline cudaError_t cudaBindTexture2D(size_t* offset, const texture<ww_T, ww_k, ww_m>& t, const void* pointer, size_t width, size_t height, size_t pitch) {
    return cudaBindTexture2D(offset, (const textureReference*)&t, pointer, &t.channelDesc, width, height, pitch);
}
template <class ww_T, int ww_k, cudaTextureReadMode ww_m>
inline cudaError_t cudaBindTextureToArray(const texture<ww_T, ww_k, ww_m>& t, cudaArray_const_t array, const cudaChannelFormatDesc& format) {
    return cudaBindTextureToArray((const textureReference*)&t, array, &format);
}
template <class ww_T, int ww_k, cudaTextureReadMode ww_m>
inline cudaError_t cudaBindTextureToArray(const texture<ww_T, ww_k, ww_m>& t, cudaArray_const_t array) {
    cudaChannelFormatDesc format;
    const cudaError_t e = cudaGetChannelDesc(&format, array);
    return e ? e : cudaBindTextureToArray((const textureReference*)&t, array, &format);
}
template <class ww_T, int ww_k, cudaTextureReadMode ww_m>
inline cudaError_t cudaBindTextureToMipmappedArray(const texture<ww_T, ww_k, ww_m>& t, cudaMipmappedArray_const_t array, const cudaChannelFormatDesc& format) {
    return cudaBindTextureToMipmappedArray((const textureReference*)&t, array, &format);
}
template <class ww_T, int ww_k, cudaTextureReadMode ww_m>
inline cudaError_t cudaBindTextureToMipmappedArray(const texture<ww_T, ww_k, ww_m>& t, cudaMipmappedArray_const_t array) {
    cudaArray_t level;
    cudaChannelFormatDesc format;
    cudaError_t e = cudaGetMipmappedArrayLevel(&level, array, 0);
    if (!e) e = cudaGetChannelDesc(&format, level);
    return e ? e : cudaBindTextureToMipmappedArray((const textureReference*)&t, array, &format);
}
template <class ww_T, int ww_k, cudaTextureReadMode ww_m> inline cudaError_t cudaUnbindTexture(const texture<ww_T, ww_k, ww_m>& t) {
    return cudaUnbindTexture((const textureReference*)&t);
}
template <class ww_T, int ww_k, cudaTextureReadMode ww_m> inline cudaError_t cudaGetTextureAlignmentOffset(size_t* offset, const texture<ww_T, ww_k, ww_m>& t) {
    return cudaGetTextureAlignmentOffset(offset, (const textureReference*)&t);
}
#endif
#ifdef WW_SURFACE_REFERENCES
template <class ww_T, int ww_k>
inline cudaError_t cudaBindSurfaceToArray(const surface<ww_T, ww_k>& s, cudaArray_const_t array, const cudaChannelFormatDesc& format) {
    return cudaBindSurfaceToArray((const surfaceReference*)&s, array, &format);
}
template <class ww_T, int ww_k> inline cudaError_t cudaBindSurfaceToArray(const surface<ww_T, ww_k>& s, cudaArray_const_t array) {
    cudaChannelFormatDesc format;
    const cudaError_t e = cudaGetChannelDesc(&format, array);
    return e ? e : cudaBindSurfaceToArray((const surfaceReference*)&s, array, &format);
}
#endif
