// Pages of this process: given back, moved, shared, and what the system says of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace warpwright::host {

/// Gives whole pages back to the system: they read as zeros, and take memory when they are written again. False where
/// it does not take them.
bool give_back(void* first, std::uint64_t bytes);
/// The same of a file that is mapped, for all who have mapped it. False: its file system gives no parts back.
bool give_back_from_file(void* first, std::uint64_t bytes);
/// A wish only: large pages, or none.
void prefer_large_pages(void* first, std::uint64_t bytes, bool large);
/// Moves pages of this process alone to `to`, in the place of what is there.
bool move_pages(void* from, std::uint64_t bytes, void* to);

/// A file in memory without a path, closed when a program is started; -1 with errno. Whoever gets its descriptor may
/// ask for the name.
int unnamed_file(const char* name);
/// Whether a descriptor is of such a file.
bool is_unnamed_file(int descriptor, const char* name);
/// Opens a descriptor of another process of this user, to read and write; -1 with errno.
int open_descriptor_of(std::int32_t process, int descriptor);

/// A piece of the process's memory.
struct MemoryRange {
    std::uint64_t first = 0, last = 0;  ///< `last` is behind it
    bool holds(std::uint64_t address) const { return address >= first && address < last; }
};
/// The pages among these, at whose begin `first` lies, that are this process's alone: of memory without a file those
/// that were ever touched, of a private mapping of a file those that were written. Absent: the system does not tell.
std::optional<std::vector<MemoryRange>> own_pages(std::uint64_t first, std::uint64_t bytes);

/// The number of bytes from `address` on that this process may read; 0: none. It reads a list, which takes time.
std::uint64_t readable_bytes(const void* address);
/// The memory around an address that may be read and written, to where that ends; empty if it may not be.
MemoryRange writable_range(const void* address);

}  // namespace warpwright::host
