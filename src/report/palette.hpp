// The report's colours, light and dark, told apart by colour-blind readers too, and the style sheet of drawings.
#pragma once

#include <string>
#include <string_view>

namespace warpwright::report {

inline constexpr int kSeriesColours = 8;
inline constexpr int kTones = 16;
inline constexpr int kHeats = 10;

/// Custom properties "--ink:#...;" and so on, for a rule of a style sheet.
std::string palette_css(bool dark);

/// The rules of a drawing's classes; colours by their custom properties, or as they are in the light theme where
/// `literal`: for files of their own.
std::string drawing_css(bool literal);

/// A colour's value: "ink", "s0", "t3", "h9".
std::string_view colour(std::string_view name, bool dark);

/// 0 to kHeats - 1 for 0 to 1.
int heat_step(double heat);
/// Any tone's place in the palette.
int tone_step(int tone);

}  // namespace warpwright::report
