// Widths are measured in terminal columns instead of bytes, and colours are put around the text alone, so that the
// padding stays outside. Groups of columns get a common heading above them.
#include "report/layout.hpp"

#include <algorithm>

#include "report/format.hpp"

namespace warpwright::report {

namespace {

constexpr std::size_t kGap = 2;

std::vector<std::size_t> widths(const Layout& layout) {
    std::vector<std::size_t> out;
    for (std::size_t c = 0; c < layout.columns.size(); ++c) {
        const LayoutColumn& column = layout.columns[c];
        std::size_t width = display_width(column.heading);
        for (const auto& row : layout.rows) {
            const std::size_t cell = display_width(row[c].text);
            width = std::max(width, column.most ? std::min(cell, column.most) : cell);
        }
        out.push_back(width);
    }
    // A group's heading must fit over its columns.
    for (std::size_t c = 0; c < layout.columns.size();) {
        std::size_t end = c, sum = 0;
        for (; end < layout.columns.size() && layout.columns[end].group == layout.columns[c].group; ++end)
            sum += out[end] + (end > c ? kGap : 0);
        const std::size_t heading = display_width(layout.columns[c].group);
        if (heading > sum) out[end - 1] += heading - sum;
        c = end;
    }
    return out;
}

std::string repeat(std::string_view s, std::size_t n) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i) out += s;
    return out;
}

}  // namespace

std::string pad(const std::string& text, std::size_t width, bool left) {
    const std::size_t used = display_width(text);
    const std::string blanks(width > used ? width - used : 0, ' ');
    return left ? text + blanks : blanks + text;
}

void end_line(std::string& out) {
    while (!out.empty() && out.back() == ' ') out.pop_back();
    out += '\n';
}

std::string paint(const std::string& text, Style style, bool color) {
    const char* code = nullptr;
    switch (style) {
        case Style::normal:
            break;
        case Style::good:
            code = "32";
            break;
        case Style::bad:
            code = "1;31";
            break;
        case Style::warn:
            code = "33";
            break;
        case Style::dim:
            code = "2";
            break;
        case Style::bold:
            code = "1";
            break;
    }
    if (!color || !code || text.empty()) return text;
    return std::string("\x1b[") + code + 'm' + text + "\x1b[0m";
}

namespace {

/// The lines of a cell: one, cut where it is too long, unless its column wraps.
std::vector<std::string> lines_of(const Cell& cell, const LayoutColumn& column, bool unicode) {
    if (column.most && column.wraps) {
        // The blanks that a line of source begins with stay.
        const std::size_t first = cell.text.find_first_not_of(' ');
        const std::size_t indent = first == std::string::npos ? 0 : std::min(first, column.most / 2);
        std::vector<std::string> out = pieces(cell.text.substr(indent), column.most - indent);
        for (std::string& line : out) line.insert(0, indent, ' ');
        return out;
    }
    return {column.most ? clip(cell.text, column.most, unicode) : cell.text};
}

void add_row(std::string& out, const Layout& layout, const std::vector<Cell>& row,
             const std::vector<std::size_t>& width, bool color, bool unicode) {
    std::vector<std::vector<std::string>> cells;
    std::size_t high = 1;
    for (std::size_t c = 0; c < layout.columns.size(); ++c)
        high = std::max(high, cells.emplace_back(lines_of(row[c], layout.columns[c], unicode)).size());
    for (std::size_t line = 0; line < high; ++line) {
        for (std::size_t c = 0; c < layout.columns.size(); ++c) {
            const std::string cell = line < cells[c].size() ? cells[c][line] : std::string();
            // The blanks stay outside of the colours, so that trailing ones can go.
            const std::size_t used = display_width(cell);
            const std::string blanks(width[c] > used ? width[c] - used : 0, ' ');
            const std::string painted = paint(cell, row[c].style, color);
            out +=
                (c > 0 ? std::string(kGap, ' ') : "") + (layout.columns[c].left ? painted + blanks : blanks + painted);
        }
        end_line(out);
    }
}

}  // namespace

std::size_t Layout::width() const {
    std::size_t sum = 0;
    for (std::size_t w : widths(*this)) sum += w + kGap;
    return sum > 0 ? sum - kGap : 0;
}

std::string Layout::text(bool color, bool unicode) const {
    const auto width = widths(*this);
    const std::string_view rule = unicode ? "─" : "-";
    const std::string gap(kGap, ' ');
    std::string out;

    const bool grouped =
        std::any_of(columns.begin(), columns.end(), [](const LayoutColumn& c) { return !c.group.empty(); });
    if (grouped) {
        for (std::size_t c = 0; c < columns.size();) {
            std::size_t end = c, sum = 0;
            for (; end < columns.size() && columns[end].group == columns[c].group; ++end)
                sum += width[end] + (end > c ? kGap : 0);
            const std::string& name = columns[c].group;
            if (c > 0) out += gap;
            if (name.empty()) {
                out += std::string(sum, ' ');
            } else {
                // The name stands in the middle of a rule over its columns.
                const std::size_t left = sum - display_width(name);
                const bool room = left >= 4;
                std::string text =
                    room ? repeat(rule, left / 2 - 1) + ' ' + name + ' ' + repeat(rule, left - left / 2 - 1)
                         : pad(name, sum, false);
                out += paint(text, Style::dim, color);
            }
            c = end;
        }
        end_line(out);
    }
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c)
        line += (c > 0 ? gap : "") + paint(pad(columns[c].heading, width[c], columns[c].left), Style::bold, color);
    out += line;
    end_line(out);
    for (std::size_t c = 0; c < columns.size(); ++c)
        out += (c > 0 ? gap : "") + paint(repeat(rule, width[c]), Style::dim, color);
    end_line(out);
    for (const auto& row : rows) add_row(out, *this, row, width, color, unicode);
    return out;
}

}  // namespace warpwright::report
