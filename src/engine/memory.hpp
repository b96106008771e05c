// Device memory: one reserved address range, so that device pointers are host pointers, and the table of what is
// allocated in it, so that every access is checked to the byte.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <optional>

#include "support/result.hpp"

namespace warpwright::engine {

struct Allocation {
    std::uint64_t address = 0, bytes = 0;
};

class DeviceMemory {
public:
    /// Reserves `bytes` of address space (no memory yet).
    static Result<std::unique_ptr<DeviceMemory>> reserve(std::uint64_t bytes);
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;

    /// 256-byte aligned; fresh memory reads 0xCD. ErrorKind::limit when the range or the host's memory is used up.
    Result<std::uint64_t> allocate(std::uint64_t bytes);
    Result<void> release(std::uint64_t address);
    /// The allocation that holds `address`, if any (a freed one does not). Thread-safe.
    std::optional<Allocation> find(std::uint64_t address) const;
    /// The allocation that ends closest before `address` or begins closest after it, for messages.
    std::optional<Allocation> nearest(std::uint64_t address) const;
    std::uint64_t in_use() const { return in_use_; }
    bool in_range(std::uint64_t address) const { return address - base_ < bytes_; }

private:
    DeviceMemory(std::uint64_t base, std::uint64_t bytes) : base_(base), bytes_(bytes) { free_[base] = bytes; }

    std::uint64_t base_, bytes_, in_use_ = 0;
    mutable std::shared_mutex mutex_;
    std::map<std::uint64_t, std::uint64_t> live_;  ///< address -> bytes asked for
    std::map<std::uint64_t, std::uint64_t> free_;  ///< address -> bytes
};

}  // namespace warpwright::engine
