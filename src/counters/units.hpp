// The units in which a request occupies the banks, and the lanes that are served together. Private to this room.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "counters/access.hpp"

namespace warpwright::counters {

inline std::uint64_t low_lanes(unsigned lanes) {
    return lanes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
}

/// The unit in which a request of `bytes` per lane occupies the banks: wide accesses take several banks at once, always
/// aligned, so a unit of that width over proportionally fewer banks gives the same count.
struct Units {
    unsigned shift;  ///< log2 of the unit's bytes
    unsigned banks;  ///< banks of that width
    unsigned lanes;  ///< lanes served together
};

inline Units units_of(unsigned bytes, const BankRule& rule) {
    const unsigned unit = std::max(bytes, rule.bank_bytes);
    const unsigned ratio = unit / rule.bank_bytes;
    return {static_cast<unsigned>(std::countr_zero(unit)), std::max(1u, rule.banks / ratio),
            std::max(1u, rule.group_lanes / ratio)};
}

/// Whether every active lane of `mask` agrees with lane i ^ step (where that one is active).
inline bool neighbours_agree(const std::uint32_t* unit, std::uint64_t mask, unsigned lanes, unsigned step) {
    for (unsigned i = 0; i < lanes; ++i) {
        if (i & step || i + step >= lanes) continue;
        if ((mask >> i & 1) && (mask >> (i + step) & 1) && unit[i] != unit[i + step]) return false;
    }
    return true;
}

/// Each lane's unit, and the number of lanes that are served together (groups that a broadcast joins are one).
inline unsigned units_of_lanes(const std::uint32_t* addresses, std::uint64_t mask, unsigned bytes, unsigned lanes,
                               const BankRule& rule, bool may_join, std::uint32_t* unit) {
    const Units units = units_of(bytes, rule);
    for (unsigned i = 0; i < lanes; ++i) unit[i] = addresses[i] >> units.shift;
    if (rule.paired_rows && bytes <= rule.bank_bytes)
        for (unsigned i = 0; i < lanes; ++i)
            unit[i] = (unit[i] / (2 * rule.banks) * rule.banks) | (unit[i] % rule.banks);
    unsigned group = units.lanes;
    if (may_join && group < rule.group_lanes &&
        (neighbours_agree(unit, mask, lanes, 1) || neighbours_agree(unit, mask, lanes, 2)))
        group *= 2;
    return group;
}

}  // namespace warpwright::counters
