// Printing, assertions, the device heap, clocks and traps.
#pragma once

#include <assert.h>

extern "C" {
// clang packs the arguments and calls vprintf, as nvcc does.
__device__ int printf(const char*, ...);
__device__ int vprintf(const char*, const char*);
__device__ __attribute__((noreturn)) void __assertfail(const void* message, const void* file, unsigned int line,
                                                       const void* function, size_t char_size);
__device__ void* malloc(size_t) noexcept;
__device__ void free(void*) noexcept;
// What <assert.h>'s macro calls.
__device__ WW_INLINE __attribute__((noreturn)) void __assert_fail(const char* message, const char* file,
                                                                  unsigned int line, const char* function) noexcept {
    __assertfail(message, file, line, function, sizeof(char));
}
}

WW_DEVICE void* memcpy(void* to, const void* from, size_t bytes) noexcept { return __builtin_memcpy(to, from, bytes); }
WW_DEVICE void* memmove(void* to, const void* from, size_t bytes) noexcept { return __builtin_memmove(to, from, bytes); }
WW_DEVICE void* memset(void* to, int value, size_t bytes) noexcept { return __builtin_memset(to, value, bytes); }

WW_DEVICE void __trap() { __asm__ volatile("trap;"); }
WW_DEVICE void __brkpt() { __asm__ volatile("brkpt;"); }
WW_DEVICE void __prof_trigger(int) { __asm__ volatile("pmevent 0;"); }
WW_DEVICE void __nanosleep(unsigned int ns) { __asm__ volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory"); }

// Volatile reads with a memory clobber: a clock that moves across the code it times is of no use.
WW_DEVICE long clock() noexcept {
    unsigned int t;
    __asm__ volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return static_cast<int>(t);
}
WW_DEVICE long long int clock64() {
    long long t;
    __asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}

WW_DEVICE unsigned int __isGlobal(const void* p) { return __nvvm_isspacep_global(p); }
WW_DEVICE unsigned int __isShared(const void* p) { return __nvvm_isspacep_shared(p); }
WW_DEVICE unsigned int __isConstant(const void* p) { return __nvvm_isspacep_const(p); }
WW_DEVICE unsigned int __isLocal(const void* p) { return __nvvm_isspacep_local(p); }

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
/// In the shared memory of a block of the cluster.
WW_DEVICE unsigned int __isClusterShared(const void* p) {
    unsigned int is;
    __asm__("{ .reg .pred ww_p; isspacep.shared::cluster ww_p, %1; selp.u32 %0, 1, 0, ww_p; }" : "=r"(is) : "l"(p));
    return is;
}
WW_DEVICE void __cluster_barrier_arrive() { __asm__ volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
WW_DEVICE void __cluster_barrier_arrive_relaxed() { __asm__ volatile("barrier.cluster.arrive.relaxed.aligned;"); }
WW_DEVICE void __cluster_barrier_wait() { __asm__ volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
#endif

WW_DEVICE size_t __cvta_generic_to_shared(const void* p) {
    return (size_t)(__attribute__((address_space(3))) const void*)p;
}
WW_DEVICE size_t __cvta_generic_to_global(const void* p) {
    return (size_t)(__attribute__((address_space(1))) const void*)p;
}
WW_DEVICE size_t __cvta_generic_to_local(const void* p) {
    return (size_t)(__attribute__((address_space(5))) const void*)p;
}
WW_DEVICE size_t __cvta_generic_to_constant(const void* p) {
    return (size_t)(__attribute__((address_space(4))) const void*)p;
}
WW_DEVICE void* __cvta_shared_to_generic(size_t p) {
    return (void*)(__attribute__((address_space(3))) void*)p;
}
WW_DEVICE void* __cvta_global_to_generic(size_t p) {
    return (void*)(__attribute__((address_space(1))) void*)p;
}
WW_DEVICE void* __cvta_local_to_generic(size_t p) {
    return (void*)(__attribute__((address_space(5))) void*)p;
}
