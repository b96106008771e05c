// Plots, cell maps and timelines as static SVG: in files for a paper, and inside the HTML report.
#pragma once

#include <optional>
#include <string>

#include "record/page.hpp"
#include "text/words.hpp"

namespace warpwright::report {

/// A drawing; its shapes have classes (palette.hpp), so that one body serves light, dark and print.
struct Svg {
    double width = 0, height = 0;
    std::string body;
    // Where cells or lanes lie, for what looks up the one under a pointer.
    double left = 0, top = 0, step_x = 0, step_y = 0;
    double low = 0, high = 0;  ///< a timeline's range, from `left` on, step_x wide a unit
};

/// With the title drawn above, or without.
Svg draw(const record::shown::Plot& plot, const Words& words, bool title);
/// Each curve in a small plot of its own; draw() takes it where there are many (has_panels).
Svg draw_panels(const record::shown::Plot& plot, const Words& words, bool title);
Svg draw(const record::shown::CellMap& map, const Words& words, bool title);
Svg draw(const record::shown::Timeline& timeline, const Words& words, bool title);

/// A file of its own, on white.
std::string svg_file(const Svg& svg, const std::string& title, const std::string& caption);
/// Inside HTML: colours come from the page. `kind` is its class.
std::string svg_inside(const Svg& svg, const std::string& label, const std::string& kind);

}  // namespace warpwright::report
