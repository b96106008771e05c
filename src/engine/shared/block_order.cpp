#include "engine/shared/block_order.hpp"

#include <chrono>

namespace warpwright::engine {

bool BlockOrder::wait(std::uint64_t number, const std::atomic<std::uint32_t>& stop) {
    // Whoever stops a launch does not know who waits: this is how long a waiting thread takes to notice.
    constexpr std::chrono::milliseconds kLook{20};
    if (first_.load(std::memory_order_acquire) >= number) return true;
    std::unique_lock lock(mutex_);
    while (first_.load(std::memory_order_relaxed) < number) {
        if (stop) return false;
        moved_.wait_for(lock, kLook);
    }
    return true;
}

void BlockOrder::ended(std::uint64_t number) {
    {
        std::lock_guard lock(mutex_);
        beyond_.insert(number);
        auto first = first_.load(std::memory_order_relaxed);
        while (!beyond_.empty() && *beyond_.begin() == first) beyond_.erase(beyond_.begin()), ++first;
        first_.store(first, std::memory_order_release);
    }
    moved_.notify_all();
}

}  // namespace warpwright::engine
