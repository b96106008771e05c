// The problems as a person writes them first in C++: no intrinsics, g++ -O3 -march=native -fopenmp, as many threads as
// the others have cores.
#pragma once

#include <cstdint>

namespace warpwright::bench {

/// c = a * b, n x n: the triple loop i, j, k.
void plain_matmul(const float* a, const float* b, float* c, int n);
std::int32_t plain_sum(const std::int32_t* in, int n);
void plain_transpose(const float* in, float* out, int n);
void plain_mandelbrot(std::int32_t* steps, int width, int height, float left, float top, float pitch, int limit);
void plain_histogram(const std::uint32_t* in, std::uint32_t* bins, int n, int count);
/// Bodies and accelerations: {x, y, z, mass} and {x, y, z, 0}.
void plain_bodies(const float* bodies, float* accelerations, int n);
void plain_stencil(const float* in, float* out, int n);
void plain_sparse(const std::int32_t* starts, const std::int32_t* columns, const float* values, const float* x,
                  float* y, int rows);
void plain_bf16(const std::uint16_t* a, const std::uint16_t* b, float* c, int n);
void plain_softmax(const float* in, float* out, int rows, int columns);
void plain_attention(const float* q, const float* keys, const float* values, float* out, int n);
/// `count` transforms of 512 complex numbers.
void plain_transforms(const float* in, float* out, const float* turns, int count);
void plain_scan(const std::int32_t* in, std::int32_t* out, int n);
void plain_hash_insert(const std::uint32_t* keys, std::uint32_t* table, int count, int slots);
void plain_sort(std::uint32_t* data, int n);
void plain_eight_ways(const std::uint32_t* in, std::uint32_t* out, int n);
void plain_long(const std::uint32_t* in, std::uint32_t* out, int n);

}  // namespace warpwright::bench
