// NVIDIA's numbers for element types and for the types in which products are accumulated, which its libraries share.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "support/result.hpp"

namespace warpwright::vendor {

template <class Signature>
using EntryPoint = Signature*;

/// cudaDataType_t.
enum class DataType : int { f32 = 0, f64 = 1, f16 = 2, i8 = 3, i32 = 10, bf16 = 14, e4m3 = 28, e5m2 = 29 };

/// cublasComputeType_t.
enum class ComputeType : int {
    f16 = 64,
    f32 = 68,
    f32_pedantic = 69,
    f64 = 70,
    i32 = 72,
    tf32 = 77,
};

/// The type called "bf16"; ErrorKind::limit for one that no library here knows.
Result<DataType> data_type(const std::string& name);

/// How a product's terms are added, and its factors alpha = 1 and beta = 0.
struct Arithmetic {
    ComputeType compute = ComputeType::f32;
    DataType scale = DataType::f32;
    std::array<std::byte, 8> one{}, zero{};  ///< of the scale's type
    bool fast_sum = false;                   ///< of 8-bit floats: fewer bits than f32 has while terms are added
    std::string text;                        ///< "f32, pedantic"
};

/// For inputs `a` and `b`, an output `c` and a ladder's word: "f32", "f32_fast", "tf32", "f16", "i32", "f64", or "" for
/// what the types suggest. "f32" for f32 is pedantic: no tensor cores, no shortcuts; "f32_fast" lets the library choose
/// among algorithms that round as f32 does. For 8-bit floats "f32_fast" adds as the tensor cores do, "f32" more
/// precisely.
Result<Arithmetic> arithmetic(const std::string& a, const std::string& b, const std::string& c,
                              const std::string& word);

}  // namespace warpwright::vendor
