// The device's side of the runtime library, for kernels that launch kernels. clang refuses to name a kernel in device code except
// as a constant, so launches there are written anew before they are compiled (src/compile/device_launches): `k<<<g, b>>>(x)`
// as `ww_launch<k>(g, b)(x)`, and cudaMalloc, which is the host's, as ww_device_cudaMalloc. Programs do not name these.
#pragma once

#include "../driver_types.h"

extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);

/// The graph that contains the kernel's launch, for it to launch that again; 0 outside of graphs.
static __device__ WW_INLINE cudaGraphExec_t cudaGetCurrentGraphExec() {
    unsigned long long graph;
    asm("mov.u64 %0, %%current_graph_exec;" : "=l"(graph));
    return (cudaGraphExec_t)graph;
}

/// For launches that may begin before the one before them in the stream has ended (since compute capability 9.0): waits for that one's end
/// and its writes; lets the next begin. Where no launch begins early both have nothing to do.
static __device__ WW_INLINE void cudaGridDependencySynchronize() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
static __device__ WW_INLINE void cudaTriggerProgrammaticLaunchCompletion() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#define WW_NESTED(name, parameters) __device__ cudaError_t ww_device_cuda##name parameters __asm__("__cudaCDP2" #name);
WW_NESTED(LaunchDevice, (void* function, void* buffer, dim3 grid, dim3 block, unsigned int shared, cudaStream_t stream))
WW_NESTED(LaunchDeviceV2, (void* buffer, cudaStream_t stream))
WW_NESTED(StreamCreateWithFlags, (cudaStream_t* stream, unsigned int flags))
WW_NESTED(StreamDestroy, (cudaStream_t stream))
WW_NESTED(StreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0))
WW_NESTED(EventCreateWithFlags, (cudaEvent_t* event, unsigned int flags))
WW_NESTED(EventRecord, (cudaEvent_t event, cudaStream_t stream = 0))
WW_NESTED(EventDestroy, (cudaEvent_t event))
WW_NESTED(GetLastError, ())
WW_NESTED(PeekAtLastError, ())
WW_NESTED(GetDevice, (int* device))
WW_NESTED(GetDeviceCount, (int* count))
WW_NESTED(DeviceGetAttribute, (int* value, enum cudaDeviceAttr attribute, int device))
WW_NESTED(DeviceGetLimit, (size_t* value, enum cudaLimit limit))
WW_NESTED(DeviceGetCacheConfig, (enum cudaFuncCache* config))
WW_NESTED(RuntimeGetVersion, (int* version))
WW_NESTED(FuncGetAttributes, (struct cudaFuncAttributes* attributes, const void* function))
WW_NESTED(OccupancyMaxActiveBlocksPerMultiprocessor, (int* blocks, const void* function, int threads, size_t shared))
WW_NESTED(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags, (int* blocks, const void* function, int threads, size_t shared, unsigned int flags))
WW_NESTED(GraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream))
WW_NESTED(Malloc, (void** pointer, size_t bytes))
WW_NESTED(Free, (void* pointer))
WW_NESTED(MemcpyAsync, (void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream = 0))
WW_NESTED(Memcpy2DAsync, (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                          cudaStream_t stream = 0))
WW_NESTED(Memcpy3DAsync, (const struct cudaMemcpy3DParms* parameters, cudaStream_t stream = 0))
WW_NESTED(MemsetAsync, (void* to, int value, size_t bytes, cudaStream_t stream = 0))
WW_NESTED(Memset2DAsync, (void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream = 0))
WW_NESTED(Memset3DAsync, (struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream = 0))
#undef WW_NESTED
__device__ const char* ww_device_cudaGetErrorName(cudaError_t error) __asm__("__cudaCDP2GetErrorName");
__device__ const char* ww_device_cudaGetErrorString(cudaError_t error) __asm__("__cudaCDP2GetErrorString");
__device__ void* ww_device_cudaGetParameterBuffer(size_t alignment, size_t bytes) __asm__("__cudaCDP2GetParameterBuffer");
__device__ void* ww_device_cudaGetParameterBufferV2(void* function, dim3 grid, dim3 block, unsigned int shared) __asm__("__cudaCDP2GetParameterBufferV2");

#ifndef __CUDA_ARCH__
/// By their own names for the host's side alone, which only reads device functions that call them (Thrust's launchers do).
__device__ void* cudaGetParameterBuffer(size_t alignment, size_t bytes);
__device__ void* cudaGetParameterBufferV2(void* function, dim3 grid, dim3 block, unsigned int shared);
__device__ cudaError_t cudaLaunchDevice(void* function, void* buffer, dim3 grid, dim3 block, unsigned int shared, cudaStream_t stream);
__device__ cudaError_t cudaLaunchDeviceV2(void* buffer, cudaStream_t stream);
#endif

template <class T> __device__ WW_INLINE cudaError_t ww_device_cudaMalloc(T** pointer, size_t bytes) {
    return ww_device_cudaMalloc((void**)pointer, bytes);
}
template <class... P> __device__ WW_INLINE cudaError_t ww_device_cudaFuncGetAttributes(struct cudaFuncAttributes* attributes, void (*function)(P...)) {
    return ww_device_cudaFuncGetAttributes(attributes, (const void*)function);
}
template <class... P> __device__ WW_INLINE cudaError_t ww_device_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*function)(P...),
                                                                                                              int threads, size_t shared) {
    return ww_device_cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void*)function, threads, shared);
}

#if __cplusplus >= 201703L
/// A kernel's address. In a constant's place clang lets any function name it.
template <auto ww_K> struct ww_constant {
    static constexpr auto value = ww_K;
};

template <auto ww_K, class ww_F = decltype(ww_K)> struct ww_launcher;
template <auto ww_K, class... ww_P> struct ww_launcher<ww_K, void (*)(ww_P...)> {
    dim3 grid, block;
    unsigned int shared;
    cudaStream_t stream;
    /// Parameters lie one behind the other, each at its own alignment.
    __device__ WW_INLINE void operator()(ww_P... values) const {
        char* buffer = (char*)ww_device_cudaGetParameterBufferV2((void*)ww_constant<ww_K>::value, grid, block, shared);
        if (!buffer) return;
        size_t at = 0;
        ((at = (at + alignof(ww_P) - 1) / alignof(ww_P) * alignof(ww_P), __builtin_memcpy(buffer + at, &values, sizeof values), at += sizeof values), ...);
        ww_device_cudaLaunchDeviceV2(buffer, stream);
    }
};
template <auto ww_K, class... ww_P> struct ww_launcher<ww_K, void (*)(ww_P...) noexcept> : ww_launcher<ww_K, void (*)(ww_P...)> {};

template <auto ww_K> __device__ WW_INLINE ww_launcher<ww_K> ww_launch(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0) {
    return {grid, block, (unsigned int)shared, stream};
}

/// The same where the kernel follows from the arguments, as `ww_f` of them says.
template <class ww_F> struct ww_deducer {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    template <class... ww_A> __device__ WW_INLINE void operator()(ww_A... values) const {
        ww_launch<decltype((*(const ww_F*)nullptr)(values...))::value>(grid, block, shared, stream)(values...);
    }
};
template <class ww_F> __device__ WW_INLINE ww_deducer<ww_F> ww_launch_deduced(ww_F, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0) {
    return {grid, block, shared, stream};
}
#endif
