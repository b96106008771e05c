// Device memory: one reserved address range, so that device pointers are host pointers, and the table of what is
// allocated in it, so that every access is checked to the byte.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "shadow/shadow.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

struct Allocation {
    std::uint64_t address = 0, bytes = 0;
};

class DeviceMemory {
public:
    /// Reserves address space (no memory yet) for a device of `bytes`: twice that, where there is so much, so that
    /// what is freed need not be handed out again soon.
    /// `zeroed`: fresh memory reads as zeros, as a real device's mostly does, instead of 0xCD.
    static Result<std::unique_ptr<DeviceMemory>> reserve(std::uint64_t bytes, bool zeroed = false);
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;

    /// 256-byte aligned; fresh memory reads 0xCD. Addresses are handed out round the whole range, so that a pointer to
    /// freed memory points at nothing for as long as can be. ErrorKind::limit when the device's memory is used up.
    Result<std::uint64_t> allocate(std::uint64_t bytes);
    Result<void> release(std::uint64_t address);
    /// Host memory of somebody else's that kernels may reach from now on, until it is disowned.
    Result<void> adopt(std::uint64_t address, std::uint64_t bytes);
    Result<void> disown(std::uint64_t address);
    /// The allocation that holds `address`, if any (a freed one does not). Thread-safe.
    std::optional<Allocation> find(std::uint64_t address) const;
    /// Whether [address, address + bytes) ends in the rest of an allocation's last 512 bytes. A GPU hands memory out in
    /// such steps and does not notice; programs that run there must run here. Only where fresh memory is as there too
    /// (`zeroed`), and never while accesses are checked.
    bool tolerates(std::uint64_t address, std::uint64_t bytes) const;
    /// The allocation that ends closest before `address` or begins closest after it, for messages.
    std::optional<Allocation> nearest(std::uint64_t address) const;
    std::uint64_t in_use() const { return in_use_; }
    std::uint64_t size() const { return bytes_; }
    /// Freed memory that `address` was in, until it is handed out again or long forgotten.
    std::optional<Allocation> freed(std::uint64_t address) const;
    /// Where the checkers keep what they know of this memory; null: nothing is checked.
    void set_shadow(shadow::Shadow* shadow) { shadow_ = shadow; }
    shadow::Shadow* shadow() const { return shadow_; }
    std::uint64_t base() const { return base_; }
    std::uint64_t range() const { return range_; }
    /// What is allocated now, by address.
    std::vector<Allocation> live() const;
    bool in_range(std::uint64_t address) const { return address - base_ < range_; }

private:
    DeviceMemory(std::uint64_t base, std::uint64_t range, std::uint64_t bytes, bool zeroed)
        : base_(base), range_(range), bytes_(bytes), zeroed_(zeroed), next_(base) {
        free_[base] = range;
    }

    std::uint64_t base_, range_, bytes_;  ///< bytes_: what may be in use at once
    bool zeroed_;
    std::uint64_t in_use_ = 0;
    std::uint64_t next_;  ///< where the search for room starts
    mutable std::shared_mutex mutex_;
    std::map<std::uint64_t, std::uint64_t> live_;  ///< address -> bytes asked for
    std::map<std::uint64_t, std::uint64_t> free_;  ///< address -> bytes
    std::deque<Allocation> freed_;                 ///< the last ones
    shadow::Shadow* shadow_ = nullptr;
};

}  // namespace warpwright::engine
