// Latency and throughput of arithmetic, of conversions, of warp-wide operations and of barriers, on one multiprocessor
// by its own clock.
#include <cstdint>

#include "calibrate.hpp"

namespace {

constexpr int kUnroll = 32, kLoops = 32;

/// One operation: `step` makes the value of one chain from itself and values that the compiler does not know. A name of
/// two operations stands for both in a row.
#define OPERATION(NAME, TYPE, TEXT, CONSTRAINT)                                                                  \
    struct NAME {                                                                                                \
        using Type = TYPE;                                                                                       \
        static constexpr const char* name = #NAME;                                                               \
        static __device__ void step(Type& x, Type a, Type b, Type c, Type d) {                                   \
            asm volatile(TEXT : "+" CONSTRAINT(x) : CONSTRAINT(a), CONSTRAINT(b), CONSTRAINT(c), CONSTRAINT(d)); \
        }                                                                                                        \
    };

OPERATION(add_f32, float, "add.rn.f32 %0, %0, %1;", "f")
OPERATION(mul_f32, float, "mul.rn.f32 %0, %0, %1;", "f")
OPERATION(fma_f32, float, "fma.rn.f32 %0, %0, %1, %2;", "f")
OPERATION(max_f32, float, "{.reg .f32 t; max.f32 t, %0, %1; min.f32 %0, t, %2;}", "f")
OPERATION(add_f64, double, "add.rn.f64 %0, %0, %1;", "d")
OPERATION(mul_f64, double, "mul.rn.f64 %0, %0, %1;", "d")
OPERATION(fma_f64, double, "fma.rn.f64 %0, %0, %1, %2;", "d")
OPERATION(fma_f16x2, unsigned, "fma.rn.f16x2 %0, %0, %1, %2;", "r")
OPERATION(add_f16x2, unsigned, "add.rn.f16x2 %0, %0, %1;", "r")
OPERATION(fma_bf16x2, unsigned, "fma.rn.bf16x2 %0, %0, %1, %2;", "r")
// An addition and a logic operation, for additions alone would be merged into three-input ones.
OPERATION(add_xor_s32, unsigned, "{.reg .u32 t; add.u32 t, %0, %1; xor.b32 %0, t, %2;}", "r")
OPERATION(add_xor_s64, unsigned long long, "{.reg .u64 t; add.u64 t, %0, %1; xor.b64 %0, t, %2;}", "l")
OPERATION(lop3, unsigned, "{.reg .u32 t; lop3.b32 t, %0, %1, %2, 0xEA; lop3.b32 %0, t, %3, %4, 0xEA;}", "r")
OPERATION(mad_lo_s32, unsigned, "mad.lo.u32 %0, %0, %1, %2;", "r")
OPERATION(mul_hi_u32, unsigned, "mul.hi.u32 %0, %0, %1;", "r")
OPERATION(mul_lo_s64, unsigned long long, "mul.lo.u64 %0, %0, %1;", "l")
OPERATION(mad_wide_u32, unsigned long long,
          "{.reg .u32 t, u, v, w; mov.b64 {t, u}, %0; mov.b64 {v, w}, %1; mad.wide.u32 %0, t, v, %2;}", "l")
OPERATION(shl_b32, unsigned, "shl.b32 %0, %0, %1;", "r")
OPERATION(shf_wrap, unsigned, "shf.l.wrap.b32 %0, %0, %1, %2;", "r")
OPERATION(shl_b64, unsigned long long, "{.reg .u32 t, u; mov.b64 {t, u}, %1; shl.b64 %0, %0, t;}", "l")
OPERATION(prmt, unsigned, "prmt.b32 %0, %0, %1, %2;", "r")
OPERATION(min_max_s32, int, "{.reg .s32 t; min.s32 t, %0, %1; max.s32 %0, t, %2;}", "r")
OPERATION(setp_selp, int, "{.reg .pred p; setp.lt.s32 p, %0, %1; selp.s32 %0, %2, %3, p;}", "r")
OPERATION(dp4a, int, "dp4a.s32.s32 %0, %0, %1, %2;", "r")
OPERATION(popc, unsigned, "popc.b32 %0, %0;", "r")
OPERATION(bfind, unsigned, "bfind.u32 %0, %0;", "r")
OPERATION(brev, unsigned, "brev.b32 %0, %0;", "r")
OPERATION(i2f_f2i, int, "{.reg .f32 t; cvt.rn.f32.s32 t, %0; cvt.rzi.s32.f32 %0, t;}", "r")
OPERATION(f2d_d2f, float, "{.reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t;}", "f")
OPERATION(f2h_h2f, float, "{.reg .b16 t; cvt.rn.f16.f32 t, %0; cvt.f32.f16 %0, t;}", "f")
OPERATION(i2d_d2i, int, "{.reg .f64 t; cvt.rn.f64.s32 t, %0; cvt.rzi.s32.f64 %0, t;}", "r")
// With an addition: two reciprocals in a row, or two reads of the same lane, would be taken away.
OPERATION(rcp_add_f32, float, "{.reg .f32 t; rcp.approx.ftz.f32 t, %0; add.rn.f32 %0, t, %1;}", "f")
OPERATION(rsqrt_approx, float, "rsqrt.approx.ftz.f32 %0, %0;", "f")
OPERATION(sqrt_approx, float, "sqrt.approx.ftz.f32 %0, %0;", "f")
OPERATION(sin_approx, float, "sin.approx.ftz.f32 %0, %0;", "f")
OPERATION(ex2_approx, float, "ex2.approx.ftz.f32 %0, %0;", "f")
OPERATION(lg2_approx, float, "lg2.approx.ftz.f32 %0, %0;", "f")
OPERATION(tanh_approx, float, "tanh.approx.f32 %0, %0;", "f")
OPERATION(div_approx_f32, float, "div.approx.f32 %0, %1, %0;", "f")
OPERATION(div_full_f32, float, "div.full.f32 %0, %1, %0;", "f")
OPERATION(div_rn_f32, float, "div.rn.f32 %0, %1, %0;", "f")
OPERATION(sqrt_rn_f32, float, "sqrt.rn.f32 %0, %0;", "f")
OPERATION(rcp_rn_f32, float, "rcp.rn.f32 %0, %0;", "f")
OPERATION(div_rn_f64, double, "div.rn.f64 %0, %1, %0;", "d")
OPERATION(rcp_rn_f64, double, "rcp.rn.f64 %0, %0;", "d")
OPERATION(sqrt_rn_f64, double, "sqrt.rn.f64 %0, %0;", "d")
OPERATION(div_s32, int, "div.s32 %0, %1, %0;", "r")
OPERATION(div_u32, unsigned, "div.u32 %0, %1, %0;", "r")
OPERATION(rem_u32, unsigned, "{.reg .u32 t; rem.u32 t, %1, %0; or.b32 %0, t, %2;}", "r")
OPERATION(div_s64, long long, "div.s64 %0, %1, %0;", "l")
OPERATION(rem_u64, unsigned long long, "{.reg .u64 t; rem.u64 t, %1, %0; or.b64 %0, t, %2;}", "l")
OPERATION(shfl_bfly, unsigned, "shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;", "r")
OPERATION(shfl_idx_add, unsigned, "{.reg .u32 t; shfl.sync.idx.b32 t, %0, %1, 0x1f, 0xffffffff; add.u32 %0, t, %2;}",
          "r")
OPERATION(vote_ballot, unsigned, "{.reg .pred p; setp.lt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff;}", "r")
OPERATION(vote_any, unsigned,
          "{.reg .pred p, q; setp.lt.u32 p, %0, %1; vote.sync.any.pred q, p, 0xffffffff; selp.u32 %0, %2, %3, q;}", "r")
OPERATION(redux_add, unsigned, "redux.sync.add.u32 %0, %0, 0xffffffff;", "r")
OPERATION(match_any, unsigned, "match.any.sync.b32 %0, %0, 0xffffffff;", "r")
OPERATION(bar_warp, unsigned, "bar.warp.sync 0xffffffff; mov.u32 %0, %0;", "r")
OPERATION(membar_cta, unsigned, "membar.cta; mov.u32 %0, %0;", "r")
OPERATION(membar_gl, unsigned, "membar.gl; mov.u32 %0, %0;", "r")
OPERATION(nanosleep_0, unsigned, "nanosleep.u32 0; mov.u32 %0, %0;", "r")
OPERATION(nanosleep_1000, unsigned, "nanosleep.u32 1000; mov.u32 %0, %0;", "r")
OPERATION(clock_read, unsigned, "{.reg .u32 t; mov.u32 t, %%clock; xor.b32 %0, %0, t;}", "r")
template <class Op, int Chains>
__global__ void chains(long long* cycles, typename Op::Type* sink, typename Op::Type a, typename Op::Type b,
                       typename Op::Type c, typename Op::Type d, typename Op::Type first) {
    typename Op::Type x[Chains];
#pragma unroll
    for (int k = 0; k < Chains; ++k) x[k] = first + static_cast<typename Op::Type>(k * 2 + threadIdx.x % 32);
    __syncthreads();
    long long start = 0, stop = 0;
    for (int pass = 0; pass < 2; ++pass) {  // the first fills the instruction cache
        __syncthreads();
        start = clock64();
#pragma unroll 1
        for (int i = 0; i < kLoops; ++i) {
#pragma unroll
            for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
                for (int k = 0; k < Chains; ++k) Op::step(x[k], a, b, c, d);
            }
        }
        stop = clock64();
    }
    typename Op::Type sum = x[0];
#pragma unroll
    for (int k = 1; k < Chains; ++k) sum += x[k];
    sink[threadIdx.x] = sum;
    cycles[2 * threadIdx.x] = start;
    cycles[2 * threadIdx.x + 1] = stop;
}

