// Textures and surfaces of the emulated device: the description of an object (texture_table.hpp has them by handle),
// and how a place in it is read. Filtering follows the CUDA C++ Programming Guide, "Texture Fetching": weights are
// fixed-point numbers with 8 bits after the point. docs/run.md says what is exact and what is by formula.
#pragma once

#include <cstdint>

namespace warpwright::engine {

/// One array of elements: a texture has one, or one for each level of a mipmap.
struct TextureLevel {
    std::uint64_t data = 0;              ///< device address of element (0, 0, 0)
    std::uint64_t pitch = 0, slice = 0;  ///< bytes from row to row, plane to plane (or layer to layer, face to face)
    std::uint32_t width = 1, height = 1, depth = 1;  ///< elements; depth: planes, layers, or six faces for each layer
};

/// An object; it lies in the host's memory.
struct TextureState {
    static constexpr unsigned kMostLevels = 18;
    enum class Kind : std::uint8_t { signed_integer, unsigned_integer, real };
    enum class Address : std::uint8_t { wrap, clamp, mirror, border };
    TextureLevel level[kMostLevels];
    std::uint32_t levels = 1;
    Kind kind = Kind::real;
    std::uint8_t channels = 1, bits = 32;  ///< 1, 2 or 4 channels of 8, 16 or 32 bits
    bool packed = false;                   ///< 10, 10, 10 and 2 bits in one word instead
    bool layered = false, cube = false;
    Address address[3] = {Address::clamp, Address::clamp, Address::clamp};
    bool linear = false;             ///< filter, else the nearest element
    bool mip_linear = false;         ///< the same between levels
    bool normalized_floats = false;  ///< integers read as numbers of [0, 1] or [-1, 1]
    bool normalized_coordinates = false;
    bool srgb = false;      ///< colours of 8 bits are sRGB and read as linear
    bool seamless = false;  ///< filtering continues over the edges of a cube's faces
    bool surface = false;
    bool tiled = false;           ///< an array: the hardware keeps it in tiles (texel_address)
    std::uint8_t anisotropy = 1;  ///< most samples along the longer gradient
    float bias = 0, least_level = 0, most_level = 0;
    float border[4] = {0, 0, 0, 0};
    std::uint32_t element() const { return packed ? 4u : channels * bits / 8u; }
    /// Whether a fetch gives numbers, which can be filtered.
    bool numbers() const { return kind == Kind::real || normalized_floats; }
};

class TouchedTexels;

/// Where a texture is read.
struct TexturePoint {
    enum class Level : std::uint8_t { base, given, gradients };
    unsigned dimensions = 1;  ///< of the coordinates; 3 for a cube's direction
    bool layered = false, cube = false;
    Level mode = Level::base;
    float at[3] = {0, 0, 0};
    std::uint32_t layer = 0;
    float level = 0;
    float across[3] = {0, 0, 0}, down[3] = {0, 0, 0};  ///< the gradients: how `at` changes from pixel to pixel
    std::int32_t shift[3] = {0, 0, 0};                 ///< whole elements, added after the coordinates
    TouchedTexels* touched = nullptr;                  ///< notes what is read, for a trace; null: nobody does
};

/// Face of a cube (0 to 5: +x, -x, +y, -y, +z, -z) that a direction meets, and where on it: coordinates from 0 to 1.
struct CubePlace {
    unsigned face = 0;
    float s = 0, t = 0;
};
CubePlace cube_place(const float (&direction)[3]);

/// The level of a fetch, clamped and with the bias, before it is split into two neighbours.
float texture_level(const TextureState& t, const TexturePoint& p);

/// Four channels: the bits of floats, or integers.
void sample_texture(const TextureState& t, const TexturePoint& p, std::uint32_t (&out)[4]);
/// One channel of the four elements that linear filtering would take, counter-clockwise from the lower left.
void gather_texture(const TextureState& t, const TexturePoint& p, unsigned channel, std::uint32_t (&out)[4]);
/// One element by whole coordinates (z: plane or layer), without filtering; zeros outside.
void read_element(const TextureState& t, std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t level,
                  std::uint32_t (&out)[4], TouchedTexels* touched = nullptr);

}  // namespace warpwright::engine
