// Processor time of threads: limits count it where other work of the machine is not to matter.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <mutex>
#include <vector>

#include "support/work_limit.hpp"

namespace warpwright {

/// A limit of processor time is one of the clock too, so many times as long: who waits takes no processor time.
inline constexpr int kClockToProcessor = 10;

/// The time in which a thread had a processor, since this object was made there. Any thread may ask while that one
/// lives; afterwards it is 0.
class ThreadTime {
public:
    ThreadTime() : known_(::pthread_getcpuclockid(::pthread_self(), &clock_) == 0), start_(now()) {}
    double seconds() const { return std::max(0.0, now() - start_); }

private:
    double now() const {
        timespec t{};
        if (!known_ || ::clock_gettime(clock_, &t) != 0) return 0;
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
    }
    clockid_t clock_{};
    bool known_;
    double start_;
};

/// The same of several threads.
class ThreadTimes {
public:
    /// The calling thread is one of them, from now on.
    void begin() {
        std::lock_guard lock(mutex_);
        times_.emplace_back();
    }
    void clear() {
        std::lock_guard lock(mutex_);
        times_.clear();
    }
    /// Of the thread that had most.
    double most() const {
        std::lock_guard lock(mutex_);
        double out = 0;
        for (const ThreadTime& one : times_) out = std::max(out, one.seconds());
        return out;
    }

private:
    mutable std::mutex mutex_;
    std::vector<ThreadTime> times_;
};

/// A limit for work of the calling thread, by its processor time; 0 = none.
inline WorkLimit limit_of_processor(std::chrono::milliseconds limit) {
    if (limit.count() == 0) return {};
    const auto end = std::chrono::steady_clock::now() + limit * kClockToProcessor;
    return WorkLimit([time = ThreadTime(), end, seconds = std::chrono::duration<double>(limit).count()] {
        return time.seconds() >= seconds || std::chrono::steady_clock::now() >= end;
    });
}

}  // namespace warpwright
