// What single stamps imply about order. Only this room's shadow_*.cpp include this.
#pragma once

#include <algorithm>

#include "shadow/shadow.hpp"

namespace warpwright::shadow {

inline constexpr Stamp kThreadBits = Stamp{1023} << kThreadShift;

/// Two readers of this launch, of two blocks, or of two warps of this block since its last barrier: a third adds
/// nothing. `alone`: other blocks' stamps come from earlier users of the memory.
inline std::uint64_t enough(Stamp a, Stamp b, Stamp key, std::uint64_t base, std::uint64_t alone) {
    const auto x = a ^ key, y = b ^ key, between = a ^ b;
    const std::uint64_t launch = (x | y) >> kGenerationShift == 0, blocks = between >> kBlockShift != 0,
                        warps = between >> (kThreadShift + 5) != 0;
    const std::uint64_t own = (x | y) >> kBlockShift == 0, late = static_cast<std::uint64_t>((a & kLastTick) > base) &
                                                                  static_cast<std::uint64_t>((b & kLastTick) > base);
    return launch & ((blocks & (alone ^ 1)) | (own & warps & late));
}

/// A reader of another block of this launch, which is kept beside one of this block. `alone`: other blocks' stamps come
/// from earlier users of the memory, so that they tell nothing.
inline bool of_another_block(Stamp s, Stamp key, std::uint64_t alone) {
    return (s ^ key) >> kGenerationShift == 0 && (s ^ key) >> kBlockShift != 0 && !alone;
}

/// Neither from another launch, nor of this block before its last barrier.
inline bool is_recent(Stamp s, const Accessor& a) {
    return (s & ~kThreadBits) - a.key > a.base && (s ^ a.key) >> kGenerationShift == 0;
}

/// Ordered for all threads of the accessing warp, whichever lane made it.
[[gnu::always_inline]] inline bool known_to_warp(Stamp s, const Accessor& a) {
    if (!is_recent(s, a)) return true;
    if ((s ^ a.key) >> kBlockShift) return a.others_known;
    return !(s & kAgent) && thread_of(s) / 32 == a.warp && tick_of(s) <= a.warp_base;
}

/// Ordered by releases for the accessing lane, for all threads that the stamp of a line or row represents.
inline bool handed_over(Stamp s, Side side, unsigned form, const Accessor& a, std::uint64_t bytes = Shadow::kLine) {
    if (!a.clock) return false;
    if (s & kAgent && s == a.handed) return true;
    const auto threads = s & kAgent ? 1 : std::max(bytes >> form, std::uint64_t{1});
    for (std::uint64_t t = 0; t < threads; ++t)
        if (!a.clock->knows(s + (t << kThreadShift), strength_of(side) == kStrongBlock, a.warp, a.lane)) return false;
    a.handed = s;
    return true;
}

inline bool enough_readers(Stamp r, Stamp too, const Accessor& a) {
    return enough(r, too, a.key, a.base, a.others_known) != 0;
}

}  // namespace warpwright::shadow
