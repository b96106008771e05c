// Asynchronous copies from global to shared memory: one cp.async instruction each from sm_80 on, plain copies before.
#pragma once
#define _CUDA_PIPELINE_PRIMITIVES_H_
#include "warpwright/hide_names.h"

WW_DEVICE void __pipeline_memcpy_async(void* to_shared, const void* from_global, size_t size, size_t zeros = 0) {
#if WW_ARCH >= 800
    unsigned int to = (unsigned int)__cvta_generic_to_shared(to_shared);
    size_t from = __cvta_generic_to_global(from_global);
    unsigned int bytes = (unsigned int)(size - zeros);
    if (size == 16) {
        if (zeros == 0)
            __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
        else
            __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    } else if (size == 8) {
        if (zeros == 0)
            __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
        else
            __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    } else {
        if (zeros == 0)
            __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
        else
            __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    }
#else
    for (size_t i = 0; i < size; ++i)
        ((char*)to_shared)[i] = i < size - zeros ? ((const char*)from_global)[i] : (char)0;
#endif
}
WW_DEVICE void __pipeline_commit() {
#if WW_ARCH >= 800
    __asm__ volatile("cp.async.commit_group;" ::: "memory");
#endif
}
#if WW_ARCH >= 800
// The number is part of the instruction; deeper pipelines than eight wait for eight, which is earlier than asked, never later.
WW_DEVICE void __pipeline_wait_prior(unsigned int prior) {
    switch (prior < 8 ? prior : 8) {
        case 0: __asm__ volatile("cp.async.wait_group 0;" ::: "memory"); break;
        case 1: __asm__ volatile("cp.async.wait_group 1;" ::: "memory"); break;
        case 2: __asm__ volatile("cp.async.wait_group 2;" ::: "memory"); break;
        case 3: __asm__ volatile("cp.async.wait_group 3;" ::: "memory"); break;
        case 4: __asm__ volatile("cp.async.wait_group 4;" ::: "memory"); break;
        case 5: __asm__ volatile("cp.async.wait_group 5;" ::: "memory"); break;
        case 6: __asm__ volatile("cp.async.wait_group 6;" ::: "memory"); break;
        case 7: __asm__ volatile("cp.async.wait_group 7;" ::: "memory"); break;
        default: __asm__ volatile("cp.async.wait_group 8;" ::: "memory"); break;
    }
}
#else
WW_DEVICE void __pipeline_wait_prior(unsigned int) {}
#endif
#include "warpwright/restore_names.h"
