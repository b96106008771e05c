// nvcuda::wmma: warp matrix fragments, their loads and stores, and mma_sync, for the shapes of f16, bf16, tf32, f64, s8 and
// u8. Each operation is one wmma instruction.
#pragma once
#define __CUDA_MMA_H__
#include "warpwright/hide_names.h"

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {
    static constexpr int ww_column = 0;
};
struct col_major {
    static constexpr int ww_column = 1;
};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

WW_DEVICE float __float_to_tf32(float v) {
    unsigned int r;
    __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
    return __uint_as_float(r);
}

/// The elements a lane holds. How they map to the matrix is the machine's business; the same index of two fragments of one
/// type is the same element.
template <class T, int Count> struct ww_elements {
    typedef T element_type;
    typedef T storage_element_type;
    static constexpr int num_elements = Count;
    T x[Count];
};
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment;

template <class Use, int M, int N, int K, class T, class Layout, class V>
WW_DEVICE void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const V& v) {
    typedef typename fragment<Use, M, N, K, T, Layout>::storage_element_type E;
    _Pragma("unroll") for (int i = 0; i < f.num_elements; ++i) f.x[i] = static_cast<E>(v);
}

/// The registers of a fragment, for the builtins.
template <class R, int Count> struct ww_registers {
    R r[Count];
};

#define WW_WMMA_INPUT(use, M, N, K, T, storage, count, R, load)                                                   \
    template <class Layout> struct fragment<use, M, N, K, T, Layout> : ww_elements<storage, count> {};            \
    template <class Layout>                                                                                       \
    WW_DEVICE void load_matrix_sync(fragment<use, M, N, K, T, Layout>& f, const storage* p, unsigned int ldm) {   \
        ww_registers<R, sizeof(f.x) / sizeof(R)> r;                                                               \
        load(r.r, reinterpret_cast<const R*>(p), ldm, Layout::ww_column);                                         \
        __builtin_memcpy(f.x, &r, sizeof f.x);                                                                    \
    }
#define WW_WMMA_OUTPUT(M, N, K, T, count, R, load, store)                                                         \
    template <> struct fragment<accumulator, M, N, K, T, void> : ww_elements<T, count> {};                        \
    WW_DEVICE void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* p, unsigned int ldm, layout_t layout) { \
        ww_registers<R, sizeof(f.x) / sizeof(R)> r;                                                               \
        if (layout == mem_row_major)                                                                              \
            load(r.r, reinterpret_cast<const R*>(p), ldm, 0);                                                     \
        else                                                                                                      \
            load(r.r, reinterpret_cast<const R*>(p), ldm, 1);                                                     \
        __builtin_memcpy(f.x, &r, sizeof f.x);                                                                    \
    }                                                                                                             \
    WW_DEVICE void store_matrix_sync(T* p, const fragment<accumulator, M, N, K, T>& f, unsigned int ldm, layout_t layout) { \
        ww_registers<R, sizeof(f.x) / sizeof(R)> r;                                                               \
        __builtin_memcpy(&r, f.x, sizeof f.x);                                                                    \
        if (layout == mem_row_major)                                                                              \
            store(reinterpret_cast<R*>(p), r.r, ldm, 0);                                                          \
        else                                                                                                      \
            store(reinterpret_cast<R*>(p), r.r, ldm, 1);                                                          \
    }
#define WW_WMMA(M, N, K, T, TD, TC, RI, RD, RC, mma, saturating)                                                   \
    template <class LA, class LB>                                                                                 \
    WW_DEVICE void mma_sync(fragment<accumulator, M, N, K, TD>& d, const fragment<matrix_a, M, N, K, T, LA>& a,   \
                            const fragment<matrix_b, M, N, K, T, LB>& b,                                          \
                            const fragment<accumulator, M, N, K, TC>& c, bool saturate = false) {                 \
        ww_registers<RI, sizeof(a.x) / sizeof(RI)> ra;                                                            \
        ww_registers<RI, sizeof(b.x) / sizeof(RI)> rb;                                                            \
        ww_registers<RC, sizeof(c.x) / sizeof(RC)> rc;                                                            \
        ww_registers<RD, sizeof(d.x) / sizeof(RD)> rd;                                                            \
        __builtin_memcpy(&ra, a.x, sizeof a.x);                                                                   \
        __builtin_memcpy(&rb, b.x, sizeof b.x);                                                                   \
        __builtin_memcpy(&rc, c.x, sizeof c.x);                                                                   \
        if (saturating && saturate)                                                                               \
            mma(rd.r, ra.r, rb.r, rc.r, 2 * LA::ww_column + LB::ww_column, saturating);                           \
        else                                                                                                      \
            mma(rd.r, ra.r, rb.r, rc.r, 2 * LA::ww_column + LB::ww_column, 0);                                    \
        __builtin_memcpy(d.x, &rd, sizeof d.x);                                                                   \
    }

