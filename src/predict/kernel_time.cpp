// The rule is short and stands here once, so that equal launches have equal times in every command.
#include "predict/kernel_time.hpp"

#include <algorithm>

namespace warpwright::predict {

timeline::Work kernel_time(const Work& work, const arch::DeviceModel& model,
                           const Result<record::Predicted>& predicted) {
    return kernel_time(work, model, predicted ? std::optional(predicted->seconds) : std::nullopt);
}

timeline::Work kernel_time(const Work& work, const arch::DeviceModel& model, std::optional<double> predicted) {
    timeline::Work out;
    out.kind = timeline::Kind::kernel;
    out.seconds = predicted ? *predicted : bound(work, model).seconds;
    const double places = std::max(1u, model.sm.multiprocessors);
    out.share = std::clamp(static_cast<double>(work.grid.count()) / places, 1e-6, 1.0);
    return out;
}

}  // namespace warpwright::predict
