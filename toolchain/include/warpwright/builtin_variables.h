// threadIdx, blockIdx, blockDim, gridDim and warpSize. Each member reads its special register where it is used.
#pragma once

#define WW_MEMBER(field, reg)                                        \
    __declspec(property(get = ww_get_##field)) unsigned int field;   \
    static __device__ WW_INLINE unsigned int ww_get_##field() { return __nvvm_read_ptx_sreg_##reg##_##field(); }
#define WW_BUILTIN_VARIABLE(type, reg)                                                                   \
    struct type {                                                                                        \
        WW_MEMBER(x, reg)                                                                                \
        WW_MEMBER(y, reg)                                                                                \
        WW_MEMBER(z, reg)                                                                                \
        __device__ WW_INLINE operator uint3() const { return uint3{x, y, z}; }                           \
        __device__ WW_INLINE operator dim3() const { return dim3(x, y, z); }                             \
        /* A copy reads the same registers, and takes no memory. */                                      \
        __device__ WW_INLINE type(const type&) {}                                                        \
        void operator=(const type&) = delete;                                                            \
    };
WW_BUILTIN_VARIABLE(ww_thread_index, tid)
WW_BUILTIN_VARIABLE(ww_block_index, ctaid)
WW_BUILTIN_VARIABLE(ww_block_size, ntid)
WW_BUILTIN_VARIABLE(ww_grid_size, nctaid)
#undef WW_BUILTIN_VARIABLE
#undef WW_MEMBER

#ifdef __CUDA_ARCH__
extern const __device__ __attribute__((weak)) ww_thread_index threadIdx;
extern const __device__ __attribute__((weak)) ww_block_index blockIdx;
extern const __device__ __attribute__((weak)) ww_block_size blockDim;
extern const __device__ __attribute__((weak)) ww_grid_size gridDim;
#else
// The host's side of a file only reads the kernels. Headers of NVIDIA's declare these there themselves, as plain types.
extern const __device__ __attribute__((weak)) uint3 threadIdx, blockIdx;
extern const __device__ __attribute__((weak)) dim3 blockDim, gridDim;
#endif
static constexpr int warpSize = 32;
