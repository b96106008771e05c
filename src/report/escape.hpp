// Text put into other languages: HTML and XML, CSV. What comes from outside is made safe on the way (format.hpp: safe).
#pragma once

#include <string>
#include <string_view>

namespace warpwright::report {

/// For HTML and XML: & < > " ' escaped, control characters and broken UTF-8 made visible.
std::string escape(std::string_view text, bool one_line = true);

/// Figures stay on one line with the unit or short word behind them ("8.0 %", "16 x", "4.80 TB/s"): the blank between
/// them becomes one that does not break.
std::string glued(std::string_view text);

/// A field of RFC 4180: quoted where it has to be, control characters made visible. Before text that a spreadsheet
/// would take for a formula (=, +, -, @ in front, and no number) stands a quotation mark (').
std::string csv_field(std::string_view text);

}  // namespace warpwright::report
