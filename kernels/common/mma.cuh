// mma.sync, ldmatrix and cp.async, for the rungs that feed the tensor cores from registers.
//
// One warp's product is 16 x 8 with 32 bytes of K: 16 elements of 16 bits, 8 of tf32, 32 of 8 bits. In bytes the
// fragments of all types are alike, so the rungs move bytes and only the multiplication looks at the type.
#pragma once

#include "tensor_types.cuh"

static __device__ __forceinline__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// 16 bytes from global to shared memory, behind the program's back; zeros unless `valid`.
static __device__ __forceinline__ void copy16(unsigned to, const void* from, bool valid) {
    int bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Until at most `Left` of the groups committed last are under way.
template <int Left> static __device__ __forceinline__ void copy_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
}

/// Four 8 x 8 matrices of 16-bit elements (or 8 rows of 16 bytes of anything); lanes 8i .. 8i+7 name the rows of
/// matrix i. Lane l gets bytes 4 (l % 4) ... of row l / 4 of each.
static __device__ __forceinline__ void load_matrices(unsigned (&r)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}
/// The same, each matrix transposed on its way.
static __device__ __forceinline__ void load_matrices_transposed(unsigned (&r)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}

/// f32 to tf32, to nearest: the tensor core itself would cut the last 13 bits off.
template <class T> static __device__ __forceinline__ void round_fragment(T, unsigned (&)[4]) {}
static __device__ __forceinline__ void round_fragment(f32, unsigned (&r)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r[i]) : "f"(__uint_as_float(r[i])));
}

#define MMA_FLOAT(TYPE, FORM)                                                                                          \
    static __device__ __forceinline__ void multiply(TYPE, float (&d)[4], const unsigned (&a)[4], unsigned b0,          \
                                                    unsigned b1) {                                                     \
        asm volatile("mma.sync.aligned." FORM " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"       \
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                  \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                                  \
    }
MMA_FLOAT(bf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_FLOAT(f16, "m16n8k16.row.col.f32.f16.f16.f32")
MMA_FLOAT(f32, "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA_FLOAT(e4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
MMA_FLOAT(e5m2, "m16n8k32.row.col.f32.e5m2.e5m2.f32")
#undef MMA_FLOAT
static __device__ __forceinline__ void multiply(i8, i32 (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
