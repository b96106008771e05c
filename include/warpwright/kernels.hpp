// The finished kernels of the ladders as functions that a program calls: matrix product, reduction, transposition.
//
//     auto gpu = warpwright::Device::open({.device = "cuda:0"});              // or "emulated", "auto"
//     warpwright::Gemm product{.m = 4096, .n = 4096, .k = 4096};              // float32, row by row
//     auto done = warpwright::gemm(*gpu, product, a, b, c);                   // Result<Launch>
//
// The kernel is the first of the ladder's `best` rungs (kernels/*/ladder.toml) that serves the problem and the device;
// `Launch::kernel` says which. It is compiled at the first call with a problem of its kind and kept. A Buffer may stand
// for memory that the program has from elsewhere: on a real GPU the device shares the CUDA runtime's context, so what
// cudaMalloc gave is valid here, and calls run after what the program has put into the default stream.
// Each call returns when the result is there. Errors as everywhere: ErrorKind::usage for a problem that makes no sense
// or a buffer that is too small, ErrorKind::limit where no kernel serves.
#pragma once

#include "warpwright/warpwright.hpp"

namespace warpwright {

/// Types of elements. f16: IEEE half; bf16: upper half of a float; e4m3, e5m2: 8-bit floating point (OCP).
enum class Type : std::uint8_t { i8, i32, i64, f16, bf16, f32, f64, e4m3, e5m2 };

/// Bytes of one element.
std::uint64_t size_of(Type type);
/// "f32", "bf16", ... as ladder files and records write them.
const char* name_of(Type type);

/// C = A B, C of m x n, k terms a sum; all row by row without gaps.
struct Gemm {
    std::int64_t m = 0, n = 0, k = 0;
    Type type = Type::f32;     ///< of A and B; C has the type that result() gives
    bool transpose_a = false;  ///< A is stored as k x m instead of m x k
    bool transpose_b = false;  ///< B is stored as n x k instead of k x n
    /// f32 only. false: multiplied and added as float32. true: on tensor cores, inputs cut to TF32's 10 bits of
    /// fraction. The other types are always tensor cores' work, with sums in float32 (int8: int32).
    bool tf32 = false;
};
/// The type of C: f32 of f32, f16 of f16, bf16 of bf16, e4m3 and e5m2, i32 of i8.
Type result_of(const Gemm& product);
Result<Launch> gemm(Device& device, const Gemm& product, const Buffer& a, const Buffer& b, const Buffer& c);

enum class Fold : std::uint8_t { sum, min, max };

/// One value of `count` values. Sums of f16 and bf16 are made in float32, of integers modulo 2^32 or 2^64.
struct Reduction {
    std::int64_t count = 0;
    Type type = Type::f32;  ///< i32, i64, f16, bf16, f32, f64; the result's too
    Fold fold = Fold::sum;
    /// Bit for bit the same result each time on the same device.
    bool deterministic = false;
};
Result<Launch> reduce(Device& device, const Reduction& reduction, const Buffer& values, const Buffer& result);

/// B = A transposed: A of rows x columns, B of columns x rows, both row by row without gaps.
struct Transposition {
    std::int64_t rows = 0, columns = 0;
    Type type = Type::f32;
};
Result<Launch> transpose(Device& device, const Transposition& problem, const Buffer& a, const Buffer& b);

}  // namespace warpwright
