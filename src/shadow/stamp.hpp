// The last access to a piece of memory: 64 bits per piece. All zero: none.
#pragma once

#include <cstdint>

namespace warpwright::shadow {

using Stamp = std::uint64_t;

// From the highest bit: 10 of the launch's generation (never 0), 24 of the block's index, 10 of the thread in it (or an
// agent's number), 1 that marks an agent (an asynchronous copy), 19 of the block's own time.
inline constexpr unsigned kTickBits = 19, kThreadShift = 20, kBlockShift = 30, kGenerationShift = 54;
inline constexpr std::uint32_t kLastTick = (1u << kTickBits) - 1;
inline constexpr std::uint32_t kAgents = 1023;  ///< the largest number of an agent
inline constexpr Stamp kAgent = Stamp{1} << kTickBits;
inline constexpr std::uint32_t kGenerations = 1u << 10;
inline constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 24;

inline constexpr Stamp stamp_of(std::uint32_t generation, std::uint64_t block) {
    return Stamp{generation} << kGenerationShift | block << kBlockShift;
}
inline constexpr std::uint32_t tick_of(Stamp s) { return static_cast<std::uint32_t>(s) & kLastTick; }
inline constexpr std::uint32_t thread_of(Stamp s) { return static_cast<std::uint32_t>(s >> kThreadShift) & 1023; }
inline constexpr std::uint32_t block_of(Stamp s) { return static_cast<std::uint32_t>(s >> kBlockShift) & 0xffffff; }
inline constexpr std::uint32_t generation_of(Stamp s) { return static_cast<std::uint32_t>(s >> kGenerationShift); }

// Beside each stamp 16 bits: 2 for the strength of the access, 14 for its site.
using Side = std::uint16_t;
enum Strength : std::uint8_t {
    kWeak = 0,
    kStrongBlock = 1,  ///< atomic or relaxed with the scope of a block. For an agent: one whose work has nodes
    kStrong = 2,       ///< with a wider scope
    kVolatile = 3,
};
inline constexpr std::uint32_t kMostSites = (1u << 14) - 1;  ///< the last one represents all further ones
inline constexpr Side side_of(std::uint32_t site, std::uint8_t strength) {
    return static_cast<Side>((site < kMostSites ? site : kMostSites) << 2 | strength);
}
inline constexpr std::uint8_t strength_of(Side s) { return s & 3; }
inline constexpr std::uint32_t site_of(Side s) { return s >> 2; }

}  // namespace warpwright::shadow
