// The allocations that a host thread's accesses fell into, and whether they read or wrote. It is told of an allocation
// only when an access leaves the one that its instruction's site remembers, so that the usual case costs nothing. The
// set depends neither on the order nor on the number of host threads.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "engine/shared/device_memory.hpp"
#include "engine/shared/kernel_layout.hpp"
#include "record/touched.hpp"

namespace warpwright::engine {

class TouchedMemory {
public:
    static constexpr std::uint8_t kRead = 1, kWritten = 2;
    static constexpr std::uint8_t kStored = kWritten | 4;  ///< written by other than atomics

    void note(const Allocation& allocation, std::uint8_t how) {
        if (allocation.address == last_ && (last_how_ & how) == how) return;
        auto& known = known_[allocation.address];
        known.bytes = allocation.bytes;
        known.how |= how;
        last_ = allocation.address, last_how_ = known.how;
    }
    /// Records an access by an instruction: only global memory counts.
    void note(const Allocation& allocation, const SiteInfo& site) {
        if (site.space != simt::Space::global && site.space != simt::Space::generic) return;
        using Kind = SiteInfo::Kind;
        note(allocation, site.kind == Kind::store ? kStored : site.kind == Kind::atomic ? kRead | kWritten : kRead);
    }
    void add(const TouchedMemory& other) {
        for (const auto& [address, o] : other.known_) {
            auto& mine = known_[address];
            mine.bytes = o.bytes;
            mine.how |= o.how;
        }
    }
    void add(std::uint64_t address, std::uint64_t bytes, std::uint8_t how) {
        auto& mine = known_[address];
        mine.bytes = bytes;
        mine.how |= how;
    }
    /// How an allocation was accessed; 0: not at all.
    std::uint8_t how(std::uint64_t address) const {
        const auto at = known_.find(address);
        return at == known_.end() ? std::uint8_t{0} : at->second.how;
    }
    template <class F>
    void each(F&& f) const {
        for (const auto& [address, known] : known_) f(address, known.bytes, known.how);
    }
    bool empty() const { return known_.empty(); }
    record::Touched sum() const {
        record::Touched out;
        for (const auto& [address, known] : known_) {
            if (known.how & kRead) out.read += known.bytes;
            if (known.how & kWritten) out.written += known.bytes;
        }
        return out;
    }

private:
    struct Known {
        std::uint64_t bytes = 0;
        std::uint8_t how = 0;
    };
    std::unordered_map<std::uint64_t, Known> known_;
    std::uint64_t last_ = 0;
    std::uint8_t last_how_ = 0;
};

}  // namespace warpwright::engine
