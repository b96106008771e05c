// A predicted launch in words: the lines that every printer of text shows, made from record/predicted.inc.
#pragma once

#include <string>
#include <vector>

#include "record/predicted.hpp"
#include "text/words.hpp"

namespace warpwright::report {

/// "cycles 6,903, issue slots 16 %, ...", "peaks: DRAM 34 %, ...", "warps stood at long_scoreboard 84 %, ...", and how
/// sure that is; unwrapped. The time itself is not in them.
std::vector<std::string> prediction_lines(const record::Predicted& predicted, bool unicode = true,
                                          const Words& words = Words::plain());

/// Where warps stood at a source line, as a text.
Text line_stalls_text(const record::Predicted& predicted, std::string_view file, unsigned line);
/// Where warps stood at a source line: its share of all warp cycles, and its largest states; "34 %: long_scoreboard 80
/// %, wait 9 %". Empty where nothing is known of the line.
std::string line_stalls(const record::Predicted& predicted, std::string_view file, unsigned line,
                        const Words& words = Words::plain());

}  // namespace warpwright::report
