// Sets are told by a mixture of the tag's bits; of a set the line that was used longest ago goes.
#include "timing/first_level.hpp"

#include <algorithm>

#include "timing/mixed.hpp"

namespace warpwright::timing {

FirstLevel::FirstLevel(double bytes) {
    sets_ = static_cast<std::uint64_t>(std::max(0.0, bytes) / (128 * kWays));
    lines_.resize(sets_ * kWays);
    tags_.resize(lines_.size(), ~std::uint64_t{0}), used_.resize(lines_.size(), -1);
}

FirstLevel::Line* FirstLevel::line(std::uint64_t tag, bool make, double now) {
    if (sets_ == 0) return nullptr;
    const auto has = [&](std::uint64_t at) { return tags_[at] == tag && (lines_[at].epoch == epoch_ || tag >> 60); };
    std::uint64_t& last = last_[tag % last_.size()];
    if (has(last)) return used_[last] = now, &lines_[last];
    const std::uint64_t set = mixed(tag) % sets_ * kWays;
    for (std::uint64_t at = set; at < set + kWays; ++at)
        if (has(at)) return last = at, used_[at] = now, &lines_[at];
    if (!make) return nullptr;
    const auto first = used_.begin() + static_cast<std::ptrdiff_t>(set);
    const auto oldest = static_cast<std::uint64_t>(std::min_element(first, first + kWays) - used_.begin());
    lines_[oldest] = {};
    lines_[oldest].epoch = epoch_;
    tags_[oldest] = tag, used_[oldest] = now;
    return &lines_[last = oldest];
}

double FirstLevel::find(std::uint64_t sector, double now) {
    const Line* l = line(sector / 4, false, now);
    return l ? l->ready[sector % 4] : -1;
}

void FirstLevel::fill(std::uint64_t sector, double at) {
    if (Line* l = line(sector / 4, true, at)) l->ready[sector % 4] = at;
}

}  // namespace warpwright::timing