long long* cycles_buffer = nullptr;
void* sink_buffer = nullptr;

double span(int threads) {
    static long long host[2048];
    CUDA_CHECK(cudaMemcpy(host, cycles_buffer, sizeof(long long) * 2 * threads, cudaMemcpyDeviceToHost));
    long long first = host[0], last = host[1];
    for (int t = 0; t < threads; ++t) {
        first = std::min(first, host[2 * t]);
        last = std::max(last, host[2 * t + 1]);
    }
    return static_cast<double>(last - first);
}

template <class Op, int Chains>
double cycles_per_step(int warps) {
    using T = typename Op::Type;
    std::vector<double> samples;
    for (int s = 0; s < 3; ++s) {
        chains<Op, Chains>
            <<<1, warps * 32>>>(cycles_buffer, static_cast<T*>(sink_buffer), T(3), T(5), T(7), T(11), T(1));
        CUDA_CHECK(cudaDeviceSynchronize());
        samples.push_back(span(warps * 32) / (double(kUnroll) * kLoops));
    }
    return median(samples);
}

template <class Op>
void measure(Rows& rows) {
    rows.begin("operation").field("name", Op::name).field("latency_cycles", cycles_per_step<Op, 1>(1));
    for (const int warps : {4, 8, 16, 32}) {
        const std::string n = std::to_string(warps);
        rows.field(("per_cycle_sm_warps" + n).c_str(), 32.0 * warps / cycles_per_step<Op, 1>(warps));
        rows.field(("per_cycle_sm_warps" + n + "_ilp4").c_str(), 4 * 32.0 * warps / cycles_per_step<Op, 4>(warps));
    }
    rows.end();
}

