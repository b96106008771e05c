// Cells are taken from blocks that stay, one after the other.
#include "opencl/state/dispatch.hpp"

#include <cstddef>

namespace warpwright::opencl {

void* fresh_cell() {
    constexpr std::size_t kBytes = 16, kCells = 4096;
    static std::mutex mutex;
    static std::byte* block = nullptr;
    static std::size_t used = kCells;
    const std::lock_guard lock(mutex);
    if (used == kCells) {
        block = static_cast<std::byte*>(::operator new(kBytes * kCells));
        used = 0;
    }
    return block + kBytes * used++;
}

}  // namespace warpwright::opencl
