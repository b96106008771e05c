// The host threads of one launch, each with an executor of its own, and the limit of time that is set to them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/run/scheduler.hpp"
#include "engine/run/tally.hpp"

namespace warpwright::engine {

class HostThreads {
public:
    HostThreads(LaunchShared& launch, unsigned count);
    /// Calls `each` on every thread at once, with its number, and returns when all have ended.
    void on_all(const std::function<void(unsigned)>& each);
    /// Runs the blocks of LaunchShared::tracing, one after the other on this thread; what they count is in the tally.
    void run_traced(LaunchShared& launch);
    /// The same in the order of blocks: with all blocks before the last of them, on all threads.
    void run_up_to_traced(LaunchShared& launch);
    /// The latest clock that the kernel has read, in cycles.
    std::uint64_t latest_clock() const;
    Scheduler& operator[](unsigned thread) { return *executors_[thread]; }
    unsigned count() const { return static_cast<unsigned>(executors_.size()); }
    /// What all of them have counted.
    Tally tally() const;
    record::Touched touched() const;

private:
    void run_all(const std::function<void(unsigned)>& each);
    std::vector<std::unique_ptr<Scheduler>> executors_;
    std::unique_ptr<Scheduler> traced_;
};

/// Stops a launch whose time is over; 0: none is set.
class TimeLimit {
public:
    TimeLimit(LaunchShared& launch, std::chrono::milliseconds limit);
    ~TimeLimit();
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;

private:
    std::mutex mutex_;
    std::condition_variable ended_;
    bool over_ = false;
    std::thread watch_;
};

}  // namespace warpwright::engine
