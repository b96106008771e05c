// Which of the hardware's counters answer to our counts (docs/counters.md has the definitions), and those shown beside
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/metrics.hpp"

namespace warpwright::cupti {

struct Metric {
    std::string name;                   ///< as we show it
    std::vector<std::string> hardware;  ///< what it may be called; the first that the chip has
    std::vector<record::Count> counts;  ///< our counts that it adds to; none: shown under its own name
};

/// Nanoseconds; always taken.
inline const std::string_view kDuration = record::hardware_name(record::Hardware::duration);

/// What a report needs; or only what `wanted` names: keys of counts and of what is derived from them, or the
/// hardware's own names.
std::vector<Metric> metrics_for(const std::vector<std::string>& wanted);

}  // namespace warpwright::cupti
