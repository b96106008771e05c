// This file counts the sectors and transactions of global and local memory. Warps of 32 lanes take the vector kernels;
// other widths, and addresses that are too far apart for these, are sorted.
#include <algorithm>
#include <bit>

#include "counters/access.hpp"
#include "counters/kernels.hpp"
#include "counters/schedule.hpp"
#include "counters/units.hpp"

namespace warpwright::counters {
namespace {

constexpr unsigned kMaxLanes = 64;

/// Distinct values among n of any order and size.
unsigned distinct_by_sorting(std::uint64_t* values, unsigned n) {
    std::sort(values, values + n);
    return static_cast<unsigned>(std::unique(values, values + n) - values);
}

/// So few lanes are compared with each other sooner than all lanes are in vectors.
constexpr int kFewLanes = 4;

/// Whether at most kFewLanes are in the mask, not 0: each step takes one away. (Not every CPU that this is compiled for
/// counts bits in one instruction.)
bool are_few(std::uint64_t mask) {
    for (int k = 0; k < kFewLanes; ++k) mask &= mask - 1;
    return mask == 0;
}

/// Distinct values of addresses[i] >> shift, of few lanes.
unsigned distinct_of_few(const std::uint64_t* addresses, std::uint64_t mask, unsigned shift) {
    std::uint64_t value[kFewLanes];
    unsigned n = 0;
    for (; mask; mask &= mask - 1) {
        const auto own = addresses[std::countr_zero(mask)] >> shift;
        bool fresh = true;
        for (unsigned k = 0; k < n; ++k) fresh &= value[k] != own;
        value[n] = own;
        n += fresh;
    }
    return n;
}

unsigned distinct_pieces(const std::uint64_t* addresses, std::uint64_t mask, unsigned lanes, unsigned shift) {
    mask &= low_lanes(lanes);
    if (mask == 0) return 0;
    if (are_few(mask)) return distinct_of_few(addresses, mask, shift);
    if (lanes == kWarp) {
        const unsigned distinct = mask == 0xFFFFFFFFu ? kKernels.distinct_in_full_warp(addresses, shift)
                                                      : kKernels.distinct_in_part_of_warp(addresses, mask, shift);
        if (distinct != kSpreadTooFar) return distinct;
    }
    std::uint64_t value[kMaxLanes];
    unsigned n = 0;
    for (; mask; mask &= mask - 1) value[n++] = addresses[std::countr_zero(mask)] >> shift;
    return distinct_by_sorting(value, n);
}

/// Compute capability 1.0 and 1.1, one half warp: one transaction of 16 words if lane k touches word k of a segment
/// aligned to its own size (inactive lanes may be holes), else one 32-byte transaction per lane.
Transactions tesla_in_order(const std::uint64_t* addresses, std::uint64_t mask, unsigned bytes,
                            std::vector<Piece>* pieces = nullptr) {
    if (mask == 0) return {};
    const unsigned active = static_cast<unsigned>(std::popcount(mask));
    const unsigned first = static_cast<unsigned>(std::countr_zero(mask));
    const std::uint64_t base = addresses[first] - std::uint64_t{first} * bytes;
    bool in_order = bytes >= 4 && base % (16u * bytes > 128 ? 128 : 16u * bytes) == 0;
    for (std::uint64_t m = mask; m; m &= m - 1) {
        const unsigned lane = static_cast<unsigned>(std::countr_zero(m));
        in_order &= addresses[lane] == base + std::uint64_t{lane} * bytes;
    }
    if (pieces && in_order && bytes == 16)
        pieces->insert(pieces->end(), {{base, 128}, {base + 128, 128}});
    else if (pieces && in_order)
        pieces->push_back({base, 16 * bytes});
    else if (pieces)
        for (std::uint64_t m = mask; m; m &= m - 1) pieces->push_back({addresses[std::countr_zero(m)] / 32 * 32, 32});
    if (!in_order) return {active, active * 32};
    // 16-byte words take two transactions of 128 bytes.
    return bytes == 16 ? Transactions{2, 256} : Transactions{1, 16 * bytes};
}

/// Compute capability 1.2 and 1.3, one half warp: take the segment of the lowest active lane, serve every lane in it,
/// shrink the transaction to the half (and quarter) that is used; repeat.
Transactions tesla_segments(const std::uint64_t* addresses, std::uint64_t mask, unsigned bytes,
                            std::vector<Piece>* pieces = nullptr) {
    const std::uint64_t segment = bytes == 1 ? 32 : bytes == 2 ? 64 : 128;
    Transactions total;
    while (mask) {
        const std::uint64_t base = addresses[std::countr_zero(mask)] / segment;
        std::uint64_t low = ~std::uint64_t{0}, high = 0;
        for (std::uint64_t m = mask; m; m &= m - 1) {
            const unsigned lane = static_cast<unsigned>(std::countr_zero(m));
            if (addresses[lane] / segment != base) continue;
            mask &= ~(std::uint64_t{1} << lane);
            low = std::min(low, addresses[lane]);
            high = std::max(high, addresses[lane] + bytes - 1);
        }
        std::uint64_t size = segment;
        while (size > 32 && low / (size / 2) == high / (size / 2)) size /= 2;
        ++total.count;
        total.bytes += static_cast<unsigned>(size);
        if (pieces) pieces->push_back({low / size * size, static_cast<unsigned>(size)});
    }
    return total;
}

}  // namespace

unsigned global_sectors(const std::uint64_t* addresses, std::uint64_t mask, [[maybe_unused]] unsigned bytes,
                        unsigned lanes) {
    // An aligned access of at most 32 bytes lies in one sector, so its width does not matter.
    return distinct_pieces(addresses, mask, lanes, 5);
}

unsigned global_atomic_sectors(const std::uint64_t* addresses, std::uint64_t mask, [[maybe_unused]] unsigned bytes,
                               unsigned lanes) {
    mask &= low_lanes(lanes);
    if (mask == 0) return 0;
    if (are_few(mask) && static_cast<int>(distinct_of_few(addresses, mask, 0)) == std::popcount(mask))
        return distinct_of_few(addresses, mask, 5);
    if (lanes == kWarp)
        if (const unsigned n = kKernels.atomic_sectors(addresses, static_cast<std::uint32_t>(mask)); n != kSpreadTooFar)
            return n;
    std::uint64_t address[kMaxLanes];
    unsigned n = 0, steps = 1;
    bool rising = true, same = true;
    std::uint64_t last = addresses[std::countr_zero(mask)];
    address[n++] = last;
    for (mask &= mask - 1; mask; mask &= mask - 1) {
        const auto a = addresses[std::countr_zero(mask)];
        rising &= last < a;
        same &= last == a;
        steps += last >> 5 != a >> 5;
        address[n++] = last = a;
    }
    if (rising) return steps;
    if (same) return n;
    std::sort(address, address + n);
    // Sorted, so that equal addresses, and all of a sector, are adjacent.
    unsigned total = 0, in_sector = 0, at_address = 0;
    for (unsigned i = 0; i < n; ++i) {
        const bool same_address = i > 0 && address[i] == address[i - 1];
        const bool same_sector = i > 0 && address[i] >> 5 == address[i - 1] >> 5;
        at_address = same_address ? at_address + 1 : 1;
        if (!same_sector) {
            total += in_sector;
            in_sector = 0;
        }
        in_sector = std::max(in_sector, at_address);
    }
    return total + in_sector;
}

LocalCost local_cost(const std::uint32_t* offsets, std::uint64_t mask, unsigned bytes, unsigned lanes) {
    mask &= low_lanes(lanes);
    if (mask == 0) return {};
    const unsigned words = std::max(1u, bytes / 4);
    LocalCost cost{words, 0};
    if (lanes == kWarp) {
        // A sector is one word of eight lanes. Those of a wide access differ where its first do.
        std::uint32_t first[kWarp];
        for (unsigned i = 0; i < kWarp; ++i) first[i] = offsets[i] / 4;
        cost.sectors = words * kKernels.distinct_words_by_eight(first, static_cast<std::uint32_t>(mask));
        return cost;
    }
    std::uint64_t address[kMaxLanes];
    for (unsigned w = 0; w < words; ++w) {
        // A lane's word w lies at (word * lanes + lane) * 4.
        for (unsigned i = 0; i < lanes; ++i) address[i] = ((offsets[i] / 4 + std::uint64_t{w}) * lanes + i) * 4;
        cost.sectors += distinct_pieces(address, mask, lanes, 5);
    }
    return cost;
}

Transactions global_transactions(const std::uint64_t* addresses, std::uint64_t mask, unsigned bytes, unsigned lanes,
                                 const CoalescingRule& rule) {
    Transactions total;
    const unsigned group = std::min(rule.group_lanes, lanes);
    for (unsigned first = 0; first < lanes; first += group) {
        const unsigned in_group = std::min(group, lanes - first);
        const std::uint64_t all = in_group >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << in_group) - 1;
        const std::uint64_t part = (mask >> first) & all;
        Transactions t;
        switch (rule.kind) {
            case CoalescingRule::Kind::sectors:
                t.count = distinct_pieces(addresses + first, part, in_group,
                                          static_cast<unsigned>(std::countr_zero(rule.segment_bytes)));
                t.bytes = t.count * rule.segment_bytes;
                break;
            case CoalescingRule::Kind::tesla_in_order:
                t = tesla_in_order(addresses + first, part, bytes);
                break;
            case CoalescingRule::Kind::tesla_segments:
                t = tesla_segments(addresses + first, part, bytes);
                break;
        }
        total.count += t.count;
        total.bytes += t.bytes;
    }
    return total;
}

