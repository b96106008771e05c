// What the drawings share: numbers and text in SVG, legends, text widths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/page.hpp"
#include "report/escape.hpp"
#include "report/html/svg.hpp"

namespace warpwright::report {

/// Without the back quotes that mark code, where text cannot show them.
std::string unmarked(std::string_view text);

/// At most two digits after the point, none where they are zero.
std::string coordinate(double value);

/// Its width in pixels, roughly: there are no fonts here to ask.
double text_width(std::string_view text, double size);

std::string svg_text(double x, double y, std::string_view text, std::string_view classes, double size);
std::string svg_line(double x1, double y1, double x2, double y2, std::string_view classes);

/// Rectangles of one class as one path.
class Boxes {
public:
    void add(const std::string& kind, double x, double y, double width, double height);
    std::string text() const;

private:
    std::vector<std::pair<std::string, std::string>> paths_;
};

struct LegendEntry {
    std::string mark;  ///< SVG drawn at 0,0 to 22,12
    std::string text;
};

/// Entries in lines of at most `width`; adds their height to `y`.
std::string svg_legend(const std::vector<LegendEntry>& entries, double x, double& y, double width);

/// Swatches for the tones that a map or timeline uses and names.
std::vector<LegendEntry> tone_entries(const std::vector<record::shown::Legend>& legend);

/// A bold title line; adds its height to `y`.
std::string svg_title(const std::string& title, double x, double& y);

}  // namespace warpwright::report
