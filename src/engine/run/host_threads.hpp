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
#include "engine/shared/other_hosts.hpp"
#include "support/processor_time.hpp"

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
    /// What all have counted and touched so far stays with this object's sums of memory and clocks; counters begin
    /// anew, for the launch's code, which is another one now.
    void begin_anew(LaunchShared& launch);
    /// The latest clock that the kernel has read, in cycles.
    std::uint64_t latest_clock() const;
    /// (Of several threads all but the first have nothing until on_all(), or this, needs it.)
    Scheduler& operator[](unsigned thread) {
        if (thread >= executors_.size()) make_all();
        return *executors_[thread];
    }
    /// From now on, of this thread and of those that run blocks: the processor time of the one that has most.
    void begin_time() {
        times_.clear();
        times_.begin();
    }
    const ThreadTimes& times() const { return times_; }
    unsigned count() const { return count_; }
    /// What all of them have counted.
    Tally tally() const;
    /// The one that has counted everything; null where several have, or other hosts.
    const Scheduler* only() const;
    record::Touched touched() const;
    TouchedMemory touched_memory() const;
    /// What another host's threads have counted.
    void add(const BlocksDone& done);

private:
    void make(LaunchShared& launch);
    void make_all();
    void run_all(const std::function<void(unsigned)>& each);
    unsigned count_;
    std::vector<std::unique_ptr<Scheduler>> executors_;
    std::unique_ptr<Scheduler> traced_;
    Tally elsewhere_;
    TouchedMemory touched_elsewhere_;
    std::uint64_t latest_clock_ = 0;  ///< before begin_anew()
    ThreadTimes times_;
};

/// Stops a launch whose time is over; 0: none is set. `of_processor`: the time is that in which its threads had a
/// processor.
class TimeLimit {
public:
    TimeLimit(LaunchShared& launch, HostThreads& threads, std::chrono::milliseconds limit, bool of_processor);
    ~TimeLimit();
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;

private:
    /// Waits until the time is over (true) or the launch has ended.
    bool wait(const ThreadTimes* times, std::chrono::milliseconds limit);
    std::mutex mutex_;
    std::condition_variable ended_;
    bool over_ = false;
    std::thread watch_;
};

}  // namespace warpwright::engine
