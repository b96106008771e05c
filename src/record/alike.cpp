// Only ratios are compared: a loop's turns may depend on the data, while how it accesses memory is the code's and its
// arguments'.
#include "record/alike.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "record/metrics.hpp"

namespace warpwright::record {

namespace {

constexpr double kNearly = 0.1;

std::optional<double> ratio(const Counts& c, Derived a, Derived b) {
    const double over = static_cast<double>(total(c, b));
    if (!(over > 0)) return std::nullopt;
    return static_cast<double>(total(c, a)) / over;
}

bool near(std::optional<double> a, std::optional<double> b) {
    if (!a || !b) return !a && !b;
    return std::abs(*a - *b) <= kNearly * std::max(std::abs(*a), std::abs(*b));
}

}  // namespace

bool alike(const Counts& a, const Counts& b) {
    for (const Derived d : {Derived::global_load_sectors_per_request, Derived::global_store_sectors_per_request,
                            Derived::local_load_sectors_per_request, Derived::lanes_per_instruction})
        if (!near(value(a, d), value(b, d))) return false;
    return near(ratio(a, Derived::shared_wavefronts, Derived::shared_requests),
                ratio(b, Derived::shared_wavefronts, Derived::shared_requests));
}

}  // namespace warpwright::record