std::vector<Piece> global_pieces(const std::uint64_t* addresses, std::uint64_t mask, unsigned bytes, unsigned lanes,
                                 const CoalescingRule& rule) {
    std::vector<Piece> out;
    const unsigned group = std::min(rule.group_lanes, lanes);
    for (unsigned first = 0; first < lanes; first += group) {
        const unsigned in_group = std::min(group, lanes - first);
        const std::uint64_t part = (mask >> first) & low_lanes(in_group);
        std::vector<Piece> pieces;
        switch (rule.kind) {
            case CoalescingRule::Kind::sectors:
                for (std::uint64_t m = part; m; m &= m - 1) {
                    const std::uint64_t address = addresses[first + static_cast<unsigned>(std::countr_zero(m))];
                    pieces.push_back({address / rule.segment_bytes * rule.segment_bytes, rule.segment_bytes});
                }
                std::sort(pieces.begin(), pieces.end(),
                          [](const Piece& a, const Piece& b) { return a.address < b.address; });
                pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
                break;
            case CoalescingRule::Kind::tesla_in_order:
                tesla_in_order(addresses + first, part, bytes, &pieces);
                break;
            case CoalescingRule::Kind::tesla_segments:
                tesla_segments(addresses + first, part, bytes, &pieces);
                break;
        }
        out.insert(out.end(), pieces.begin(), pieces.end());
    }
    return out;
}

}  // namespace warpwright::counters
