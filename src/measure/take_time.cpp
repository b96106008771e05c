#include "measure/take_time.hpp"

namespace warpwright::measure {

Result<void> take_time(record::Record& record, const DeviceWork& work, const DeviceSampleOptions& options) {
    auto samples = sample_device(work, options);
    if (!samples) return std::move(samples).error();
    const Statistics s = summarise(samples->seconds);
    record.time = to_time(s);
    if (s.spread > 0.05)
        record.notes.push_back("unsteady: the middle half of the samples spans " +
                               std::to_string(static_cast<int>(200 * s.spread)) + " % of the median");
    return {};
}

}  // namespace warpwright::measure
