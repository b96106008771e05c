// What holds a launch or a program back, in words: the lines that every printer of text shows.
#pragma once

#include <string>
#include <vector>

#include "record/bottleneck.hpp"
#include "text/words.hpp"

namespace warpwright::report {

/// A cause in two lines: "64 % divergence (k.cu:12): 16 of 32 lanes active ..." and what to change.
struct CauseLines {
    std::string seen, fix;
};
/// One for each cause, in their order. A share of 0 is not shown.
std::vector<CauseLines> cause_lines(const std::vector<record::Bottleneck>& causes, const Words& words = Words::plain());
/// What stands over them: what the percentages are.
std::string causes_heading(const std::vector<record::Bottleneck>& causes, const Words& words = Words::plain());

}  // namespace warpwright::report
