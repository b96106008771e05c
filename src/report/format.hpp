// Numbers and text as a person reads them on a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/counted.hpp"
#include "text/message.hpp"

namespace warpwright::report {

/// Three significant digits and a decimal prefix: "999", "1.23 k", "45.6 M"; "-" for NaN.
std::string si(double value);
/// "12.3 ms"; units s, ms, µs, ns, ps ("us" without unicode).
std::string seconds(double value, bool unicode = true);
/// "512 B", "1.50 KiB".
std::string bytes(double value);
/// "12.5 %" of a fraction; below 10 % with one digit after the point.
std::string percent(double fraction);
using warpwright::grouped;
/// Three significant digits without a prefix: "0.125", "31.4", "1,024".
std::string plain(double value);

/// As plain(), without zeros at its end: "2.5", "1,060".
std::string short_number(double value);

/// A whole number as it is, without groups, to stand in a text.
inline Figure figure_of(std::uint64_t value) { return {std::to_string(value)}; }

/// Text from outside made safe to print: control characters, bytes that are not UTF-8 and characters that
/// reorder text become "\x1b" or "\u202e"; line breaks and tabs become spaces where `one_line`, and stay otherwise.
std::string safe(std::string_view text, bool one_line = true);

/// Columns that UTF-8 text takes on a terminal: 2 for wide East Asian characters, 0 for combining marks.
std::size_t display_width(std::string_view text);

/// The text cut to `width` columns, ending in "…" (or "~") where something was cut.
std::string clip(std::string_view text, std::size_t width, bool unicode = true);

/// Lines of at most `width` columns, broken at spaces; a word longer than that stands alone.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// As wrap(), and a word longer than that is broken: no line is wider. Width 0: the text as it is.
std::vector<std::string> pieces(const std::string& text, std::size_t width);

/// A text of several lines for a terminal of so many columns (0: any). A line that is wider goes on below, under the
/// last of its columns (what two blanks divide) that leaves room there; else two blanks further in than it begins, or
/// where it begins if that is far in.
/// Colours count for nothing.
std::string fold(std::string_view text, std::size_t width);

}  // namespace warpwright::report
