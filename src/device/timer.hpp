// Times by a device's own clock, on devices where kernels take real time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "device/launch.hpp"

namespace warpwright::device {

struct TimeRequest {
    std::uint32_t repeat = 1;  ///< times the steps run back to back within a sample
    std::uint32_t samples = 1;
    std::chrono::milliseconds timeout{0};  ///< of one sample; 0 = no limit
    bool ahead = false;  ///< run a sample unmeasured first, so that the device is busy when the first one starts
    bool flush = false;  ///< before each sample, unmeasured, fill the device's caches with other data
    bool graph = true;   ///< a sample's repeats are one graph if the device has graphs; else each is queued separately
};

/// Work prepared for repeated timing (Device::make_timed). It must be destroyed before its device.
class TimedWork {
public:
    virtual ~TimedWork() = default;
    /// Like Device::time, with this many samples; the rest of the request is the one with which it was made.
    virtual Result<std::vector<double>> time(std::uint32_t samples, bool ahead) = 0;
};

class Timer {
public:
    static constexpr std::string_view kPart = "clock";
    virtual ~Timer() = default;
    /// Runs the steps in order, repeatedly, and returns the seconds of each sample by the device's own clock, all its
    /// repeats together. Memory is as the steps leave it.
    virtual Result<std::vector<double>> time(std::span<const Step> steps, const TimeRequest& request) = 0;
    /// The same in two parts, for works that are timed in turns: one-time preparation, such as capturing a graph, is
    /// done here. Its launches are ErrorKind::no_device once a fault has destroyed the device's memory. Without an
    /// implementation of its own a device prepares anew for each sample.
    virtual Result<std::unique_ptr<TimedWork>> make_timed(std::vector<Step> steps, const TimeRequest& request);
};

}  // namespace warpwright::device
