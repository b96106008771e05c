// Lines and rows are folded to a width here, with hanging indents, so that the parts of the report contain only their
// sentences and figures.
#include "report/program/say.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/format.hpp"
#include "report/layout.hpp"

namespace warpwright::report {
namespace {

/// Less room than this is no place for a name.
constexpr std::size_t kLeastRoom = 24;

}  // namespace

std::string Say::time(double s) const {
    const double scaled[] = {s * 1e9, s * 1e6, s * 1e3, s};
    const char* units[] = {"ns", "us", "ms", "s"};
    const int k = s < 1e-6 ? 0 : s < 1e-3 ? 1 : s < 1 ? 2 : 3;
    const std::string value = s <= 0 ? "0" : fmt::format("{:.5g}", scaled[k]);
    return words_("program.time", {{"value", Figure{value}}, {"unit", words_.unit(units[k])}});
}

void Say::line(std::string& out, std::size_t blanks, const std::string& text, std::size_t hang) const {
    const auto room = [&](std::size_t in) { return width_ == 0 ? 0 : width_ > in + 10 ? width_ - in : 10; };
    // All but the first line have less room.
    std::vector<std::string> parts = pieces(text, room(blanks));
    if (parts.size() > 1) parts = pieces(text, room(blanks + hang));
    for (std::size_t i = 0; i < parts.size(); ++i) out += std::string(blanks + (i ? hang : 0), ' ') + parts[i] + "\n";
}

void Say::row(std::string& out, const std::vector<Column>& columns, const std::vector<std::string>& cells,
              const std::string& name) const {
    std::size_t used = 0;
    const std::size_t indent = columns.front().width + 2;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string cell = pad(cells[i], columns[i].width, columns[i].left);
        const std::size_t wide = display_width(cell);
        if (used > 0 && !fits(used + 2 + wide)) {
            end_line(out);
            out += std::string(indent, ' ') + cell;
            used = indent + wide;
        } else {
            out += (used > 0 ? "  " : "") + cell;
            used += wide + (used > 0 ? 2 : 0);
        }
    }
    std::size_t at = used + 2;
    if (!fits(at + display_width(name)) && !fits(at + kLeastRoom)) {
        end_line(out);
        at = std::min(indent, width_ > kLeastRoom ? width_ - kLeastRoom : 0);
        out += std::string(at, ' ');
    } else {
        out += "  ";
    }
    const std::vector<std::string> parts = pieces(name, width_ == 0 ? 0 : width_ > at + 10 ? width_ - at : 10);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) out += std::string(at, ' ');
        out += parts[i];
        end_line(out);
    }
    if (parts.empty()) end_line(out);
}

}  // namespace warpwright::report
