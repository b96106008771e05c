// Latency and throughput of the warp-wide matrix instructions, and of the loads that feed them.
#include <cstdint>

#include "calibrate.hpp"

namespace {

constexpr int kSteps = 256;

struct F16 {
    static constexpr const char* name = "m16n8k16.f32.f16";
    static __device__ void step(float (&d)[4], unsigned a, unsigned b) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, "
            "{%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a), "r"(b));
    }
};
struct Bf16 {
    static constexpr const char* name = "m16n8k16.f32.bf16";
    static __device__ void step(float (&d)[4], unsigned a, unsigned b) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, "
            "{%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a), "r"(b));
    }
};
struct Tf32 {
    static constexpr const char* name = "m16n8k8.f32.tf32";
    static __device__ void step(float (&d)[4], unsigned a, unsigned b) {
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, "
            "{%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a), "r"(b));
    }
};
struct S8 {
    static constexpr const char* name = "m16n8k32.s32.s8";
    static __device__ void step(float (&d)[4], unsigned a, unsigned b) {
        auto* i = reinterpret_cast<int*>(d);
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, "
            "{%0, %1, %2, %3};"
            : "+r"(i[0]), "+r"(i[1]), "+r"(i[2]), "+r"(i[3])
            : "r"(a), "r"(b));
    }
};

template <class Op, int Chains>
__global__ void chains(long long* cycles, float* sink, unsigned a, unsigned b) {
    float d[Chains][4] = {};
    __syncthreads();
    const long long start = clock64();
#pragma unroll 8
    for (int i = 0; i < kSteps; ++i) {
#pragma unroll
        for (int k = 0; k < Chains; ++k) Op::step(d[k], a, b);
    }
    const long long stop = clock64();
    float sum = 0;
    for (int k = 0; k < Chains; ++k) sum += d[k][0] + d[k][1] + d[k][2] + d[k][3];
    sink[threadIdx.x] = sum;
    cycles[2 * threadIdx.x] = start;
    cycles[2 * threadIdx.x + 1] = stop;
}

__global__ void f64_chain(long long* cycles, float* sink, double a, double b) {
    double d0 = 0, d1 = 0;
    __syncthreads();
    const long long start = clock64();
#pragma unroll 8
    for (int i = 0; i < kSteps; ++i) {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(d0), "+d"(d1)
                     : "d"(a), "d"(b));
    }
    const long long stop = clock64();
    sink[threadIdx.x] = static_cast<float>(d0 + d1);
    cycles[2 * threadIdx.x] = start;
    cycles[2 * threadIdx.x + 1] = stop;
}

__global__ void matrix_load(long long* cycles, float* sink, int chained) {
    __shared__ __align__(128) unsigned rows[2048];
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(rows));
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) rows[i] = 0;
    __syncthreads();
    unsigned x = 0, sum = 0;
    const unsigned address = base + (threadIdx.x % 32) * 16;
    const long long start = clock64();
#pragma unroll 8
    for (int i = 0; i < kSteps; ++i) {
        unsigned r[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(address + (chained ? x : 0)));
        x = r[0];
        sum ^= r[1] ^ r[2] ^ r[3];
    }
    const long long stop = clock64();
    sink[threadIdx.x] = static_cast<float>(sum ^ x);
    cycles[2 * threadIdx.x] = start;
    cycles[2 * threadIdx.x + 1] = stop;
}

long long* cycles_buffer = nullptr;
float* sink_buffer = nullptr;

double span(int threads) {
    static long long host[2048];
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(host, cycles_buffer, sizeof(long long) * 2 * threads, cudaMemcpyDeviceToHost));
    long long first = host[0], last = host[1];
    for (int t = 0; t < threads; ++t) {
        first = std::min(first, host[2 * t]);
        last = std::max(last, host[2 * t + 1]);
    }
    return static_cast<double>(last - first);
}

template <class Op>
void measure(Rows& rows) {
    chains<Op, 1><<<1, 32>>>(cycles_buffer, sink_buffer, 0, 0);
    chains<Op, 1><<<1, 32>>>(cycles_buffer, sink_buffer, 0, 0);
    rows.begin("matrix").field("name", Op::name).field("latency_cycles", span(32) / kSteps);
    for (const int warps : {4, 8, 16}) {
        chains<Op, 4><<<1, warps * 32>>>(cycles_buffer, sink_buffer, 0, 0);
        rows.field(("cycles_per_instruction_sm_warps" + std::to_string(warps)).c_str(),
                   span(warps * 32) / kSteps / (4 * warps));
    }
    rows.end();
}

}  // namespace

void measure_tensor(Rows& rows) {
    CUDA_CHECK(cudaMalloc(&cycles_buffer, sizeof(long long) * 4096));
    CUDA_CHECK(cudaMalloc(&sink_buffer, 65536));
    measure<F16>(rows);
    measure<Bf16>(rows);
    measure<Tf32>(rows);
    measure<S8>(rows);
    for (const int warps : {1, 4, 16}) {
        f64_chain<<<1, warps * 32>>>(cycles_buffer, sink_buffer, 0, 0);
        rows.begin("matrix").field("name", "m8n8k4.f64").field("warps", warps);
        rows.field("cycles_per_step", span(warps * 32) / kSteps).end();
    }
    for (const int warps : {1, 4, 16, 32}) {
        matrix_load<<<1, warps * 32>>>(cycles_buffer, sink_buffer, warps == 1);
        rows.begin("ldmatrix_x4").field("warps", warps).field("chained", warps == 1);
        rows.field("cycles_per_step", span(warps * 32) / kSteps).end();
    }
}
