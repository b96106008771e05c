// The 64-bit words that createpolicy makes: bits 59 and 60 have the kind (2: a fraction of the addresses, 3: a range),
// 57 and 58 the primary priority, 56 the secondary one; below is what the kind needs. They are those of hardware.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ptx/opcodes.hpp"

namespace warpwright::simt {

/// The kind and the priorities of a policy, from the instruction's modifiers. `Named`: has() and `mods`.
template <class Named>
std::uint64_t policy_priorities(const Named& i) {
    std::uint64_t word = std::uint64_t{i.has(ptx::Mod::range) ? 3u : 2u} << 59;
    unsigned at = 57;  // the first one named is the primary one
    for (const auto m : i.mods) {
        std::uint64_t priority = 0;
        switch (m) {
            case ptx::Mod::L2_evict_unchanged:
                break;
            case ptx::Mod::L2_evict_first:
                priority = 1;
                break;
            case ptx::Mod::L2_evict_last:
                priority = 2;
                break;
            case ptx::Mod::L2_evict_normal:
                priority = 3;
                break;
            default:
                continue;
        }
        word |= priority << at;
        at = 56;
    }
    return word;
}

/// The bits for a fraction from 0 to 1: 15 for all of the addresses.
inline std::uint64_t policy_fraction(float fraction) {
    const float steps = std::min(fraction * 15.99f, 1e9f);
    return steps > 0 ? (static_cast<std::uint64_t>(steps) & 15) << 52 : 0;
}

}  // namespace warpwright::simt
