// The state of a device while it was timed: its clocks, its power, and what limited them.
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

/// Summarises a list of states in a time: medians of the clocks, the highest power, each reason to throttle that
/// occurred. States without a clock still count for their other values.
void add_conditions(record::Time& time, std::span<const device::DeviceState> states);

/// A sentence for the record's notes if the clock was reduced or throttled, else empty. `clock_mhz` is the device's
/// highest clock, 0 = not known.
std::string conditions_note(const record::Time& time, double clock_mhz);

/// Asks a device for its state every few milliseconds, on a thread of its own, from start() to stop().
class Watch {
public:
    explicit Watch(const device::Device& device) : device_(device) {}
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { (void)stop(); }
    void start();
    /// The states seen, at least one if the device reports any.
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
