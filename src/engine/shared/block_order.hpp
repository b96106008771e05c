// Where the outcome of an operation depends on which block comes first (sums of floats in global memory, tickets, what
// kernels print), blocks that run beside each other do it in the order of their numbers: at the first such operation a
// block waits until all earlier ones have ended. The outcome is that of one block after the other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>

namespace warpwright::engine {

class BlockOrder {
public:
    /// Waits until all blocks before `number` have ended, or the launch is to stop. False in the latter case.
    bool wait(std::uint64_t number, const std::atomic<std::uint32_t>& stop);
    void ended(std::uint64_t number);

private:
    std::mutex mutex_;
    std::condition_variable moved_;
    std::atomic<std::uint64_t> first_{0};  ///< the lowest number that has not ended
    std::set<std::uint64_t> beyond_;       ///< higher ones that have
};

}  // namespace warpwright::engine
