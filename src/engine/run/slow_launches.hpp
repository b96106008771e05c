// Tells of launches that have run for long, and where they are: a kernel that never ends would otherwise say nothing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/shared/executor.hpp"

namespace warpwright::engine {

class SlowLaunches {
public:
    /// Without `tell` nothing is watched.
    SlowLaunches(std::function<void(const std::string&)> tell, std::chrono::milliseconds after);
    ~SlowLaunches();
    SlowLaunches(const SlowLaunches&) = delete;
    SlowLaunches& operator=(const SlowLaunches&) = delete;

    /// While it lives, the launch is watched.
    class Watched {
    public:
        Watched(SlowLaunches& of, LaunchShared& launch);
        ~Watched();
        Watched(const Watched&) = delete;
        Watched& operator=(const Watched&) = delete;

    private:
        SlowLaunches& of_;
        LaunchShared& launch_;
    };

private:
    using Clock = std::chrono::steady_clock;
    struct Launch {
        LaunchShared* launch = nullptr;
        Clock::time_point due;
        bool asked = false;
    };
    void work();

    const std::function<void(const std::string&)> tell_;
    const std::chrono::milliseconds after_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Launch> launches_;
    bool stopped_ = false, asleep_ = false;
    std::thread thread_;  ///< begins with the first launch
};

}  // namespace warpwright::engine
