#include "plain.hpp"

#include <cmath>

namespace warpwright::bench {

void plain_matmul(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            float sum = 0.0f;
            for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    }
}

std::int32_t plain_sum(const std::int32_t* in, int n) {
    std::int32_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += in[i];
    return sum;
}

void plain_transpose(const float* in, float* out, int n) {
#pragma omp parallel for
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) out[x * n + y] = in[y * n + x];
}

void plain_mandelbrot(std::int32_t* steps, int width, int height, float left, float top, float pitch, int limit) {
#pragma omp parallel for schedule(dynamic, 8)
    for (int py = 0; py < height; ++py) {
        for (int px = 0; px < width; ++px) {
            const float cx = std::fma(static_cast<float>(px), pitch, left);
            const float cy = std::fma(static_cast<float>(py), pitch, top);
            float x = 0.0f, y = 0.0f;
            int i = 0;
            while (i < limit && std::fma(x, x, y * y) <= 4.0f) {
                const float next = std::fma(x, x, std::fma(-y, y, cx));
                y = std::fma(2.0f * x, y, cy);
                x = next;
                ++i;
            }
            steps[py * width + px] = i;
        }
    }
}

void plain_histogram(const std::uint32_t* in, std::uint32_t* bins, int n, int count) {
#pragma omp parallel for reduction(+ : bins[ : count])
    for (int i = 0; i < n; ++i) ++bins[in[i]];
}

}  // namespace warpwright::bench
