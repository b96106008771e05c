// Real calls: direct, recursive, through pointers, with structures; inline assembly; noreturn.
#include "tiny_cuda.h"

struct Pair {
    double a;
    int b;
};

__device__ __noinline__ int square(int x) { return x * x + 1; }
__device__ __noinline__ int cube(int x) { return x * x * x - 1; }
__device__ __noinline__ Pair swap(Pair p, float f) { return {p.b + (double)f, (int)p.a}; }
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int (*choices[2])(int) = {square, cube};

__device__ __noinline__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1) * 3; }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1) + 5; }

extern "C" __global__ void call_all(int* out, int which, double d) {
    Pair p = swap({d, which}, 2.5f);
    out[0] = choices[which](p.b);
    out[1] = fibonacci(which) + square(out[2]) + even(which);
    out[3] = (int)p.a;
}

extern "C" __global__ void assembly(unsigned* out, const unsigned* in) {
    unsigned v = in[threadIdx.x], r, lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("{\n\t.reg .pred p;\n\t.reg .b32 t<2>;\n\tsetp.gt.u32 p, %1, 7;\n\tmov.b32 t0, 3;\n\t@p add.u32 t0, t0, %1;\n\t"
                 "mov.b32 %0, t0;\n\t}"
                 : "=r"(r)
                 : "r"(v));
    asm volatile("{\n\t.reg .pred q;\nWAIT:\n\tsetp.eq.u32 q, %0, 0;\n\t@q bra DONE;\n\tbra WAIT;\nDONE:\n\t}" ::"r"(lane));
    asm volatile("{\n\t.reg .pred q;\nWAIT:\n\tsetp.eq.u32 q, %0, 1;\n\t@!q bra WAIT;\n\t}" ::"r"(lane));
    asm volatile("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(r), "r"(v), "r"(lane));
    asm volatile("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(r) : "r"(r), "r"(v));
    out[threadIdx.x] = r;
    if (r == 12345) asm volatile("trap;");
}
