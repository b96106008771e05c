// The program of the laboratory work: multiplies two square matrices by all four kernels on the device and by three
// loops on the host, checks each result against the host's, and prints time, rate and speed-up. Only on a real GPU is that
// a speed-up: on the emulated one the device's events give predicted times, and the host's time is measured.
//   warpwright run host.cu -- 256
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace naive {
#include "01_naive.cu"
}
namespace row_buffer {
#include "02_row_buffer.cu"
}
namespace column_buffer {
#include "03_column_buffer.cu"
}
namespace blocks {
#include "04_blocks.cu"
}

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

void multiply_on_host(const std::vector<float>& a, const std::vector<float>& b, std::vector<float>& c, int n) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0.0f;
            for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

float largest_difference(const std::vector<float>& x, const std::vector<float>& y) {
    float most = 0.0f;
    for (size_t i = 0; i < x.size(); ++i) most = std::fmax(most, std::fabs(x[i] - y[i]));
    return most;
}

struct Way {
    const char* name;
    void (*kernel)(const float*, const float*, float*, int);
    dim3 grid, block;
    size_t shared;
};

int main(int argc, char** argv) {
    const int n = argc > 1 ? std::atoi(argv[1]) : 256;
    if (n < 1 || n > 12288) {
        std::fprintf(stderr, "N must be between 1 and 12288\n");
        return 2;
    }
    const size_t count = size_t(n) * n, bytes = count * sizeof(float);
    std::vector<float> a(count), b(count), c(count), expected(count);
    for (size_t i = 0; i < count; ++i) a[i] = float(i % 17) / 17.0f, b[i] = float(i % 13) / 13.0f - 0.5f;

    const std::clock_t start = std::clock();
    multiply_on_host(a, b, expected, n);
    const double host_ms = 1000.0 * double(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("N = %d\nhost           %10.3f ms\n", n, host_ms);

    float *device_a, *device_b, *device_c;
    check(cudaMalloc(&device_a, bytes), "cudaMalloc");
    check(cudaMalloc(&device_b, bytes), "cudaMalloc");
    check(cudaMalloc(&device_c, bytes), "cudaMalloc");
    check(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");

    const unsigned squares = unsigned(n + 15) / 16;
    const Way ways[] = {{"naive", naive::multiply_naive, {squares, squares}, {16, 16}, 0},
                        {"row_buffer", row_buffer::multiply_row_buffer, unsigned(n), 256, n * sizeof(float)},
                        {"column_buffer", column_buffer::multiply_column_buffer, unsigned(n), 256, n * sizeof(float)},
                        {"blocks", blocks::multiply_blocks, {squares, squares}, {16, 16}, 0}};
    bool all_agree = true;
    for (const Way& way : ways) {
        check(cudaMemset(device_c, 0xff, bytes), "cudaMemset");
        check(cudaEventRecord(begin), "cudaEventRecord");
        way.kernel<<<way.grid, way.block, way.shared>>>(device_a, device_b, device_c, n);
        check(cudaGetLastError(), way.name);
        check(cudaEventRecord(end), "cudaEventRecord");
        check(cudaEventSynchronize(end), way.name);
        float ms = 0.0f;
        check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
        check(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
        const float difference = largest_difference(c, expected);
        const bool agrees = difference <= 1e-6f * float(n);  // NaN does not agree
        all_agree = all_agree && agrees;
        std::printf("%-14s %10.3f ms %8.2f GFLOP/s  host / device %8.1f  difference %.2g  %s\n", way.name, ms,
                    2e-6 * n * n * n / ms, host_ms / ms, difference, agrees ? "agrees" : "DOES NOT AGREE");
    }
    check(cudaEventDestroy(begin), "cudaEventDestroy");
    check(cudaEventDestroy(end), "cudaEventDestroy");
    for (float* p : {device_a, device_b, device_c}) check(cudaFree(p), "cudaFree");
    return all_agree ? 0 : 1;
}
