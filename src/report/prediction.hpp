// A predicted launch in words: the lines that every printer of text shows, made from record/predicted.inc.
#pragma once

#include <string>
#include <vector>

#include "record/predicted.hpp"

namespace warpwright::report {

/// "cycles 6,903, issue slots 16 %, ...", "peaks: DRAM 34 %, ...", "warps stood at long_scoreboard 84 %, ...", and how
/// sure that is; unwrapped. The time itself is not in them.
std::vector<std::string> prediction_lines(const record::Predicted& predicted, bool unicode = true);

}  // namespace warpwright::report
