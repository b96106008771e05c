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
    bool wraps = false;    ///< what `most` has no room for goes on below in place of being cut
};

struct Layout {
    std::vector<LayoutColumn> columns;
    std::vector<std::vector<Cell>> rows;  ///< as many cells a row as columns

    std::size_t width() const;
    /// Lines, each ending in a line feed, without trailing blanks.
    std::string text(bool color, bool unicode) const;
};

/// The table in parts that fit the width (0: in one), each of which begins with the columns that tell rows apart. Where
/// even a single further column does not fit, texts go on below themselves.
std::string in_parts(const Layout& whole, std::size_t width, bool color, bool unicode);

/// Makes columns of texts narrower, to `least` columns at the most, until the table fits the width; their texts go on
/// below. Whether it fits.
bool squeeze(Layout& layout, std::size_t width, std::size_t least = 8);

/// The text in the style's ANSI colour, or as it is.
std::string paint(const std::string& text, Style style, bool color);

/// The text with blanks to `width` columns, behind it (`left`) or before it.
std::string pad(const std::string& text, std::size_t width, bool left);

/// Ends the line at work, without the blanks at its end.
void end_line(std::string& out);

}  // namespace warpwright::report
