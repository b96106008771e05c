// Bars in text: one line a value, for a curve that a table hides.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace warpwright::report {

/// "  1 |#####      23.0" and so on, at most `width` columns (0: 80), scaled so that the largest value fills the line.
/// The title stands above. Nothing for no values. `shown` gives a value's text; without it, three digits.
std::string bars(const std::string& title, const std::vector<std::pair<std::string, double>>& values, std::size_t width,
                 bool unicode, const std::function<std::string(double)>& shown = {});

}  // namespace warpwright::report
