// Another host knows what its memory had before, which is what this host's had when the grid was shared. So a byte of
// this host's that is no longer so was written here, or by a third host whose changes were taken over.
#include "engine/run/changes.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "simt/details.hpp"

namespace warpwright::engine {

namespace {

template <class Word, class Signed>
Word combined(AtomicOp op, Word here, Word before, Word after) {
    switch (op) {
        case AtomicOp::add_int:
            return static_cast<Word>(here + (after - before));
        case AtomicOp::min_s:
            return static_cast<Word>(std::min(static_cast<Signed>(here), static_cast<Signed>(after)));
        case AtomicOp::max_s:
            return static_cast<Word>(std::max(static_cast<Signed>(here), static_cast<Signed>(after)));
        case AtomicOp::min_u:
            return std::min(here, after);
        case AtomicOp::max_u:
            return std::max(here, after);
        case AtomicOp::and_:
            return here & after;
        case AtomicOp::or_:
            return here | after;
        default:  // xor
            return here ^ before ^ after;
    }
}

/// (Another launch of the program may do atomics on the same words now.)
template <class Word, class Signed>
void combine(AtomicOp op, std::uint8_t* here, const std::uint8_t* before, const std::uint8_t* after,
             std::size_t bytes) {
    for (std::size_t n = 0; n < bytes / sizeof(Word); ++n) {
        const auto k = n * sizeof(Word);
        Word b, a;
        std::memcpy(&b, before + k, sizeof b), std::memcpy(&a, after + k, sizeof a);
        if (a == b) continue;
        std::atomic_ref<Word> word(*reinterpret_cast<Word*>(here + k));
        for (Word h = word.load(); !word.compare_exchange_weak(h, combined<Word, Signed>(op, h, b, a));) {
        }
    }
}

/// Whether a change lies in memory where words are combined.
bool is_combined(const Change& change, const DeviceMemory& memory, const TouchedMemory& touched,
                 const std::optional<Combining>& how) {
    if (!how || change.address % how->bytes || change.before.size() % how->bytes) return false;
    const auto there = memory.find(change.address);
    constexpr unsigned kByOthers = TouchedMemory::kStored & ~TouchedMemory::kWritten;
    return there && !(touched.how(there->address) & kByOthers);
}

bool is_disjoint(const Change& change) {
    const auto* here = reinterpret_cast<const std::uint8_t*>(change.address);
    if (std::memcmp(here, change.before.data(), change.before.size()) == 0) return true;
    for (std::size_t k = 0; k < change.after.size(); ++k)
        if (change.before[k] != change.after[k] && here[k] != change.before[k] && here[k] != change.after[k])
            return false;
    return true;
}

}  // namespace

std::optional<Combining> combining(const KernelCode& code) {
    std::optional<Combining> out;
    for (const auto& s : code.sites) {
        if (s.kind != SiteInfo::Kind::atomic || s.space == simt::Space::shared) continue;
        const Combining one{static_cast<AtomicOp>(s.operation), s.bytes};
        if ((one.bytes != 4 && one.bytes != 8) || (out && (out->operation != one.operation || out->bytes != one.bytes)))
            return std::nullopt;
        out = one;
    }
    return out;
}

bool take_over(std::span<const Change> changes, const DeviceMemory& memory, const TouchedMemory& touched,
               const std::optional<Combining>& how) {
    for (const auto& c : changes) {
        const auto there = memory.find(c.address);
        const auto bytes = c.after.size();
        if (c.before.size() != bytes) return false;
        if (!(there && there->allows(c.address, bytes, true)) && !memory.tolerates(c.address, bytes, true))
            return false;
        if (!is_combined(c, memory, touched, how) && !is_disjoint(c)) return false;
    }
    for (const auto& c : changes) {
        auto* here = reinterpret_cast<std::uint8_t*>(c.address);
        if (is_combined(c, memory, touched, how)) {
            if (how->bytes == 8)
                combine<std::uint64_t, std::int64_t>(how->operation, here, c.before.data(), c.after.data(),
                                                     c.after.size());
            else
                combine<std::uint32_t, std::int32_t>(how->operation, here, c.before.data(), c.after.data(),
                                                     c.after.size());
        } else {
            for (std::size_t k = 0; k < c.after.size(); ++k)
                if (c.before[k] != c.after[k]) here[k] = c.after[k];
        }
    }
    return true;
}

}  // namespace warpwright::engine
