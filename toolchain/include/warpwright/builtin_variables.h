// threadIdx, blockIdx, blockDim, gridDim and warpSize. Each member reads its special register where it is used. The types
// have the names that clang's own have: error messages name them.
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
WW_BUILTIN_VARIABLE(__cuda_builtin_threadIdx_t, tid)
WW_BUILTIN_VARIABLE(__cuda_builtin_blockIdx_t, ctaid)
WW_BUILTIN_VARIABLE(__cuda_builtin_blockDim_t, ntid)
WW_BUILTIN_VARIABLE(__cuda_builtin_gridDim_t, nctaid)
#undef WW_BUILTIN_VARIABLE
#undef WW_MEMBER

#ifdef __CUDA_ARCH__
extern const __device__ __attribute__((weak)) __cuda_builtin_threadIdx_t threadIdx;
extern const __device__ __attribute__((weak)) __cuda_builtin_blockIdx_t blockIdx;
extern const __device__ __attribute__((weak)) __cuda_builtin_blockDim_t blockDim;
extern const __device__ __attribute__((weak)) __cuda_builtin_gridDim_t gridDim;
#else
// The host's side of a file only reads the kernels. Headers of NVIDIA's declare these there themselves, as plain types.
extern const __device__ __attribute__((weak)) uint3 threadIdx, blockIdx;
extern const __device__ __attribute__((weak)) dim3 blockDim, gridDim;
#endif
static constexpr int warpSize = 32;
