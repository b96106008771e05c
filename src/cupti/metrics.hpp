// Maps our counts to the hardware's counters (docs/counters.md has the definitions), with the additional counters that
// reports show.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/metrics.hpp"

namespace warpwright::cupti {

struct Metric {
    std::string name;                   ///< as reports show it
    std::vector<std::string> hardware;  ///< its possible names; the first one that the chip has is used
    std::vector<record::Count> counts;  ///< our counts that it adds to; none: shown under its own name
};

/// Nanoseconds; always collected.
inline const std::string_view kDuration = record::hardware_name(record::Hardware::duration);

/// The metrics that a report needs; or only those that `wanted` names: keys of counts and derived metrics, or the
/// hardware's own names.
std::vector<Metric> metrics_for(const std::vector<std::string>& wanted);

}  // namespace warpwright::cupti
