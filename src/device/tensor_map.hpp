// Tensor maps: arrays that the copy engine of a multiprocessor moves box by box, on devices that have one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/launch.hpp"

namespace warpwright::device {

/// The contents of a tensor map: an array in device memory and the box of it that one copy moves
/// (cuTensorMapEncodeTiled).
struct TensorMap {
    enum class Swizzle : std::uint8_t {
        none,
        b32,
        b64,
        b128
    };  ///< bytes of a row in which 16-byte pieces are permuted
    Address address = 0;                ///< of element (0, 0, ...); 16-byte aligned
    std::string type = "f32";           ///< PTX type: u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, tf32
    std::vector<std::uint64_t> size;    ///< elements by dimension, innermost first; 1 to 5 of them
    std::vector<std::uint64_t> stride;  ///< bytes by dimension from the second on; multiples of 16
    std::vector<std::uint32_t> box;     ///< elements by dimension, 1 to 256
    std::vector<std::uint32_t> step;    ///< every step-th element by dimension, 1 to 8; empty: all of them
    Swizzle swizzle = Swizzle::none;
    bool fill_nan = false;  ///< elements outside read as NaN instead of zero (floating-point types)
    unsigned fetch = 128;   ///< bytes that L2 fetches from memory at a time: 0 (its own choice), 64, 128, 256
    /// The mode im2col (cuTensorMapEncodeIm2col), with pixels != 0: a copy moves that many pixels, and of each as many
    /// channels as the only number of `box` says. The pixels lie between two corners in the dimensions between channels
    /// and images: the lower ones count from 0 on, the upper ones from the last pixel on.
    std::uint32_t pixels = 0;
    std::vector<std::int32_t> lower, upper;
};

class TensorMaps {
public:
    static constexpr std::string_view kPart = "tensor maps";
    virtual ~TensorMaps() = default;
    /// The 128 bytes that a kernel takes as a tensor map (a __grid_constant__ parameter, or in device memory; 64-byte
    /// aligned). They are valid for this kind of device only.
    virtual Result<std::array<std::byte, 128>> encode_tensor_map(const TensorMap& map) = 0;
    /// Puts another array of the same shape into a map.
    virtual Result<void> replace_address(std::span<std::byte, 128>, Address) {
        return Error{ErrorKind::limit, "this device makes a new tensor map for another address", {}, ""};
    }
};

}  // namespace warpwright::device