__global__ void barriers(long long* cycles) {
    long long start = 0, stop = 0;
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        start = clock64();
#pragma unroll 1
        for (int i = 0; i < 64; ++i) {
#pragma unroll
            for (int u = 0; u < 8; ++u) __syncthreads();
        }
        stop = clock64();
    }
    cycles[2 * threadIdx.x] = start;
    cycles[2 * threadIdx.x + 1] = stop;
}

/// A loop whose body has `Count` fused multiply-adds of four chains: what fetching its instructions costs.
template <int Count>
__global__ void long_body(long long* cycles, float* sink, float a, float b) {
    float x[4] = {a, b, a + b, a - b};
    long long start = 0, stop = 0;
    for (int pass = 0; pass < 3; ++pass) {
        __syncthreads();
        start = clock64();
#pragma unroll
        for (int i = 0; i < Count; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i % 4]) : "f"(a), "f"(b));
        stop = clock64();
    }
    sink[threadIdx.x] = x[0] + x[1] + x[2] + x[3];
    cycles[2 * threadIdx.x] = start;
    cycles[2 * threadIdx.x + 1] = stop;
}

template <int Count>
void measure_fetch(Rows& rows) {
    for (const int warps : {1, 4, 16}) {
        long_body<Count><<<1, warps * 32>>>(cycles_buffer, static_cast<float*>(sink_buffer), 1.5f, 0.25f);
        CUDA_CHECK(cudaDeviceSynchronize());
        rows.begin("instruction_fetch").field("instructions", Count).field("warps", warps);
        rows.field("cycles_per_instruction_warp", span(warps * 32) / Count).end();
    }
}

template <class... Ops>
void measure_all(Rows& rows) {
    (measure<Ops>(rows), ...);
}

}  // namespace

void measure_operations(Rows& rows) {
    CUDA_CHECK(cudaMalloc(&cycles_buffer, sizeof(long long) * 4096));
    CUDA_CHECK(cudaMalloc(&sink_buffer, 65536));
    measure_all<add_f32, mul_f32, fma_f32, max_f32, add_f64, mul_f64, fma_f64, fma_f16x2, add_f16x2, fma_bf16x2>(rows);
    measure_all<add_xor_s32, add_xor_s64, lop3, mad_lo_s32, mul_hi_u32, mul_lo_s64, mad_wide_u32, shl_b32, shf_wrap,
                shl_b64, prmt, min_max_s32, setp_selp, dp4a, popc, bfind, brev>(rows);
    measure_all<i2f_f2i, f2d_d2f, f2h_h2f, i2d_d2i, rcp_add_f32, rsqrt_approx, sqrt_approx, sin_approx, ex2_approx,
                lg2_approx, tanh_approx>(rows);
    measure_all<div_approx_f32, div_full_f32, div_rn_f32, sqrt_rn_f32, rcp_rn_f32, div_rn_f64, rcp_rn_f64, sqrt_rn_f64,
                div_s32, div_u32, rem_u32, div_s64, rem_u64>(rows);
    measure_all<shfl_bfly, shfl_idx_add, vote_ballot, vote_any, redux_add, match_any, bar_warp, membar_cta, membar_gl,
                nanosleep_0, nanosleep_1000, clock_read>(rows);
    for (const int warps : {1, 2, 4, 8, 16, 24, 32}) {
        barriers<<<1, warps * 32>>>(cycles_buffer);
        CUDA_CHECK(cudaDeviceSynchronize());
        rows.begin("barrier").field("warps", warps).field("cycles", span(warps * 32) / 512).end();
    }
    measure_fetch<256>(rows);
    measure_fetch<1024>(rows);
    measure_fetch<2048>(rows);
    measure_fetch<4096>(rows);
    measure_fetch<8192>(rows);
    measure_fetch<12288>(rows);
}
