// Tensor maps of the emulated device: the meaning of the 128 bytes. (NVIDIA's own encoding is not public, so a map made
// for a real device is refused here.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simt/details.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

/// The copy in device memory; padded with zeros to 128 bytes.
struct EncodedTensorMap {
    static constexpr std::uint64_t kMagic = 0x70616d6f736e6574ull;  // "tensomap"
    std::uint64_t magic = 0, address = 0;
    std::uint64_t size[5] = {};    ///< elements; 1 beyond the rank
    std::uint64_t stride[4] = {};  ///< bytes, of dimensions 1 to 4
    std::uint16_t box[5] = {};
    std::uint8_t step[5] = {};
    std::uint8_t rank = 0, type = 0, element_bytes = 0;
    std::uint8_t swizzle = 0;  ///< bytes / 32 that are permuted: 0, 1, 2, 4
    std::uint8_t fill_nan = 0;
    /// The mode im2col: so many pixels of box[0] channels each; 0: the map is tiled. The corners are of the dimensions
    /// between channels and images.
    std::uint16_t pixels = 0;
    std::int16_t lower[3] = {}, upper[3] = {};
};
inline constexpr std::uint64_t kTensorMapBytes = 128;
static_assert(sizeof(EncodedTensorMap) <= kTensorMapBytes);

/// The tile that one copy with a map moves.
struct TensorTile {
    static constexpr unsigned kMostBox = 256, kMostElement = 8, kMostRowBytes = kMostBox * kMostElement;
    unsigned element = 0;                      ///< bytes
    std::uint64_t count[5] = {1, 1, 1, 1, 1};  ///< elements of a box along each dimension, with its steps applied;
                                               ///< im2col: channels and pixels
    std::uint64_t bytes = 0;                   ///< of all of them
};

/// The tile of a map's 128 bytes, which a kernel may have written: every field is checked against the rules of
/// cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col. An error names the field that breaks them.
Result<TensorTile> tile_of(const EncodedTensorMap& map);

struct TensorMapDescription {
    std::uint64_t address = 0;
    std::string type;
    std::vector<std::uint64_t> size, stride;
    std::vector<std::uint32_t> box, step;
    unsigned swizzle_bytes = 0;  ///< 0, 32, 64, 128
    bool fill_nan = false;
    std::vector<std::int32_t> lower, upper;  ///< im2col: the corners; box has the channels alone then
    std::uint32_t pixels = 0;                ///< 0: the map is tiled
};

/// An ErrorKind::usage that names the field which breaks the rules of cuTensorMapEncodeTiled or
/// cuTensorMapEncodeIm2col.
Result<std::array<std::byte, 128>> encode_tensor_map(const TensorMapDescription& map);

/// Puts another array into a map of this device.
Result<void> replace_address(std::span<std::byte, kTensorMapBytes> map, std::uint64_t address);

/// Where a byte of a swizzled tile lies: 16-byte pieces of a row are permuted by the row's place among 2, 4 or 8.
inline std::uint64_t swizzled(std::uint64_t address, unsigned swizzle) {
    return address ^ ((address >> 3) & (swizzle == 4 ? 0x70u : swizzle == 2 ? 0x30u : swizzle == 1 ? 0x10u : 0u));
}

}  // namespace warpwright::engine
