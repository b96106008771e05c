// A thread asks the driver for clocks, power and limits while work is timed; what it saw becomes part of the time's
// record and, where the clock was limited, a note.
#include "measure/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "measure/host_sample.hpp"

namespace warpwright::measure {

void add_conditions(record::Time& time, std::span<const device::DeviceState> states) {
    std::vector<double> clocks, memory;
    for (const device::DeviceState& s : states) {
        if (s.clock_mhz) clocks.push_back(*s.clock_mhz);
        if (s.memory_clock_mhz) memory.push_back(*s.memory_clock_mhz);
        if (s.power_w) time.power_w = std::max(time.power_w.value_or(0), *s.power_w);
        for (const std::string& reason : s.throttle)
            if (std::find(time.throttle.begin(), time.throttle.end(), reason) == time.throttle.end())
                time.throttle.push_back(reason);
    }
    if (!clocks.empty()) time.clock_mhz = summarise(clocks).median;
    if (!memory.empty()) time.memory_clock_mhz = summarise(memory).median;
}

std::string conditions_note(const record::Time& time, double clock_mhz) {
    // Clocks have steps of 15 MHz: a step or two below the highest is normal.
    const bool reduced = time.clock_mhz && clock_mhz > 0 && *time.clock_mhz < 0.97 * clock_mhz;
    if (!reduced && time.throttle.empty()) return {};
    std::string out;
    if (reduced) out = fmt::format("timed at {:.0f} of {:.0f} MHz", *time.clock_mhz, clock_mhz);
    if (time.throttle.empty()) return out;
    out += out.empty() ? "clocks were limited by: " : ", limited by: ";
    for (std::size_t i = 0; i < time.throttle.size(); ++i) out += (i ? ", " : "") + time.throttle[i];
    if (time.power_w) out += fmt::format(" ({:.0f} W)", *time.power_w);
    return out;
}

void Watch::start() {
    if (thread_.joinable()) return;
    seen_.clear();
    ends_ = false;
    auto now = device_.state();
    if (!now) return;  // it reports nothing, so it is not asked again
    seen_.push_back({steady_seconds(), std::move(*now)});
    thread_ = std::thread([this] {
        std::unique_lock lock(mutex_);
        while (!change_.wait_for(lock, std::chrono::milliseconds(10), [this] { return ends_; }))
            if (auto state = device_.state()) seen_.push_back({steady_seconds(), std::move(*state)});
    });
}

std::vector<Watch::Seen> Watch::stop_seen() {
    if (thread_.joinable()) {
        {
            std::lock_guard lock(mutex_);
            ends_ = true;
        }
        change_.notify_all();
        thread_.join();
    }
    return std::move(seen_);
}

std::vector<device::DeviceState> Watch::stop() {
    std::vector<device::DeviceState> out;
    for (Seen& seen : stop_seen()) out.push_back(std::move(seen.state));
    return out;
}

}  // namespace warpwright::measure
