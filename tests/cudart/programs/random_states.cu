// The generators of curand_kernel.h give NVIDIA's numbers: seeds, subsequences, offsets, skips and distributions.
#include <cmath>
#include <cstring>
#include <curand_kernel.h>
#include "check.h"

constexpr int kCases = 5, kValues = 60;
struct Case {
    unsigned long long seed, subsequence, offset;
};
__constant__ Case cases[kCases] = {{0, 0, 0}, {1234, 0, 5}, {1234, 77777, 5}, {0x123456789abcdefull, 1, 5}, {0x123456789abcdefull, 77777, 12345678901ull}};
static const double recorded[kCases][kValues] = {
#include "random_states.inc"
};

template <class S> __device__ void each(S* s, const Case& c, double* out) {
    curand_init(c.seed, c.subsequence, c.offset, s);
    int k = 0;
    for (int i = 0; i < 3; ++i) out[k++] = curand(s);
    out[k++] = curand_uniform(s);
    out[k++] = curand_uniform_double(s);
    for (int i = 0; i < 3; ++i) out[k++] = curand_normal(s);
    for (int i = 0; i < 2; ++i) out[k++] = curand_normal_double(s);
    out[k++] = curand_log_normal(s, 0.5f, 0.25f);
    const float2 n = curand_normal2(s);
    out[k++] = n.x, out[k++] = n.y;
    skipahead(1000003ull, s);
    out[k++] = curand(s);
    skipahead_sequence(3ull, s);
    out[k++] = curand(s);
    out[k++] = sizeof(S);
}
template <class S> __global__ void of_type(double* out) {
    S s;
    if (threadIdx.x < kCases) each(&s, cases[threadIdx.x], out + threadIdx.x * kValues);
}
__global__ void in_fours(double* out) {
    if (threadIdx.x >= kCases) return;
    const Case c = cases[threadIdx.x];
    out += threadIdx.x * kValues;
    curandStatePhilox4_32_10_t s;
    curand_init(c.seed, c.subsequence, c.offset, &s);
    const uint4 q = curand4(&s);
    const float4 u = curand_uniform4(&s), n = curand_normal4(&s);
    const double2 d = curand_uniform2_double(&s);
    const double all[] = {(double)q.x, (double)q.y, (double)q.z, (double)q.w, u.x, u.w, n.x, n.y, n.z, n.w, d.x, d.y};
    memcpy(out, all, sizeof all);
}
/// Poisson's numbers are not NVIDIA's: their mean and variance are looked at.
__global__ void poisson(double* sums, double mean) {
    curandState s;
    curand_init(7, threadIdx.x, 0, &s);
    double sum = 0, squares = 0;
    for (int k = 0; k < 50; ++k) {
        const double x = curand_poisson(&s, mean);
        sum += x, squares += x * x;
    }
    atomicAdd(sums, sum);
    atomicAdd(sums + 1, squares);
}

int main() {
    double* device;
    OK(cudaMalloc(&device, sizeof recorded));
    OK(cudaMemset(device, 0, sizeof recorded));
    of_type<curandState><<<1, 32>>>(device);
    of_type<curandStatePhilox4_32_10_t><<<1, 32>>>(device + 16);
    of_type<curandStateMRG32k3a><<<1, 32>>>(device + 32);
    in_fours<<<1, 32>>>(device + 48);
    static double got[kCases][kValues];
    OK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    for (int c = 0; c < kCases; ++c)
        for (int k = 0; k < kValues; ++k)
            if (!(std::fabs(got[c][k] - recorded[c][k]) <= 1e-6 + 1e-5 * std::fabs(recorded[c][k]))) {
                std::printf("case %d, value %d: %.9g, recorded %.9g\n", c, k, got[c][k], recorded[c][k]);
                return 1;
            }
    for (const double mean : {0.5, 7.5, 300.0}) {
        OK(cudaMemset(device, 0, 16));
        poisson<<<1, 128>>>(device, mean);
        double sums[2];
        OK(cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost));
        const double n = 128 * 50, average = sums[0] / n, variance = sums[1] / n - average * average;
        CHECK(std::fabs(average - mean) < 5 * std::sqrt(mean / n));
        CHECK(std::fabs(variance / mean - 1) < 0.15);
    }
    std::puts("passed");
}
