// Accesses of many lanes to local memory: arrays that are indexed by a variable. Used by memory_access.cpp.
#pragma once

#include "engine/runtime/lane_gather.hpp"
#include "engine/runtime/lane_memory.hpp"
#include "engine/shared/executor.hpp"

namespace warpwright::engine {

/// One element of a lane's local memory, whose words lie a warp apart.
template <class T>
void local_element(std::uint8_t* words, unsigned lanes, unsigned lane, std::uint64_t address, T* value, bool store) {
    if constexpr (sizeof(T) == 8) {
        auto* halves = reinterpret_cast<std::uint32_t*>(value);
        local_element(words, lanes, lane, address, halves, store);
        local_element(words, lanes, lane, address + 4, halves + 1, store);
    } else {
        auto* at = reinterpret_cast<T*>(words + word_offset(address, lanes, lane));
        if (store)
            *at = *value;
        else
            *value = *at;
    }
}

/// The same for lanes that all use one address: their words are adjacent.
template <class T>
void local_row(std::uint8_t* words, unsigned lanes, std::uint64_t address, std::uint64_t mask, T* data, bool store) {
    if constexpr (sizeof(T) == 8) {
        for (; mask; mask &= mask - 1) {
            const auto l = static_cast<unsigned>(__builtin_ctzll(mask));
            local_element(words, lanes, l, address, data + l, store);
        }
    } else {
        auto* row = words + word_offset(address, lanes, 0);
        auto one = [&](unsigned l) {
            if (store)
                std::memcpy(row + 4 * l, data + l, sizeof(T));
            else
                std::memcpy(data + l, row + 4 * l, sizeof(T));
        };
        if (mask == 0xffffffffu && lanes == 32)
            for (unsigned l = 0; l < 32; ++l) one(l);
        else
            for (; mask; mask &= mask - 1) one(static_cast<unsigned>(__builtin_ctzll(mask)));
    }
}

/// Whether an access of these lanes, one at least, may be one to local memory: as its first lane shows.
inline bool in_local_memory(const BlockContext* c, const SiteInfo& info, const std::uint64_t* addresses,
                            std::uint64_t mask) {
    return mask &&
           (info.space == simt::Space::local ||
            (info.space == simt::Space::generic && addresses[__builtin_ctzll(mask)] - c->local_window < kWindowBytes));
}

/// All active lanes in local memory, from `base` on, where arrays that are indexed by a variable live. False, with
/// nothing done, if a lane is elsewhere.
template <class T>
bool local_lanes(WarpFrame* f, unsigned lanes, unsigned count, std::uint64_t base, const std::uint64_t* addresses,
                 std::uint64_t mask, T* data, bool store) {
    const std::uint64_t total = sizeof(T) * count;
    if (f->local_size < total) return false;
    const std::uint64_t last = f->local_size - total;
    std::uint64_t wrong = 0, differ = 0;
    const auto one = addresses[__builtin_ctzll(mask)];
    auto look = [&](unsigned l) {
        const auto a = addresses[l] - base;
        wrong |= (a & (total - 1)) | static_cast<std::uint64_t>(a > last);
        differ |= addresses[l] ^ one;
    };
    if (mask == 0xffffffffu && lanes == 32)
        for (unsigned l = 0; l < 32; ++l) look(l);
    else
        for (auto rest = mask; rest; rest &= rest - 1) look(static_cast<unsigned>(__builtin_ctzll(rest)));
    if (wrong) return false;
    if (!differ) {
        for (unsigned e = 0; e < count; ++e)
            local_row(f->local, lanes, one - base + e * sizeof(T), mask, data + e * lanes, store);
        return true;
    }
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        for (unsigned e = 0; e < count; ++e)
            local_element(f->local, lanes, l, addresses[l] - base + e * sizeof(T), data + e * lanes + l, store);
    }
    return true;
}

/// The same for an access of any width; `data`: element by element, consecutive lanes.
inline bool local_move(BlockContext* c, WarpFrame* f, const SiteInfo& info, const std::uint64_t* addresses,
                       std::uint64_t mask, void* data, bool store) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const std::uint64_t base = info.space == simt::Space::generic ? c->local_window : 0;
    if (lanes == 32 && move_in_local(f->local, base, f->local_size, addresses, static_cast<std::uint32_t>(mask),
                                     info.bytes, info.count, data, store))
        return true;
    switch (info.bytes) {
        case 1:
            return local_lanes(f, lanes, info.count, base, addresses, mask, static_cast<std::uint8_t*>(data), store);
        case 2:
            return local_lanes(f, lanes, info.count, base, addresses, mask, static_cast<std::uint16_t*>(data), store);
        case 4:
            return local_lanes(f, lanes, info.count, base, addresses, mask, static_cast<std::uint32_t*>(data), store);
        default:
            return local_lanes(f, lanes, info.count, base, addresses, mask, static_cast<std::uint64_t*>(data), store);
    }
}

}  // namespace warpwright::engine
