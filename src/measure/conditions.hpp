// How a device was doing while something was timed on it: its clocks, its power, what held it back.
#pragma once

#include <condition_variable>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "device/device.hpp"
#include "record/record.hpp"

namespace warpwright::measure {

/// What a list of states says, written into a time: medians of the clocks, the highest power, each reason to throttle
/// that was met. States without a clock count for what they do say.
void add_conditions(record::Time& time, std::span<const device::DeviceState> states);

/// A sentence for the record's notes where the clock was reduced or throttled; empty where all was well. `clock_mhz` is
/// the device's highest clock, 0 = not known.
std::string conditions_note(const record::Time& time, double clock_mhz);

/// Asks a device for its state every few milliseconds, on a thread of its own, from start() to stop().
class Watch {
public:
    explicit Watch(const device::Device& device) : device_(device) {}
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { (void)stop(); }
    void start();
    /// The states seen, at least one where the device tells any.
    std::vector<device::DeviceState> stop();

    struct Seen {
        double at;  ///< by steady_seconds()
        device::DeviceState state;
    };
    std::vector<Seen> stop_seen();

private:
    const device::Device& device_;
    std::vector<Seen> seen_;
    std::mutex mutex_;
    std::condition_variable change_;
    bool ends_ = false;
    std::thread thread_;
};

}  // namespace warpwright::measure
