// Texture and surface objects, on devices that make them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "device/launch.hpp"

namespace warpwright::device {

/// A texture or surface object: an array in device memory, or the arrays of a mipmap, and how it is read.
struct Texture {
    enum class Kind : std::uint8_t { signed_integer, unsigned_integer, real };
    enum class Mode : std::uint8_t { wrap, clamp, mirror, border };
    struct Level {
        Address data = 0;
        std::uint64_t pitch = 0, slice = 0;              ///< bytes from row to row, plane to plane
        std::uint32_t width = 1, height = 1, depth = 1;  ///< elements; depth: of layers and faces too
    };
    static constexpr unsigned kMostLevels = 18;
    std::vector<Level> levels = std::vector<Level>(1);
    bool layered = false, cube = false;
    Kind kind = Kind::real;
    unsigned channels = 1, bits = 32;                                 ///< 1, 2 or 4 of 8, 16 or 32 bits
    bool packed = false;                                              ///< 10, 10, 10 and 2 bits instead
    std::array<Mode, 3> mode{Mode::clamp, Mode::clamp, Mode::clamp};  ///< outside the array
    bool linear = false, normalized_floats = false, normalized_coordinates = false;
    bool mip_linear = false, srgb = false, seamless = false;
    unsigned anisotropy = 1;
    float bias = 0, least_level = 0, most_level = 0;
    std::array<float, 4> border{};
    bool surface = false;
    bool tiled = false;  ///< an array, which hardware keeps in tiles; only the model of time asks
};

class Textures {
public:
    static constexpr std::string_view kPart = "texture objects";
    virtual ~Textures() = default;
    /// The handle that kernels take for the object; Device::release() destroys it.
    virtual Result<Address> make_texture(const Texture& texture) = 0;
};

}  // namespace warpwright::device
