// PTX: wmma.load.a.sync.aligned.row.m16n16k16  wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32  wmma.store.d.sync.aligned.row.m16n16k16
// PTX: m16n16k16.s32.s8.s8.s32  m16n16k16.f32.bf16.bf16.f32  m16n16k8.f32.tf32.tf32.f32  m8n8k4.f64.f64.f64.f64  cvt.rna.tf32.f32
// PTX: m32n8k16.f32.f16|m32n8k16.f16.f16  m8n32k16.s32.u8.u8.s32
#include <mma.h>
using namespace nvcuda;
template <class T, class C, int M, int N, int K, class In> __device__ void multiply(const In* a, const In* b, C* c) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::fill_fragment(fc, C(1));
    wmma::load_matrix_sync(fa, a, K);
    wmma::load_matrix_sync(fb, b, K);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = fc.x[i] + fc.x[i];
    wmma::store_matrix_sync(c, fc, N, wmma::mem_row_major);
}
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    __shared__ alignas(32) half h[2][512];
    __shared__ alignas(32) __nv_bfloat16 bf[2][256];
    __shared__ alignas(32) float f[2][128], c[256];
    __shared__ alignas(32) signed char s[2][256];
    __shared__ alignas(32) unsigned char u[2][512];
    __shared__ alignas(32) double d[2][32], dc[64];
    __shared__ alignas(32) int ic[256];
    __shared__ alignas(32) half hc[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    unsigned r = 0;
    for (int k = t; k < 512; k += blockDim.x) {
        unsigned v = in[(blockIdx.x * 64 + k) % n];
        h[0][k] = __float2half((int)(v & 15) - 8.0f);
        h[1][k] = __float2half((int)(v >> 4 & 15) - 8.0f);
        u[0][k] = v & 255;
        u[1][k] = v >> 8 & 255;
        if (k < 256) bf[0][k] = __float2bfloat16((v >> 3 & 7) * 1.0f), bf[1][k] = __float2bfloat16((v >> 6 & 7) * 1.0f), s[0][k] = (signed char)v, s[1][k] = (signed char)(v >> 8);
        if (k < 128) f[0][k] = wmma::__float_to_tf32((v & 31) * 0.5f), f[1][k] = wmma::__float_to_tf32((v >> 5 & 31) * 0.25f);
        if (k < 32) d[0][k] = (v & 1023) * 0.5, d[1][k] = (v >> 10 & 1023) * 0.25;
    }
    __syncthreads();
    if (t < 32) {
#define RUN(call, result) call; __syncwarp(); r = r * 31 + (unsigned)(int)(float)result[t]; __syncwarp();
        RUN((multiply<half, float, 16, 16, 16>(h[0], h[1], c)), c)
        RUN((multiply<half, half, 32, 8, 16>(h[0], h[1], hc)), hc)
        RUN((multiply<__nv_bfloat16, float, 16, 16, 16>(bf[0], bf[1], c)), c)
        RUN((multiply<signed char, int, 16, 16, 16>(s[0], s[1], ic)), ic)
        RUN((multiply<unsigned char, int, 8, 32, 16>(u[0], u[1], ic)), ic)
        RUN((multiply<wmma::precision::tf32, float, 16, 16, 8>(f[0], f[1], c)), c)
        RUN((multiply<double, double, 8, 8, 4>(d[0], d[1], dc)), dc)
    }
    if (i < n) out[i] = r;
}
