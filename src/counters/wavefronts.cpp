// This file counts the passes over the banks of shared memory. A warp of 32 lanes on 32 banks of 4 bytes takes the
// vector kernels; every other rule goes through a general function, which also serves the single broadcast of compute
// capability 1.x.
#include <algorithm>
#include <array>
#include <bit>

#include "counters/access.hpp"
#include "counters/kernels.hpp"
#include "counters/units.hpp"

namespace warpwright::counters {
namespace {

constexpr unsigned kMaxGroup = 64;

/// The most lanes in one bank, repeats included.
unsigned most_in_a_bank(const std::uint32_t* unit, unsigned n, unsigned banks) {
    std::uint8_t count[32] = {};
    unsigned most = 0;
    for (unsigned i = 0; i < n; ++i) {
        const unsigned c = ++count[unit[i] & (banks - 1)];
        most = c > most ? c : most;
    }
    return most;
}

/// The most distinct units in one bank. `unit` is overwritten; n is at most kMaxGroup, banks a power of two up to 32.
unsigned most_distinct_in_a_bank(std::uint32_t* unit, unsigned n, unsigned banks) {
    std::sort(unit, unit + n);
    n = static_cast<unsigned>(std::unique(unit, unit + n) - unit);
    return most_in_a_bank(unit, n, banks);
}

/// Compute capability 1.x: each pass serves every lane of one broadcast word, and one lane of every other bank. The
/// hardware's choice of the word is not specified; the one with the most lanes left in the fullest bank is taken.
unsigned single_broadcast_passes(std::uint32_t* unit, unsigned n, unsigned banks) {
    unsigned passes = 0;
    while (n > 0) {
        std::array<unsigned, 32> in_bank{};
        for (unsigned i = 0; i < n; ++i) ++in_bank[unit[i] & (banks - 1)];
        unsigned best = 0, best_score = 0;
        for (unsigned i = 0; i < n; ++i) {
            const unsigned same = static_cast<unsigned>(std::count(unit, unit + n, unit[i]));
            const unsigned score = in_bank[unit[i] & (banks - 1)] * kMaxGroup + same;
            if (score > best_score) best = i, best_score = score;
        }
        const std::uint32_t word = unit[best];
        std::uint32_t used = std::uint32_t{1} << (word & (banks - 1));
        unsigned left = 0;
        for (unsigned i = 0; i < n; ++i) {
            const std::uint32_t bit = std::uint32_t{1} << (unit[i] & (banks - 1));
            if (unit[i] == word) continue;
            if (used & bit) {
                unit[left++] = unit[i];
                continue;
            }
            used |= bit;
        }
        n = left;
        ++passes;
    }
    return passes;
}

/// Any rule, any number of lanes.
Passes passes_by_rule(const std::uint32_t* addresses, std::uint64_t mask, unsigned bytes, unsigned lanes,
                      const BankRule& rule, bool repeats_count, bool may_join) {
    const Units units = units_of(bytes, rule);
    std::uint32_t unit[kMaxGroup];
    const unsigned group = units_of_lanes(addresses, mask, bytes, lanes, rule, may_join, unit);
    Passes total{0, 0};
    for (unsigned first = 0; first < lanes; first += group) {
        std::uint32_t active[kMaxGroup];
        unsigned n = 0;
        for (unsigned i = first; i < std::min(first + group, lanes); ++i)
            if (mask >> i & 1) active[n++] = unit[i];
        if (n == 0) continue;
        ++total.groups;
        if (repeats_count)
            total.passes += most_in_a_bank(active, n, units.banks);
        else if (rule.multicast)
            total.passes += most_distinct_in_a_bank(active, n, units.banks);
        else
            total.passes += single_broadcast_passes(active, n, units.banks);
    }
    return total;
}

}  // namespace

SharedCost shared_cost(SharedOp op, const std::uint32_t* addresses, std::uint64_t mask, unsigned bytes, unsigned lanes,
                       const BankRule& rule) {
    mask &= low_lanes(lanes);
    if (mask == 0) return {};
    const bool repeats_count = op == SharedOp::atomic || op == SharedOp::atomic_cas;
    const bool may_join = op == SharedOp::load && rule.joins_broadcast_groups;
    bool in_vectors = lanes == kWarp && rule.banks == 32 && rule.bank_bytes == 4 && rule.group_lanes == 32 &&
                      rule.multicast && !rule.paired_rows && bytes <= 16;
    if (in_vectors) {
        std::uint32_t high = 0;
        for (unsigned i = 0; i < kWarp; ++i) high |= addresses[i];
        // Words must fit 16 bits with a value to spare: 256 KiB, more than any device's shared memory. (Inactive lanes'
        // addresses may be anything; then the slow path is used.)
        in_vectors = high <= kMostSharedAddress;
    }
    const Passes passes = in_vectors ? kKernels.passes_of_a_warp(addresses, static_cast<std::uint32_t>(mask), bytes,
                                                                 repeats_count, may_join)
                                     : passes_by_rule(addresses, mask, bytes, lanes, rule, repeats_count, may_join);
    return {op == SharedOp::atomic_cas ? 2 * passes.passes : passes.passes, passes.passes - passes.groups};
}

SharedCost shared_cost(SharedOp op, const std::uint64_t* addresses, std::uint64_t window, std::uint64_t mask,
                       unsigned bytes, unsigned lanes, LastRequest& last) {
    mask &= low_lanes(lanes);
    if (mask == 0) return {};
    if (lanes != kWarp || bytes > 16) {
        std::uint32_t offsets[kMaxGroup];
        for (unsigned l = 0; l < lanes; ++l) offsets[l] = static_cast<std::uint32_t>(addresses[l] - window);
        return shared_cost(op, offsets, mask, bytes, lanes);
    }
    if ((mask & (mask - 1)) == 0) return {op == SharedOp::atomic_cas ? 2u : 1u, 0};
    // If all lanes move by whole words, and by whole widths, they change their banks together.
    const auto base = addresses[std::countr_zero(mask)] & ~std::uint64_t{std::max(bytes, 4u) - 1};
    constexpr unsigned kPatience = 8, kSeldom = 64;
    const bool looks = last.in_vain < kPatience || last.in_vain % kSeldom == 0;
    if (looks && last.mask == mask &&
        kKernels.same_distances(addresses, base, static_cast<std::uint32_t>(mask), last.distances)) {
        last.in_vain = 0;
        return last.cost;
    }
    ++last.in_vain;
    const bool repeats_count = op == SharedOp::atomic || op == SharedOp::atomic_cas;
    SharedCost cost;
    Passes passes{0, 0};
    if (kKernels.passes_of_wide_addresses(addresses, window, static_cast<std::uint32_t>(mask), bytes, repeats_count,
                                          op == SharedOp::load, passes)) {
        cost = {op == SharedOp::atomic_cas ? 2 * passes.passes : passes.passes, passes.passes - passes.groups};
    } else {
        std::uint32_t offsets[kWarp];
        for (unsigned l = 0; l < kWarp; ++l) offsets[l] = static_cast<std::uint32_t>(addresses[l] - window);
        cost = shared_cost(op, offsets, mask, bytes, lanes);
    }
    if (looks) {
        last.mask = mask;
        last.cost = cost;
        for (unsigned l = 0; l < kWarp; ++l) last.distances[l] = addresses[l] - base;
    }
    return cost;
}

unsigned shared_wavefronts(SharedOp op, const std::uint32_t* addresses, std::uint64_t mask, unsigned bytes,
                           unsigned lanes, const BankRule& rule) {
    return shared_cost(op, addresses, mask, bytes, lanes, rule).wavefronts;
}

unsigned shared_ideal_wavefronts(std::uint64_t mask, unsigned bytes, unsigned lanes, const BankRule& rule) {
    mask &= low_lanes(lanes);
    if (mask == 0) return 0;
    std::uint32_t consecutive[kMaxGroup];
    for (unsigned i = 0; i < lanes; ++i) consecutive[i] = i * bytes;
    return shared_wavefronts(SharedOp::load, consecutive, mask, bytes, lanes, rule);
}

}  // namespace warpwright::counters
