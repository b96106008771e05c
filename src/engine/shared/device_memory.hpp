// Device memory: one reserved address range, so that device pointers are host pointers, and the table of what is
// allocated in it, so that every access is checked to the byte.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "shadow/shadow.hpp"
#include "support/covers.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

/// The purpose of an allocation, which decides what kernels may do with it.
enum class MemoryUse : std::uint8_t {
    data,      ///< the host's: kernels read and write it, and only the host frees it
    shared,    ///< the same, and the host's program writes it too while kernels run: page-locked, managed, adopted
    heap,      ///< a kernel has allocated it, and a kernel may free it
    constant,  ///< constant variables, parameters of a launch, texts of the device's own: kernels only read them
};

/// Whose memory an allocation is, where one engine stands for several devices.
struct Owner {
    static constexpr std::uint8_t kEveryDevice = 0xff;
    std::uint8_t device = kEveryDevice;  ///< its number; kEveryDevice: memory that all of them reach
    bool only_open = false;              ///< others reach it only where it is open to them
    std::uint16_t open_to = 0;           ///< the devices to which it is open, as bits
};

struct Allocation {
    std::uint64_t address = 0, bytes = 0;
    MemoryUse use = MemoryUse::data;
    Owner owner = {};    ///< of the address that was asked for
    bool mixed = false;  ///< parts of it have owners of their own

    bool covers(std::uint64_t at, std::uint64_t n) const { return warpwright::covers(address, bytes, at, n); }
    /// Whether a kernel may access these bytes; `store`: it writes.
    bool allows(std::uint64_t at, std::uint64_t n, bool store) const {
        return covers(at, n) && !(store && use == MemoryUse::constant);
    }
    /// Bytes from `at`, which lies in it, to its end.
    std::uint64_t from(std::uint64_t at) const { return bytes - (at - address); }
};

class DeviceMemory {
public:
    /// Reserves address space (no memory yet) for a device of `bytes`: twice that, where there is so much, so that
    /// what is freed need not be handed out again soon.
    /// `zeroed`: fresh memory reads as zeros, as a real device's mostly does, instead of 0xCD.
    /// `tolerant`: kernels may reach a little past an allocation's end (see tolerates()).
    /// `guarded`: see shared/guard.hpp; nothing is tolerated then.
    static Result<std::unique_ptr<DeviceMemory>> reserve(std::uint64_t bytes, bool zeroed = false,
                                                         bool tolerant = false, bool guarded = false,
                                                         const std::string& folder = {});
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;

