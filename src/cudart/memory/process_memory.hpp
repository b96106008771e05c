// Facts that the operating system gives about this process's memory.
#pragma once

#include <cstdint>

namespace warpwright::cudart {

/// The number of bytes from `address` on that this process may read; 0: none. It reads /proc/self/maps, which takes
/// time.
std::uint64_t readable_bytes(const void* address);

}  // namespace warpwright::cudart