// Half precision, accumulating in half or single.
#define WW_WMMA_HALF(M, N, K, shape)                                                                              \
    WW_WMMA_INPUT(matrix_a, M, N, K, __half, __half, 16, int, __hmma_##shape##_ld_a)                              \
    WW_WMMA_INPUT(matrix_b, M, N, K, __half, __half, 16, int, __hmma_##shape##_ld_b)                              \
    WW_WMMA_OUTPUT(M, N, K, __half, 8, int, __hmma_##shape##_ld_c_f16, __hmma_##shape##_st_c_f16)                 \
    WW_WMMA_OUTPUT(M, N, K, float, 8, float, __hmma_##shape##_ld_c_f32, __hmma_##shape##_st_c_f32)                \
    WW_WMMA(M, N, K, __half, __half, __half, int, int, int, __hmma_##shape##_mma_f16f16, 0)                       \
    WW_WMMA(M, N, K, __half, __half, float, int, int, float, __hmma_##shape##_mma_f16f32, 0)                      \
    WW_WMMA(M, N, K, __half, float, __half, int, float, int, __hmma_##shape##_mma_f32f16, 0)                      \
    WW_WMMA(M, N, K, __half, float, float, int, float, float, __hmma_##shape##_mma_f32f32, 0)
WW_WMMA_HALF(16, 16, 16, m16n16k16)
WW_WMMA_HALF(32, 8, 16, m32n8k16)
WW_WMMA_HALF(8, 32, 16, m8n32k16)

#if WW_ARCH >= 720
// Bytes, accumulating in int.
#define WW_WMMA_BYTE(M, N, K, shape, na, nb)                                                                      \
    WW_WMMA_INPUT(matrix_a, M, N, K, signed char, signed char, na, int, __imma_##shape##_ld_a_s8)                 \
    WW_WMMA_INPUT(matrix_b, M, N, K, signed char, signed char, nb, int, __imma_##shape##_ld_b_s8)                 \
    WW_WMMA_INPUT(matrix_a, M, N, K, unsigned char, unsigned char, na, int, __imma_##shape##_ld_a_u8)             \
    WW_WMMA_INPUT(matrix_b, M, N, K, unsigned char, unsigned char, nb, int, __imma_##shape##_ld_b_u8)             \
    WW_WMMA_OUTPUT(M, N, K, int, 8, int, __imma_##shape##_ld_c, __imma_##shape##_st_c_i32)                        \
    WW_WMMA(M, N, K, signed char, int, int, int, int, int, __imma_##shape##_mma_s8, 1)                            \
    WW_WMMA(M, N, K, unsigned char, int, int, int, int, int, __imma_##shape##_mma_u8, 1)
WW_WMMA_BYTE(16, 16, 16, m16n16k16, 8, 8)
WW_WMMA_BYTE(32, 8, 16, m32n8k16, 16, 4)
WW_WMMA_BYTE(8, 32, 16, m8n32k16, 4, 16)
#endif

#if WW_ARCH >= 800
#define WW_WMMA_BFLOAT(M, N, K, shape, na, nb)                                                                    \
    WW_WMMA_INPUT(matrix_a, M, N, K, __nv_bfloat16, __nv_bfloat16, na, int, __mma_bf16_##shape##_ld_a)            \
    WW_WMMA_INPUT(matrix_b, M, N, K, __nv_bfloat16, __nv_bfloat16, nb, int, __mma_bf16_##shape##_ld_b)            \
    WW_WMMA(M, N, K, __nv_bfloat16, float, float, int, float, float, __mma_bf16_##shape##_mma_f32, 0)
WW_WMMA_BFLOAT(16, 16, 16, m16n16k16, 8, 8)
WW_WMMA_BFLOAT(32, 8, 16, m32n8k16, 16, 4)
WW_WMMA_BFLOAT(8, 32, 16, m8n32k16, 4, 16)

WW_WMMA_INPUT(matrix_a, 16, 16, 8, precision::tf32, float, 4, int, __mma_tf32_m16n16k8_ld_a)
WW_WMMA_INPUT(matrix_b, 16, 16, 8, precision::tf32, float, 4, int, __mma_tf32_m16n16k8_ld_b)
WW_WMMA_OUTPUT(16, 16, 8, float, 8, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
WW_WMMA(16, 16, 8, precision::tf32, float, float, int, float, float, __mma_tf32_m16n16k8_mma_f32, 0)

WW_WMMA_INPUT(matrix_a, 8, 8, 4, double, double, 1, double, __dmma_m8n8k4_ld_a)
WW_WMMA_INPUT(matrix_b, 8, 8, 4, double, double, 1, double, __dmma_m8n8k4_ld_b)
WW_WMMA_OUTPUT(8, 8, 4, double, 2, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
WW_WMMA(8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64, 0)
#endif

#undef WW_WMMA_INPUT
#undef WW_WMMA_OUTPUT
#undef WW_WMMA
#undef WW_WMMA_HALF
#undef WW_WMMA_BYTE
#undef WW_WMMA_BFLOAT

}  // namespace wmma
}  // namespace nvcuda
#include "warpwright/restore_names.h"
