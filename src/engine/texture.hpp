// Textures and surfaces of the emulated device: what the descriptor in device memory means whose address is an object's
// handle. Filtering follows the CUDA C++ Programming Guide, "Texture Fetching": linear weights have 8 bits.
#pragma once

#include <cstdint>

namespace warpwright::engine {

/// In device memory, where kernels do not write.
struct TextureState {
    static constexpr std::uint64_t kMagic = 0x7275747865746577ull;
    enum class Kind : std::uint8_t { signed_integer, unsigned_integer, real };
    enum class Address : std::uint8_t { wrap, clamp, mirror, border };
    std::uint64_t magic = kMagic;
    std::uint64_t data = 0;                 ///< device address of element (0, 0, 0)
    std::uint64_t pitch = 0, slice = 0;     ///< bytes from row to row, plane to plane (or layer to layer)
    std::uint32_t width = 1, height = 1, depth = 1;  ///< elements
    Kind kind = Kind::real;
    std::uint8_t channels = 1, bits = 32;   ///< 1, 2 or 4 channels of 8, 16 or 32 bits
    Address address[3] = {Address::clamp, Address::clamp, Address::clamp};
    bool linear = false;                    ///< filter, else the nearest element
    bool normalized_floats = false;         ///< integers read as numbers of [0, 1] or [-1, 1]
    bool normalized_coordinates = false;
    bool surface = false;
    float border[4] = {0, 0, 0, 0};
    std::uint32_t element() const { return channels * bits / 8u; }
};

}  // namespace warpwright::engine
