// The description is copied member by member: the interface has a type of its own, so that users of devices see nothing
// of the engine. The number of levels is checked here, because it bounds the copy, and the engine checks the rest.
#include "device/emulated/texture.hpp"

#include <algorithm>

namespace warpwright::device {

Result<engine::TextureState> texture_state(const Texture& t) {
    engine::TextureState s;
    static_assert(engine::TextureState::kMostLevels == Texture::kMostLevels);
    if (t.levels.empty() || t.levels.size() > Texture::kMostLevels)
        return Error{ErrorKind::usage, "a texture has 1 to 18 levels", {}, ""};
    s.levels = static_cast<std::uint32_t>(t.levels.size());
    for (std::size_t k = 0; k < t.levels.size(); ++k) {
        const auto& l = t.levels[k];
        s.level[k] = {l.data, l.pitch, l.slice, l.width, l.height, l.depth};
    }
    s.kind = static_cast<engine::TextureState::Kind>(t.kind);
    s.channels = static_cast<std::uint8_t>(t.channels), s.bits = static_cast<std::uint8_t>(t.bits), s.packed = t.packed;
    s.layered = t.layered, s.cube = t.cube;
    for (unsigned d = 0; d < 3; ++d) s.address[d] = static_cast<engine::TextureState::Address>(t.mode[d]);
    s.linear = t.linear, s.normalized_floats = t.normalized_floats, s.normalized_coordinates = t.normalized_coordinates;
    s.mip_linear = t.mip_linear, s.srgb = t.srgb, s.seamless = t.seamless, s.surface = t.surface;
    s.tiled = t.tiled;
    s.anisotropy = static_cast<std::uint8_t>(std::clamp(t.anisotropy, 1u, 16u));
    s.bias = t.bias, s.least_level = t.least_level, s.most_level = t.most_level;
    for (unsigned k = 0; k < 4; ++k) s.border[k] = t.border[k];
    return s;
}

}  // namespace warpwright::device
