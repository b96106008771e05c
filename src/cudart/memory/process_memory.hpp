// What the system says of this process's memory.
#pragma once

#include <cstdint>

namespace warpwright::cudart {

/// How many bytes from `address` on this process may read; 0: none. Reads /proc/self/maps, so it takes its time.
std::uint64_t readable_bytes(const void* address);

}  // namespace warpwright::cudart
