// A whole warp is looked at without a branch for each lane, and then moved; if that tells nothing, lane by lane.
#include "engine/runtime/checked/quiet_reads.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#include "engine/runtime/checked/each_lane.hpp"
#include "engine/runtime/kernel_memory.hpp"
#include "shadow/shared_word.hpp"
#include "support/clones.hpp"

namespace warpwright::engine {

namespace {

/// One read: where its lanes are, and where what they read goes.
struct LaneReads {
    const std::uint64_t* addresses;
    std::uint64_t mask;
    std::uint8_t* data;
    unsigned lanes;  ///< of the warp: elements of one lane are so many apart in `data`
};

template <class Word, unsigned kCount>
[[gnu::always_inline]] inline void load_lanes(const LaneReads& r, std::uint64_t set, std::uint64_t base,
                                              const std::uint64_t* at) {
    each_lane(set, [&](unsigned l) __attribute__((always_inline)) {
        const auto* from = reinterpret_cast<const std::uint8_t*>(base + at[l]);
        for (unsigned e = 0; e < kCount; ++e)
            kernel_memory::load_one<Word>(r.data + (std::uint64_t{e} * r.lanes + l) * sizeof(Word),
                                          from + e * sizeof(Word));
    });
}

/// Whether one of a whole warp's lanes is not aligned to `bytes`, or lies beyond `last`.
WARPWRIGHT_CLONES bool any_outside(const std::uint64_t* at, std::uint64_t bytes, std::uint64_t last) {
    std::uint64_t wrong = 0;
    for (unsigned l = 0; l < shadow::kLoggedLanes; ++l) wrong |= (at[l] & (bytes - 1)) | std::uint64_t{at[l] > last};
    return wrong != 0;
}

/// Of lanes at `at`, those that lie whole and aligned within `limit`, the size of an access at least.
template <unsigned kBytes>
[[gnu::always_inline]] inline std::uint64_t within(const std::uint64_t* at, std::uint64_t mask, std::uint64_t limit) {
    if (mask == shadow::kLoggedWarp && !any_outside(at, kBytes, limit - kBytes)) return mask;
    std::uint64_t good = 0;
    each_lane(mask,
              [&](unsigned l) { good |= std::uint64_t{!(at[l] & (kBytes - 1)) && at[l] <= limit - kBytes} << l; });
    return good;
}

/// Of lanes at `at`, all within the memory of these marks, those whose words are all marked.
template <unsigned kBytes>
WARPWRIGHT_BY_VECTORS std::uint64_t marked(const std::uint64_t* at, std::uint64_t mask, const std::uint8_t* marks,
                                           std::uint8_t mark) {
    constexpr unsigned kWords = kBytes / 4;
    const auto all = shadow::all_marks<kWords>(mark);
    const auto differs = [&](unsigned l) WARPWRIGHT_BY_VECTORS -> unsigned {
        shadow::Marks<kWords> m;
        std::memcpy(&m, marks + (at[l] >> 2), sizeof m);
        return m ^ all;
    };
    if (mask == shadow::kLoggedWarp) {
        unsigned wrong = 0;
        for (unsigned l = 0; l < shadow::kLoggedLanes; ++l) wrong |= differs(l);
        if (!wrong) return mask;
    }
    std::uint64_t good = 0;
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        good |= std::uint64_t{differs(l) == 0} << l;
    }
    return good;
}

template <class Word, unsigned kCount>
std::uint64_t read_shared(BlockContext* c, const WarpFrame* f, std::uint32_t index, const LaneReads& r) {
    constexpr unsigned kBytes = sizeof(Word) * kCount;
    const auto limit = c->quick.shared_limit;
    if (limit < kBytes) return 0;
    std::uint64_t at[64];
    each_lane(r.mask, [&](unsigned l) { at[l] = r.addresses[l] & 0xffffffffu; });
    const auto shape = static_cast<std::uint32_t>(std::countr_zero(kBytes)) << shadow::shape::kBytesShift |
                       f->warp << shadow::shape::kWarpShift;
    const auto good = checked(c).shared->calm_read_lanes(at, within<kBytes>(at, r.mask, limit), kBytes, shape, index);
    load_lanes<Word, kCount>(r, good, reinterpret_cast<std::uint64_t>(c->shared), at);
    return good;
}

template <class Word, unsigned kCount>
std::uint64_t read_global(BlockContext* c, const LaneReads& r) {
    constexpr unsigned kBytes = sizeof(Word) * kCount;
    const auto& quick = c->quick;
    if (quick.limit < kBytes) return 0;
    std::uint64_t at[64];
    each_lane(r.mask, [&](unsigned l) { at[l] = r.addresses[l] - quick.start; });
    const auto good = marked<kBytes>(at, within<kBytes>(at, r.mask, quick.limit), quick.quiet, quick.mark);
    load_lanes<Word, kCount>(r, good, quick.start, at);
    return good;
}

}  // namespace

std::uint64_t read_quiet_lanes(BlockContext* c, const WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                               const std::uint64_t* addresses, std::uint64_t mask, std::uint8_t* data) {
    const LaneReads reads{addresses, mask, data, c->executor->launch.code->options.block.lanes};
    const auto read = [&](auto word, auto count) {
        using Word = decltype(word);
        constexpr unsigned kCount = decltype(count)::value;
        return info.space == simt::Space::shared ? read_shared<Word, kCount>(c, f, index, reads)
                                                 : read_global<Word, kCount>(c, reads);
    };
    switch (info.bytes << 4 | info.count) {
        case 0x41:
            return read(std::uint32_t{}, std::integral_constant<unsigned, 1>{});
        case 0x42:
            return read(std::uint32_t{}, std::integral_constant<unsigned, 2>{});
        case 0x44:
            return read(std::uint32_t{}, std::integral_constant<unsigned, 4>{});
        case 0x81:
            return read(std::uint64_t{}, std::integral_constant<unsigned, 1>{});
        case 0x82:
            return read(std::uint64_t{}, std::integral_constant<unsigned, 2>{});
        default:
            return 0;
    }
}

}  // namespace warpwright::engine
