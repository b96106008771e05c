// The twins of the broader list: the same algorithms where those make sense on a CPU (a scan is one running sum, a sort
// the library's), loops as a person writes them for OpenMP.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "../kernels/long_kernel.h"
#include "plain.hpp"

namespace warpwright::bench {

void plain_bodies(const float* bodies, float* accelerations, int n) {
    std::vector<float> x(n), y(n), z(n), mass(n);
    for (int i = 0; i < n; ++i)
        x[i] = bodies[4 * i], y[i] = bodies[4 * i + 1], z[i] = bodies[4 * i + 2], mass[i] = bodies[4 * i + 3];
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
        float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
        for (int k = 0; k < n; ++k) {
            const float dx = x[k] - x[i], dy = y[k] - y[i], dz = z[k] - z[i];
            const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
            const float pull = mass[k] * inverse * inverse * inverse;
            ax += dx * pull, ay += dy * pull, az += dz * pull;
        }
        accelerations[4 * i] = ax, accelerations[4 * i + 1] = ay, accelerations[4 * i + 2] = az;
        accelerations[4 * i + 3] = 0;
    }
}

void plain_stencil(const float* in, float* out, int n) {
#pragma omp parallel for
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            const int i = y * n + x;
            if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
                out[i] = in[i];
            else
                out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
        }
}

void plain_sparse(const std::int32_t* starts, const std::int32_t* columns, const float* values, const float* x,
                  float* y, int rows) {
#pragma omp parallel for
    for (int r = 0; r < rows; ++r) {
        float sum = 0;
        for (int k = starts[r]; k < starts[r + 1]; ++k) sum += values[k] * x[columns[k]];
        y[r] = sum;
    }
}

void plain_bf16(const std::uint16_t* a, const std::uint16_t* b, float* c, int n) {
    const auto widened = [](std::uint16_t x) { return __builtin_bit_cast(float, static_cast<std::uint32_t>(x) << 16); };
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int k = 0; k < n; ++k) sum += widened(a[i * n + k]) * widened(b[j * n + k]);
            c[i * n + j] = sum;
        }
}

void plain_softmax(const float* in, float* out, int rows, int columns) {
#pragma omp parallel for
    for (int r = 0; r < rows; ++r) {
        const float* from = in + static_cast<std::size_t>(r) * columns;
        float* to = out + static_cast<std::size_t>(r) * columns;
        float top = from[0], sum = 0;
        for (int k = 0; k < columns; ++k) top = std::max(top, from[k]);
        for (int k = 0; k < columns; ++k) sum += to[k] = std::exp(from[k] - top);
        for (int k = 0; k < columns; ++k) to[k] /= sum;
    }
}

void plain_attention(const float* q, const float* keys, const float* values, float* out, int n) {
    constexpr int kWidth = 32;
#pragma omp parallel for
    for (int row = 0; row < n; ++row) {
        float sums[kWidth] = {}, top = -1e30f, total = 0;
        for (int j = 0; j < n; ++j) {
            float score = 0;
#pragma omp simd reduction(+ : score)
            for (int d = 0; d < kWidth; ++d) score += q[row * kWidth + d] * keys[j * kWidth + d];
            const float higher = std::max(top, score), shrink = std::exp(top - higher),
                        weight = std::exp(score - higher);
            top = higher;
            total = total * shrink + weight;
            for (int d = 0; d < kWidth; ++d) sums[d] = sums[d] * shrink + weight * values[j * kWidth + d];
        }
        for (int d = 0; d < kWidth; ++d) out[row * kWidth + d] = sums[d] / total;
    }
}

void plain_transforms(const float* in, float* out, const float* turns, int count) {
#pragma omp parallel for
    for (int t = 0; t < count; ++t) {
        float data[2][1024];
        int now = 0;
        std::copy_n(in + t * 1024, 1024, data[0]);
        for (int half = 1; half < 512; half *= 2, now = 1 - now)
            for (int i = 0; i < 256; ++i) {
                const int k = i & (half - 1), to = (i - k) * 2 + k;
                const float *a = &data[now][2 * i], *b = a + 512, *w = &turns[2 * k * (256 / half)];
                const float re = b[0] * w[0] - b[1] * w[1], im = b[0] * w[1] + b[1] * w[0];
                float *low = &data[1 - now][2 * to], *high = low + 2 * half;
                low[0] = a[0] + re, low[1] = a[1] + im, high[0] = a[0] - re, high[1] = a[1] - im;
            }
        std::copy_n(data[now], 1024, out + t * 1024);
    }
}

void plain_scan(const std::int32_t* in, std::int32_t* out, int n) {
    std::int32_t sum = 0;
    for (int i = 0; i < n; ++i) out[i] = sum += in[i];
}

void plain_hash_insert(const std::uint32_t* keys, std::uint32_t* table, int count, int slots) {
#pragma omp parallel for
    for (int i = 0; i < count; ++i) {
        for (std::uint32_t at = (keys[i] * 2654435761u >> 7) & (slots - 1);; at = (at + 1) & (slots - 1)) {
            std::uint32_t found = 0;
            if (std::atomic_ref(table[at]).compare_exchange_strong(found, keys[i]) || found == keys[i]) break;
        }
    }
}

void plain_sort(std::uint32_t* data, int n) { std::sort(data, data + n); }

void plain_eight_ways(const std::uint32_t* in, std::uint32_t* out, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
        std::uint32_t x = in[i];
        const std::uint32_t way = x & 7;
        if (way == 0)
            for (int k = 0; k < 8; ++k) x = x * 5 + 1;
        else if (way == 1)
            for (int k = 0; k < 16; ++k) x ^= x >> 3 ^ k;
        else if (way == 2)
            for (int k = 0; k < 24; ++k) x += x << 2 ^ 7;
        else if (way == 3)
            for (int k = 0; k < 32; ++k) x = (x ^ 0x55) * 3;
        else if (way == 4)
            for (int k = 0; k < 40; ++k) x = (x >> 1) + k * 11;
        else if (way == 5)
            for (int k = 0; k < 48; ++k) x = x * 9 ^ k;
        else if (way == 6)
            for (int k = 0; k < 56; ++k) x = (x & 0xffff) * 7 + (x >> 16);
        else
            for (int k = 0; k < 64; ++k) x ^= x * 2 + 3;
        out[i] = x;
    }
}

void plain_long(const std::uint32_t* in, std::uint32_t* out, int n) {
#pragma omp parallel for simd
    for (int i = 0; i < n; ++i) {
        std::uint32_t x = in[i], y = i;
        LONG_KERNEL
        out[i] = x ^ y;
    }
}

}  // namespace warpwright::bench
