// Decides how often the work repeats within a sample (the clock has steps), how long it warms up, and when the samples
// agree well enough to stop.
#include "measure/device_sample.hpp"

#include <algorithm>
#include <cmath>

namespace warpwright::measure {

Result<DeviceSamples> sample_device(const DeviceWork& work, const DeviceSampleOptions& o) {
    DeviceSamples out;
    const auto repeats_for = [&](double one) {
        const double wanted = std::ceil(o.shortest / std::max(one, 1e-9));
        return static_cast<std::uint32_t>(std::clamp(wanted, 1.0, static_cast<double>(o.max_repeat)));
    };
    // The first run may load code or tables, so only the later runs of the warm-up give an estimate of the time.
    double warm = 0;
    for (unsigned round = 0; round < 2 || warm < o.warm_seconds; ++round) {
        auto seconds = work(out.repeat, 1);
        if (!seconds) return std::move(seconds).error();
        const double sum = seconds->empty() ? 0 : seconds->front();
        warm += std::max(sum, 1e-6);
        out.repeat = repeats_for(sum / out.repeat);
        if (round > 0 && sum >= o.max_seconds) break;
    }
    if (o.warmed) o.warmed();
    double spent = 0;
    while (out.seconds.size() < o.max_samples) {
        const bool slow = spent + o.batch * o.shortest >= o.max_seconds || warm >= o.max_seconds;
        auto seconds = work(out.repeat, slow ? 1 : o.batch);
        if (!seconds) return std::move(seconds).error();
        if (seconds->empty()) return Error{ErrorKind::internal, "the device gave no samples", {}, ""};
        double longest = 0;
        for (double s : *seconds) {
            out.seconds.push_back(s / out.repeat);
            spent += s;
            longest = std::max(longest, s);
        }
        if (spent >= o.max_seconds && (out.seconds.size() >= 3 || longest >= o.max_seconds)) break;
        if (out.seconds.size() >= o.min_samples && spent >= o.min_seconds && summarise(out.seconds).spread <= o.noise)
            break;
    }
    return out;
}

}  // namespace warpwright::measure
