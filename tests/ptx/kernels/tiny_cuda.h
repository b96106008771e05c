// The few words of CUDA C++ that the kernels here need, so that clang compiles them with no toolkit.
#pragma once
#ifndef __NVCC__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
struct tiny_index {
    enum Which { tid, ntid, ctaid, nctaid };
};
template <int W>
struct tiny_dim {
    __device__ __forceinline__ static int get_x() {
        return W == 0   ? __nvvm_read_ptx_sreg_tid_x()
               : W == 1 ? __nvvm_read_ptx_sreg_ntid_x()
               : W == 2 ? __nvvm_read_ptx_sreg_ctaid_x()
                        : __nvvm_read_ptx_sreg_nctaid_x();
    }
    __device__ __forceinline__ static int get_y() {
        return W == 0   ? __nvvm_read_ptx_sreg_tid_y()
               : W == 1 ? __nvvm_read_ptx_sreg_ntid_y()
               : W == 2 ? __nvvm_read_ptx_sreg_ctaid_y()
                        : __nvvm_read_ptx_sreg_nctaid_y();
    }
    __declspec(property(get = get_x)) int x;
    __declspec(property(get = get_y)) int y;
};
extern const __device__ tiny_dim<0> threadIdx;
extern const __device__ tiny_dim<1> blockDim;
extern const __device__ tiny_dim<2> blockIdx;
extern const __device__ tiny_dim<3> gridDim;
#define __syncthreads() __nvvm_bar_sync(0)
extern "C" __device__ int vprintf(const char*, const void*);
template <class... A>
__device__ __forceinline__ int printf(const char* text, A... values);
#endif
