// It only grows, so two words do.
#include "cudart/state/shared_range.hpp"

#include <atomic>

namespace warpwright::cudart {

namespace {
std::atomic<std::uint64_t> lowest{~std::uint64_t{0}}, highest{0};
}

void share_with_host(std::uint64_t address, std::uint64_t bytes) {
    const auto end = address + bytes;
    for (auto low = lowest.load(); address < low && !lowest.compare_exchange_weak(low, address);) {
    }
    for (auto high = highest.load(); end > high && !highest.compare_exchange_weak(high, end);) {
    }
}

bool may_be_shared(std::uint64_t address, std::uint64_t bytes) {
    return bytes > 0 && address < highest.load(std::memory_order_relaxed) &&
           address + (bytes - 1) >= lowest.load(std::memory_order_relaxed);
}

}  // namespace warpwright::cudart
