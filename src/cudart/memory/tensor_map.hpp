// Tensor maps: descriptions of arrays for tensor copies, as the driver's cuTensorMapEncodeTiled and
// cuTensorMapEncodeIm2col make them.
#pragma once

#include <cstdint>

namespace warpwright::cudart {

/// An array as the driver's functions describe it, with their numbers for types and modes.
struct TensorArray {
    int type = 0;
    std::uint32_t rank = 0;
    void* address = nullptr;
    const std::uint64_t *sizes = nullptr, *strides = nullptr;
    const std::uint32_t* steps = nullptr;
    int interleave = 0, swizzle = 0, promotion = 0, fill = 0;
};

/// The driver's functions; each gives a CUresult.
int encode_tensor_map(void* to, const TensorArray& array, const std::uint32_t* box);
int encode_im2col_map(void* to, const TensorArray& array, const int* lower, const int* upper, std::uint32_t channels,
                      std::uint32_t pixels);

int replace_tensor_address(void* map, void* address);

}  // namespace warpwright::cudart
