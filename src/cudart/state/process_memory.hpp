// Facts that the operating system gives about this process's memory.
#pragma once

#include <cstdint>

namespace warpwright::cudart {

/// The number of bytes from `address` on that this process may read; 0: none. It reads /proc/self/maps, which takes
/// time.
std::uint64_t readable_bytes(const void* address);

/// A piece of the process's memory.
struct MemoryRange {
    std::uint64_t first = 0, last = 0;  ///< `last` is behind it
    bool holds(std::uint64_t address) const { return address >= first && address < last; }
};
/// The memory around an address that may be read and written, to where that ends; empty if it may not be.
MemoryRange writable_range(const void* address);

}  // namespace warpwright::cudart
