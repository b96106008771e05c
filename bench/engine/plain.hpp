// The problems as a person writes them first in C++: one thread, no intrinsics, g++ -O3 -march=native.
#pragma once

#include <cstdint>

namespace warpwright::bench {

/// c = a * b, n x n: the triple loop i, j, k.
void plain_matmul(const float* a, const float* b, float* c, int n);
std::int32_t plain_sum(const std::int32_t* in, int n);
void plain_transpose(const float* in, float* out, int n);
void plain_mandelbrot(std::int32_t* steps, int width, int height, float left, float top, float pitch, int limit);
void plain_histogram(const std::uint32_t* in, std::uint32_t* bins, int n);

}  // namespace warpwright::bench
