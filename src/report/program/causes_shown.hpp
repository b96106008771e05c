// What holds a kernel back, as printers show it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/program.hpp"

namespace warpwright::report {

struct ShownCause {
    Text name;                    ///< what it is, in a few words
    std::optional<double> share;  ///< of the time, that mending it would save; absent where no model was asked
    std::string file;             ///< where, if it is at one place; else empty
    unsigned line = 0;
    Text evidence;  ///< what it was told by; may be empty
    Text fix;       ///< what to change
};

/// The largest first.
std::vector<ShownCause> causes_shown(const std::vector<record::Bottleneck>& causes);
/// Those of a kernel, the largest first.
std::vector<ShownCause> causes_shown(const KernelSummary& kernel);

}  // namespace warpwright::report
