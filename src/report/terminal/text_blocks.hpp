// Drawings as characters, for the text form of a page.
#pragma once

#include <string>

#include "record/page.hpp"
#include "report/pages.hpp"

namespace warpwright::report {

/// Lines, each ending in a line feed, indented by two. Titles and captions are the caller's.
std::string text_plot(const record::shown::Plot& plot, const Words& words, const TextOptions& options);
std::string text_cells(const record::shown::CellMap& map, const TextOptions& options);
std::string text_timeline(const record::shown::Timeline& timeline, const Words& words, const TextOptions& options);

/// Text on a tone's or heat's background where there are colours; as it is otherwise.
std::string tinted(const std::string& text, int tone, double heat, const TextOptions& options);
/// What stands for a tone where there are no colours: "A", "B", ...
char tone_letter(int tone);

}  // namespace warpwright::report