    /// 256-byte aligned, from 1 MiB on at a page of 4 KiB; fresh memory reads 0xCD. Addresses are handed out in turn
    /// over the whole range, so that a pointer to freed memory points at nothing for as long as possible.
    /// ErrorKind::limit when the device's memory is used up.
    Result<std::uint64_t> allocate(std::uint64_t bytes, MemoryUse use = MemoryUse::data);
    Result<void> release(std::uint64_t address);
    /// The same for a kernel, which may only release what a kernel has allocated.
    Result<void> release_heap(std::uint64_t address);
    /// Makes these bytes of an allocation zeros. Of many, pages that nothing has touched stay so.
    void zero(std::uint64_t address, std::uint64_t bytes);
    /// Changes what kernels may do with an allocation that starts at `address`.
    void set_use(std::uint64_t address, MemoryUse use);
    /// Changes whose it is. Of an address at which no allocation starts, nothing.
    void set_owner(std::uint64_t address, const Owner& owner);
    /// Changes whose these bytes of an allocation are. Parts do not overlap: one that begins where another did takes
    /// its place.
    void set_owner_of_part(std::uint64_t address, std::uint64_t bytes, const Owner& owner);
    /// Of the parts that begin among these bytes nothing is known any more: they are their allocation's owner's.
    void forget_parts(std::uint64_t address, std::uint64_t bytes);
    /// Pieces that kernels may have allocated at a time: each takes memory of the host's that no limit of the device's
    /// bounds.
    static constexpr std::uint64_t kMostHeapPieces = std::uint64_t{1} << 20;
    /// Host memory that kernels may access from now on, until disown().
    Result<void> adopt(std::uint64_t address, std::uint64_t bytes);
    Result<void> disown(std::uint64_t address);
    /// Whether there is any memory now that the host's program shares with kernels (MemoryUse::shared).
    bool has_shared() const { return shared_pieces_.load(std::memory_order_relaxed) != 0; }
    /// The allocation that holds `address`, if any (a freed one does not). Thread-safe.
    std::optional<Allocation> find(std::uint64_t address) const;
    /// Whether [address, address + bytes) ends in the rest of an allocation's last 512 bytes or in the 512 bytes behind
    /// them. A GPU, which hands memory out in such steps, does not notice; programs that run there must run here. The
    /// memory there belongs to that allocation alone, and keeps what is written. Only where the memory was made
    /// `tolerant`, and never while accesses are checked.
    bool tolerates(std::uint64_t address, std::uint64_t bytes, bool store) const;
    /// Mapped memory beyond all allocations, of kNowhereBytes: generated code compares with it while a site has met no
    /// allocation. An access that hits it by accident does no harm.
    std::uint64_t nowhere() const { return base_ + range_; }
    static constexpr std::uint64_t kNowhereBytes = std::uint64_t{2} << 20;
    /// The allocation that ends closest before `address` or begins closest after it, for messages.
    std::optional<Allocation> nearest(std::uint64_t address) const;
    std::uint64_t in_use() const { return in_use_; }
    std::uint64_t size() const { return bytes_; }
    /// The freed allocation that contained `address`, until the address is reused or the entry is dropped.
    std::optional<Allocation> freed(std::uint64_t address) const;
    /// The checkers' shadow of this memory; null: nothing is checked. May change while nothing runs.
    void set_shadow(shadow::Shadow* shadow) {
        std::unique_lock lock(mutex_);
        shadow_ = shadow;
    }
    shadow::Shadow* shadow() const { return shadow_; }
    /// A shadow for adopted memory, from here on until it is disowned.
    void set_host_shadow(std::uint64_t address, std::shared_ptr<shadow::Shadow> shadow);
    /// That of adopted memory; null: it has none.
    shadow::Shadow* host_shadow(std::uint64_t address) const;
    /// Those of all adopted memory, by its address.
    std::map<std::uint64_t, std::shared_ptr<shadow::Shadow>> host_shadows() const;
    std::uint64_t base() const { return base_; }
    std::uint64_t range() const { return range_; }
    /// The current allocations, by address.
    std::vector<Allocation> live() const;
    /// From now on these are what is allocated, at the addresses of another process's device memory, which begins where
    /// this one does. Only for memory in which nothing is allocated or released otherwise.
    void mirror(const std::vector<Allocation>& allocations);
    /// Its pages are a file's.
    bool in_file() const { return in_file_; }
    /// Behind an allocation's end, what belongs to it and may be written where tolerates() says so.
    std::uint64_t tail(std::uint64_t bytes) const;
    bool in_range(std::uint64_t address) const { return address - base_ < range_; }
    bool guarded() const { return guarded_; }

private:
    DeviceMemory(std::uint64_t base, std::uint64_t range, std::uint64_t bytes, bool zeroed, bool tolerant, bool guarded,
                 bool in_file);
    /// Whole pages go back to the host, or to the file's disk: they read as zeros then.
    void discard(std::uint64_t first, std::uint64_t bytes) const;
    /// The same for pages that nothing has touched, or that lie on the disk; zeros for all others.
    void zero_pages(std::uint64_t first, std::uint64_t last) const;
    /// Guard mode: makes an allocation's pages accessible, or not again.
    Result<void> open(std::uint64_t first, std::uint64_t bytes);
    void close(std::uint64_t first, std::uint64_t bytes);
    /// What an allocation of so many bytes takes of the range, with what is kept free behind it.
    std::uint64_t footprint(std::uint64_t bytes) const;

    std::uint64_t base_, range_, bytes_;  ///< bytes_: what may be in use at once
    bool zeroed_, tolerant_, guarded_, in_file_;
    std::uint64_t in_use_ = 0;
    std::uint64_t heap_pieces_ = 0;
    std::atomic<std::uint64_t> shared_pieces_ = 0;
    std::uint64_t next_;  ///< where the next search for room starts
    mutable std::shared_mutex mutex_;
    struct Piece {
        std::uint64_t bytes = 0;
        MemoryUse use = MemoryUse::data;
        std::uint64_t taken = 0;  ///< of the range: footprint() of its time; 0: adopted
        Owner owner = {};
    };
    Result<void> release_locked(std::map<std::uint64_t, Piece>::iterator at);

    struct Part {
        std::uint64_t bytes = 0;
        Owner owner = {};
    };
    void forget_parts_locked(std::uint64_t address, std::uint64_t bytes);
    std::map<std::uint64_t, Part> parts_;          ///< with owners of their own, by address
    std::map<std::uint64_t, Piece> live_;          ///< by address; bytes asked for
    std::map<std::uint64_t, std::uint64_t> free_;  ///< address -> bytes
    std::deque<Allocation> freed_;                 ///< the last ones
    shadow::Shadow* shadow_ = nullptr;
    std::map<std::uint64_t, std::shared_ptr<shadow::Shadow>> host_shadows_;  ///< of adopted memory, by address
};

}  // namespace warpwright::engine
