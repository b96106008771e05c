#include "measure/device_time.hpp"

#include <algorithm>

#include "measure/conditions.hpp"

namespace warpwright::measure {

Result<void> time_into(record::Record& record, device::Device& device, const TimeFunction& work, const Rotation& rotation,
                       const TimingOptions& options) {
    const std::uint32_t sets = std::max(1u, rotation.sets);
    DeviceSampleOptions sampling = options.sample;
    if (rotation.flush) {
        // Only the first run on each set after the flush finds the caches cold. Such samples are short: more at a time.
        sampling.max_repeat = 1;
        sampling.batch *= 4;
    }
    Watch watch(device);
    sampling.warmed = [&] { watch.start(); };
    const auto sample = [&](std::uint32_t repeat, std::uint32_t samples) {
        return work({repeat, samples, options.timeout, samples > 1, rotation.flush});
    };
    auto samples = sample_device(sample, sampling);
    const auto states = watch.stop();
    if (!samples) return std::move(samples).error();
    for (double& s : samples->seconds) s /= sets;
    const Statistics s = summarise(samples->seconds);
    record.time = to_time(s);
    const device::DeviceFacts facts = device.facts();
    record.time->cache = options.cold && facts.cache != 0 ? "cold" : "warm";
    if (options.cold && facts.cache == 0)
        record.notes.push_back("caches were warm: " + device.name() + " does not tell the size of its cache");
    add_conditions(*record.time, states);
    if (const std::string note = conditions_note(*record.time, facts.clock_mhz); !note.empty()) record.notes.push_back(note);
    if (s.spread > 0.05)
        record.notes.push_back("unsteady: the middle half of the samples spans " +
                               std::to_string(static_cast<int>(200 * s.spread)) + " % of the median");
    return {};
}

}  // namespace warpwright::measure
