// The two ways: as long as each other, with the same result, and opaque, so that no compiler joins them or turns the branch
// into a choice between two values. Each is one line, so that its counts stand by themselves.
#pragma once

static __device__ __forceinline__ int first_way(int y) {
    for (int k = 0; k < 8; ++k) asm volatile("add.s32 %0, %0, 1;" : "+r"(y));
    return y;
}

static __device__ __forceinline__ int second_way(int y) {
    for (int k = 0; k < 4; ++k) asm volatile("add.s32 %0, %0, 3;\n\tsub.s32 %0, %0, 1;" : "+r"(y));
    return y;
}
