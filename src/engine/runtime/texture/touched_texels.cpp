// The tiled layout exists for the trace alone: the emulated array's rows lie one after the other, and only the
// addresses that are noted are those of tiles.
#include "engine/runtime/texture/touched_texels.hpp"

namespace warpwright::engine {

std::uint64_t texel_address(const TextureState& t, const TextureLevel& level, std::uint64_t byte, std::uint64_t y,
                            std::uint64_t z) {
    if (!t.tiled || level.height <= 1) return level.data + z * level.slice + y * level.pitch + byte;
    constexpr std::uint64_t kTileWidth = 64, kTileRows = 8, kTile = kTileWidth * kTileRows;
    const std::uint64_t across = (level.pitch + kTileWidth - 1) / kTileWidth;
    const std::uint64_t tile = y / kTileRows * across + byte / kTileWidth;
    const std::uint64_t column = byte % kTileWidth, row = y % kTileRows;
    const std::uint64_t within = column / 32 * 256 + row / 2 * 64 + column % 32 / 16 * 32 + row % 2 * 16 + column % 16;
    return level.data + z * level.slice + tile * kTile + within;
}

void TouchedTexels::note(const TextureState& t, const TextureLevel& level, std::int64_t x, std::int64_t y,
                         std::int64_t z) {
    if (x < 0 || y < 0 || z < 0) return;
    note_bytes(t, level, static_cast<std::uint64_t>(x) * t.element(), static_cast<std::uint64_t>(y),
               static_cast<std::uint64_t>(z), t.element());
}

void TouchedTexels::note_bytes(const TextureState& t, const TextureLevel& level, std::uint64_t byte, std::uint64_t y,
                               std::uint64_t z, unsigned bytes) {
    places_.push_back({lane_, texel_address(t, level, byte, y, z), bytes});
}

}  // namespace warpwright::engine
