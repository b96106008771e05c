// Two rounds: each work once or twice, then those near the best several times, of which the median decides. One that
// fails is left out, unless the device is lost.
#include "vendor/fastest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace warpwright::vendor {
namespace {

constexpr double kNear = 1.25;     ///< times the best of the first round: the possible error of a first run
constexpr std::size_t kFinal = 8;  ///< at most this many continue
constexpr double kSample = 1e-3;   ///< seconds of a sample of the second round

}  // namespace

Result<std::size_t> fastest(device::VendorQueue& queue, std::span<const device::ForeignWork> works,
                            std::chrono::milliseconds timeout) {
    constexpr double never = std::numeric_limits<double>::infinity();
    std::vector<double> seconds(works.size(), never);
    std::vector<std::size_t> order;
    Error last{ErrorKind::limit, "no algorithm serves", {}, ""};
    for (std::size_t i = 0; i < works.size(); ++i) {
        // The first sample loads code, so the smallest one counts.
        auto samples = queue.time_work(works[i], {1, 2, timeout});
        if (!samples) {
            last = samples.error();
            if (last.kind == ErrorKind::fault || last.kind == ErrorKind::no_device)
                return last;  // nothing can run any more
            continue;
        }
        seconds[i] = *std::min_element(samples->begin(), samples->end());
        order.push_back(i);
    }
    if (order.empty()) return last;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return seconds[a] < seconds[b]; });
    const double limit = seconds[order.front()] * kNear;
    std::size_t best = order.front();
    double least = never;
    for (std::size_t at = 0; at < order.size() && at < kFinal && seconds[order[at]] <= limit; ++at) {
        const std::size_t i = order[at];
        const auto repeat =
            static_cast<std::uint32_t>(std::clamp(std::ceil(kSample / std::max(seconds[i], 1e-6)), 1.0, 200.0));
        auto samples = queue.time_work(works[i], {repeat, 3, timeout, true});
        if (!samples) continue;
        std::sort(samples->begin(), samples->end());
        const double median = (*samples)[samples->size() / 2] / repeat;
        if (median < least) {
            least = median;
            best = i;
        }
    }
    return best;
}

}  // namespace warpwright::vendor
