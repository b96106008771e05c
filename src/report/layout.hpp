// Lays cells out as a fixed-width table: alignment, rules, group headings, colours.
#pragma once

#include <string>
#include <vector>

#include "report/columns.hpp"

namespace warpwright::report {

struct LayoutColumn {
    std::string heading;
    std::string group;  ///< a heading over neighbouring columns of the same group; empty = none
    bool left = false;
    std::size_t most = 0;  ///< clip cells to this many columns; 0 = never
};

struct Layout {
    std::vector<LayoutColumn> columns;
    std::vector<std::vector<Cell>> rows;  ///< as many cells a row as columns

    std::size_t width() const;
    /// Lines, each ending in a line feed, without trailing blanks.
    std::string text(bool color, bool unicode) const;
};

/// The text in the style's ANSI colour, or as it is.
std::string paint(const std::string& text, Style style, bool color);

/// The text with blanks to `width` columns, behind it (`left`) or before it.
std::string pad(const std::string& text, std::size_t width, bool left);

/// Ends the line at work, without the blanks at its end.
void end_line(std::string& out);

}  // namespace warpwright::report
