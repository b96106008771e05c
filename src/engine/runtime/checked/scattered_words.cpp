// The general way (access_in_order.cpp) tells spaces, widths and elements apart for each lane; here that is done once.
#include "engine/runtime/checked/scattered_words.hpp"

#include <bit>
#include <cstring>

#include "engine/runtime/checked/each_lane.hpp"
#include "engine/runtime/kernel_memory.hpp"
#include "shadow/shared_word.hpp"

namespace warpwright::engine {

namespace {

/// The lanes that are within an allocation and, if `ask`, read what was written.
template <class Word>
std::uint64_t allowed(BlockContext* c, std::uint32_t index, const std::uint64_t* addresses, std::uint64_t mask,
                      bool ask, bool store) {
    const auto& site = c->sites[index];
    const auto& shadow = *launch_of(c).shadow;
    const auto found = site.found, bytes = site.found_bytes;
    std::uint64_t good = 0;
    each_lane(mask, [&](unsigned l) {
        const auto at = addresses[l];
        const bool inside = covers(found, bytes, at, sizeof(Word)) & ((at & (sizeof(Word) - 1)) == 0);
        good |= std::uint64_t{inside} << l;
    });
    each_lane(mask & ~good, [&](unsigned l) {
        const auto at = addresses[l];
        const bool inside = (at & (sizeof(Word) - 1)) == 0 && within_allocation(c, index, at, sizeof(Word), store);
        good |= std::uint64_t{inside} << l;
    });
    if (ask)
        each_lane(good, [&](unsigned l) {
            if (!shadow.is_element_written(addresses[l], sizeof(Word))) good &= ~(std::uint64_t{1} << l);
        });
    return good;
}

/// What these lanes store is written from now on.
template <class Word>
void set_written(shadow::Shadow& shadow, const std::uint64_t* addresses, std::uint64_t lanes) {
    std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
    each_lane(lanes,
              [&](unsigned l) { lowest = std::min(lowest, addresses[l]), highest = std::max(highest, addresses[l]); });
    const auto from = lowest & ~std::uint64_t{7};
    if (sizeof(Word) > 4 || highest - from >= 256)
        return each_lane(lanes, [&](unsigned l) { shadow.set_element_written(addresses[l], sizeof(Word)); });
    std::uint64_t words = 0;
    each_lane(lanes, [&](unsigned l) { words |= std::uint64_t{1} << (addresses[l] - from) / 4; });
    shadow.set_words_written(from, words);
}

template <class Word, bool kStore>
std::uint64_t move_words(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                         const std::uint64_t* addresses, std::uint64_t mask, std::uint8_t* data) {
    auto& launch = launch_of(c);
    auto& block = checked(c);
    const bool looked = is_looked_at(launch, info);
    auto good = allowed<Word>(c, index, addresses, mask, launch.init && !kStore && looked, kStore);
    if (good && launch.race && block.race)
        good = launch.shadow->lanes(addresses, good, sizeof(Word), kStore, accessor(c, f, index, false, looked));
    if (!good) return 0;
    if (kStore && launch.init) set_written<Word>(*launch.shadow, addresses, good);
    Word differ = 0;
    each_lane(good, [&](unsigned l) {
        auto* const element = data + std::uint64_t{l} * sizeof(Word);
        auto* const there = reinterpret_cast<std::uint8_t*>(addresses[l]);
        if constexpr (kStore) {
            Word before, now;
            kernel_memory::load_one<Word>(&before, there);
            std::memcpy(&now, element, sizeof now);
            differ |= before ^ now;
            kernel_memory::store_one<Word>(there, element);
        } else {
            kernel_memory::load_one<Word>(element, there);
        }
    });
    if (kStore) block.changes += differ != 0, block.global_changes += 1;
    return good;
}

}  // namespace

std::uint64_t move_scattered_words(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                                   const std::uint64_t* addresses, std::uint64_t mask, std::uint8_t* data, bool store) {
    const auto move = [&](auto word) {
        using Word = decltype(word);
        return store ? move_words<Word, true>(c, f, index, info, addresses, mask, data)
                     : move_words<Word, false>(c, f, index, info, addresses, mask, data);
    };
    return info.bytes == 4 ? move(std::uint32_t{}) : move(std::uint64_t{});
}

std::uint32_t read_words_with_gaps(BlockContext* c, WarpFrame* f, std::uint32_t index, std::uint64_t start,
                                   std::uint64_t mask, std::uint32_t shape) {
    constexpr unsigned kForm = 2;
    auto& launch = launch_of(c);
    const auto first = static_cast<unsigned>(std::countr_zero(mask)),
               count = 64 - static_cast<unsigned>(std::countl_zero(mask)) - first;
    if (!(shape & kShapePlain) || shape & (kShapeStore | kShapeShared) || start & 3 ||
        (shape >> shadow::shape::kBytesShift & 15) != kForm)
        return 0;
    // Neighbours that are whole lines are accesses of their own (move_in_order()).
    const auto neighbours = static_cast<unsigned>(std::countr_one(mask >> first));
    const auto low = start + std::uint64_t{first} * 4, bytes = std::uint64_t{count} * 4;
    const auto& info = c->executor->launch.code->sites[index];
    if (neighbours * 4 >= shadow::Shadow::kLine || !checked(c).race || !launch.race ||
        !within_allocation(c, index, low, bytes, false))
        return 0;
    const auto& quick = c->quick;
    const auto in = low - quick.start;
    std::uint64_t at[64];
    bool quiet = false, written = true;
    const bool looked = is_looked_at(launch, info);
    const bool ask = launch.init && looked && !launch.shadow->is_written(low, bytes);
    each_lane(mask, [&](unsigned l) {
        at[l] = start + std::uint64_t{l} * 4;
        quiet |= in < quick.limit && quick.quiet[(at[l] - quick.start) >> 2] == quick.mark;
        if (ask) written &= launch.shadow->is_element_written(at[l], 4);
    });
    if (quiet || !written) return 0;
    return launch.shadow->list_together(at, mask, false, accessor(c, f, index, false, looked)) == mask;
}

}  // namespace warpwright::engine
