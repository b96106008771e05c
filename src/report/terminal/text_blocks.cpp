// Plots, maps and timelines are drawn on a grid of characters, with axes laid out by the rules of the other forms.
// Without colours letters and digits take the place of tints.
#include "report/terminal/text_blocks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/bars.hpp"
#include "report/figures.hpp"
#include "report/format.hpp"
#include "report/html/svg_shapes.hpp"
#include "report/layout.hpp"
#include "report/palette.hpp"

namespace warpwright::report {
namespace {

std::size_t width_of(const TextOptions& o) { return o.width == 0 ? 100 : std::max<std::size_t>(o.width, 40); }

/// The nearest of a terminal's 256 colours to "#rrggbb".
int terminal_colour(std::string_view hex) {
    const auto part = [&](std::size_t at) { return std::stoi(std::string(hex.substr(at, 2)), nullptr, 16); };
    const auto level = [](int v) { return v < 48 ? 0 : v < 115 ? 1 : std::min(5, (v - 35) / 40); };
    return 16 + 36 * level(part(1)) + 6 * level(part(3)) + level(part(5));
}

std::string legend(const std::vector<record::shown::Legend>& entries, const TextOptions& o) {
    std::string out, line = "  ";
    std::size_t used = 2;
    for (const record::shown::Legend& l : entries) {
        const std::string mark = l.tone < 0 ? (o.unicode ? "·" : ".")
                                 : o.color  ? "  "
                                            : std::string(1, tone_letter(l.tone));
        const std::string text = safe(unmarked(l.text));
        const std::size_t wide = display_width(mark) + 1 + display_width(text) + 3;
        if (used > 2 && used + wide > width_of(o)) out += line, end_line(out), line = "  ", used = 2;
        line += (l.tone < 0 ? mark : tinted(mark, l.tone, NAN, o)) + " " + text + "   ";
        used += wide;
    }
    if (used > 2) out += line, end_line(out);
    return out;
}

/// Bars of a plot with categories: one group a category.
std::string bar_groups(const record::shown::Plot& plot, const Words& words, const TextOptions& o) {
    std::vector<std::pair<std::string, double>> values;
    for (std::size_t c = 0; c < plot.categories.size(); ++c)
        for (const record::shown::Series& s : plot.series)
            for (std::size_t i = 0; i < s.x.size(); ++i)
                if (s.x[i] == double(c) && std::isfinite(s.y[i]))
                    values.emplace_back(
                        unmarked(plot.series.size() == 1 ? plot.categories[c] : plot.categories[c] + ", " + s.name),
                        s.y[i]);
    return bars("  " + unmarked(plot.y_label), values, width_of(o), o.unicode,
                [&](double value) { return words.figure(quantity(value, plot.y_unit)); });
}

constexpr const char* kMarks[] = {"●", "■", "▲", "◆", "○", "□", "△", "◇"};
constexpr const char* kPlain[] = {"o", "#", "^", "*", "+", "x", "@", "%"};

/// A series' mark; after eight, letters.
std::string mark_of(std::size_t series, bool unicode) {
    if (series < 8) return unicode ? kMarks[series] : kPlain[series];
    return std::string(1, char('A' + (series - 8) % 26));
}

/// The characters inside the axes of a plot, and where a value stands among them.
struct PlotArea {
    Axis x, y;
    std::size_t columns, rows;
    std::vector<std::vector<std::string>> grid = {rows, std::vector<std::string>(columns, " ")};

    static std::size_t at(const Axis& axis, double v, std::size_t count) {
        return std::size_t(std::lround(std::clamp(axis.place(v), 0.0, 1.0) * double(count - 1)));
    }
    std::size_t row_of(double v) const { return rows - 1 - at(y, v, rows); }
    std::size_t column_of(double v) const { return at(x, v, columns); }
};

/// A dotted line between two points, where nothing else stands.
void draw_line(PlotArea& area, double from_x, double from_y, double to_x, double to_y, bool unicode) {
    const std::size_t from = area.column_of(from_x), to = area.column_of(to_x), rows = area.rows;
    for (std::size_t c = from + 1; c < to; ++c) {
        const double share = double(c - from) / double(to - from);
        const double place = area.y.place(from_y) + share * (area.y.place(to_y) - area.y.place(from_y));
        std::string& cell =
            area.grid[rows - 1 - std::size_t(std::lround(std::clamp(place, 0.0, 1.0) * double(rows - 1)))][c];
        if (cell == " ") cell = unicode ? "·" : ".";
    }
}

void draw_series(PlotArea& area, const record::shown::Series& one, const std::string& mark, bool line, bool unicode) {
    double before_x = NAN, before_y = NAN;
    for (std::size_t i = 0; i < one.x.size(); ++i) {
        const bool there = std::isfinite(one.x[i]) && std::isfinite(one.y[i]) && (!area.x.log || one.x[i] > 0) &&
                           (!area.y.log || one.y[i] > 0);
        if (!there) {
            before_x = NAN;
            continue;
        }
        if (line && std::isfinite(before_x)) draw_line(area, before_x, before_y, one.x[i], one.y[i], unicode);
        area.grid[area.row_of(one.y[i])][area.column_of(one.x[i])] = mark;
        before_x = one.x[i], before_y = one.y[i];
    }
}

/// The rows with the labels of the y axis, `label` columns wide, and the x axis below them.
std::string framed(const PlotArea& area, std::size_t label, bool unicode) {
    std::string out;
    std::vector<std::string> labels(area.rows);
    for (const Tick& t : area.y.ticks)
        if (const double p = area.y.place(t.value); p >= -0.01 && p <= 1.01) labels[area.row_of(t.value)] = t.label;
    for (std::size_t r = 0; r < area.rows; ++r) {
        out += "  " + pad(labels[r], label, false) +
               (unicode ? (labels[r].empty() ? " │" : " ┤") : (labels[r].empty() ? " |" : " +"));
        for (const std::string& cell : area.grid[r]) out += cell;
        end_line(out);
    }
    out += std::string(label + 3, ' ') + (unicode ? "└" : "+");
    for (std::size_t c = 0; c < area.columns; ++c) out += unicode ? "─" : "-";
    out += '\n';
    std::string ticks(label + 4, ' ');
    std::size_t used = 0;
    for (const Tick& t : area.x.ticks) {
        const std::size_t wide = display_width(t.label), middle = area.column_of(t.value);
        const std::size_t at = middle > wide / 2 ? middle - wide / 2 : 0;
        if (at < used + (used ? 2 : 0) || at + wide > area.columns + 2) continue;
        ticks += std::string(at - used, ' ') + t.label;
        used = at + wide;
    }
    out += ticks;
    end_line(out);
    return out;
}

/// The marks with the names of their series; with their bases where these differ.
std::string legend(const record::shown::Plot& plot, const Words& words, const TextOptions& o) {
    std::string out, line = "  ";
    for (std::size_t s = 0; s < plot.series.size(); ++s) {
        const std::string name = mark_of(s, o.unicode) + " " + safe(unmarked(series_label(plot, s, words)));
        if (display_width(line) + display_width(name) > width_of(o) && display_width(line) > 2)
            out += line, end_line(out), line = "  ";
        line += name + "   ";
    }
    out += line;
    end_line(out);
    return out;
}

}  // namespace

char tone_letter(int tone) { return tone < 0 ? '.' : char('A' + tone % 26); }

std::string tinted(const std::string& text, int tone, double heat, const TextOptions& o) {
    if (!o.color || text.empty() || (tone < 0 && !std::isfinite(heat))) return text;
    const int step = std::isfinite(heat) ? heat_step(heat) : -1;
    const std::string_view back =
        step >= 0 ? colour(fmt::format("h{}", step), false) : colour(fmt::format("t{}", tone_step(tone)), false);
    return fmt::format("\x1b[38;5;{};48;5;{}m{}\x1b[0m", step > 6 ? 231 : 16, terminal_colour(back), text);
}

std::string text_plot(const record::shown::Plot& plot, const Words& words, const TextOptions& o) {
    if (plot.kind == record::shown::Plot::Kind::bar) return bar_groups(plot, words, o);
    const Axis x = x_axis(plot, words, 7), y = y_axis(plot, words, 6);
    std::size_t label = 0;
    for (const Tick& t : y.ticks) label = std::max(label, display_width(t.label));
    PlotArea area{x, y, std::min<std::size_t>(width_of(o) - label - 6, 100), 16};
    bool mixed = false;
    for (std::size_t s = 0; s < plot.series.size(); ++s) {
        mixed |= plot.series[s].basis != plot.series.front().basis;
        draw_series(area, plot.series[s], mark_of(s, o.unicode), plot.kind == record::shown::Plot::Kind::line,
                    o.unicode);
    }
    std::string out = "  " + safe(unmarked(plot.y_label)) + "\n" + framed(area, label, o.unicode);
    out += std::string(label + 4, ' ') + safe(unmarked(plot.x_label)) + "\n";
    if (plot.series.size() > 1 || mixed) out += legend(plot, words, o);
    return out;
}

std::string text_cells(const record::shown::CellMap& map, const TextOptions& o) {
    std::size_t columns = map.column_names.size(), cell = 1, label = 0;
    bool letters = false;
    for (const auto& row : map.rows) {
        columns = std::max(columns, row.size());
        for (const record::shown::Cell& c : row) {
            cell = std::max(cell, display_width(safe(c.text)));
            letters |= !o.color && c.tone >= 0;
        }
    }
    for (const std::string& name : map.row_names) label = std::max(label, display_width(safe(unmarked(name))));
    std::size_t names = 0;
    for (const std::string& name : map.column_names) names = std::max(names, display_width(safe(unmarked(name))));
    bool any_text = false;
    for (const auto& row : map.rows)
        for (const record::shown::Cell& c : row) any_text |= !c.text.empty();
    // Without colours a cell's tone stands as a letter after its text; its heat as a digit where it has no text: beside
    // a figure that would read as a further digit of it.
    const std::size_t mark = letters && any_text ? 1 : 0;
    cell = std::max(cell + mark, names <= 6 ? names : 0);
    const std::size_t room = width_of(o) - 2 - (label ? label + 1 : 0);
    const std::size_t chunk = std::max<std::size_t>(1, room / (cell + 1));
    std::string out;
    for (std::size_t from = 0; from < columns; from += chunk) {
        const std::size_t to = std::min(columns, from + chunk);
        if (from > 0) out += '\n';
        if (!map.column_names.empty()) {
            out += "  " + (label ? std::string(label + 1, ' ') : "");
            for (std::size_t c = from; c < to; ++c)
                out +=
                    pad(c < map.column_names.size() ? clip(safe(unmarked(map.column_names[c])), cell, o.unicode) : "",
                        cell, false) +
                    " ";
            end_line(out);
        }
        for (std::size_t r = 0; r < map.rows.size(); ++r) {
            out += "  " +
                   (label ? pad(r < map.row_names.size() ? safe(unmarked(map.row_names[r])) : "", label, false) + " "
                          : "");
            for (std::size_t c = from; c < std::min(to, map.rows[r].size()); ++c) {
                const record::shown::Cell& one = map.rows[r][c];
                std::string text = safe(one.text);
                if (!o.color && std::isfinite(one.heat) && text.empty())
                    text += char('0' + heat_step(one.heat));
                else if (!o.color && one.tone >= 0)
                    text += tone_letter(one.tone);
                else if (mark)
                    text += ' ';
                if (text.empty() || text == " ") text = o.unicode ? "·" : ".";
                out += tinted(pad(text, cell, false), one.tone, one.heat, o) + " ";
            }
            end_line(out);
        }
    }
    return out + legend(map.legend, o);
}

std::string text_timeline(const record::shown::Timeline& timeline, const Words& words, const TextOptions& o) {
    double low = 0, high = 0;
    std::size_t label = 0;
    for (const record::shown::Lane& lane : timeline.lanes) {
        label = std::max(label, std::min<std::size_t>(display_width(safe(unmarked(lane.name))), 24));
        for (const record::shown::Span& s : lane.spans) low = std::min(low, s.begin), high = std::max(high, s.end);
    }
    if (!(high > low)) high = low + 1;
    const std::size_t columns = width_of(o) - label - 5;
    std::string out;
    for (const record::shown::Lane& lane : timeline.lanes) {
        // Which span each character shows: the one that covers its middle.
        std::vector<int> shown(columns, -1);
        for (std::size_t s = 0; s < lane.spans.size(); ++s) {
            const double scale = double(columns) / (high - low);
            auto from =
                std::size_t(std::clamp(std::lround((lane.spans[s].begin - low) * scale), 0L, long(columns) - 1));
            auto to =
                std::size_t(std::clamp(std::lround((lane.spans[s].end - low) * scale), long(from) + 1, long(columns)));
            for (std::size_t c = from; c < to; ++c) shown[c] = int(s);
        }
        out += "  " + pad(clip(safe(unmarked(lane.name)), label, o.unicode), label, true) + (o.unicode ? " │" : " |");
        for (std::size_t c = 0; c < columns;) {
            std::size_t end = c;
            while (end < columns && shown[end] == shown[c]) ++end;
            if (shown[c] < 0) {
                out += std::string(end - c, ' ');
            } else {
                const record::shown::Span& span = lane.spans[std::size_t(shown[c])];
                std::string text = span.label.empty() ? "" : " " + safe(unmarked(span.label)) + " ";
                const std::string fill(1, o.color ? ' ' : tone_letter(span.tone));
                std::string bar;
                const bool fits = !text.empty() && display_width(text) <= end - c;
                const std::size_t blanks = end - c - (fits ? display_width(text) : 0);
                for (std::size_t i = 0; i < blanks / 2; ++i) bar += fill;
                if (fits) bar += text;
                for (std::size_t i = blanks / 2; i < blanks; ++i) bar += fill;
                out += tinted(bar, span.tone, NAN, o);
            }
            c = end;
        }
        end_line(out);
    }
    const auto at = [&](double v) {
        return words.figure(timeline.unit == "s"
                                ? seconds(v, o.unicode)
                                : tick_label(v) + (timeline.unit.empty() ? "" : " " + safe(timeline.unit)));
    };
    const std::string last = at(high), first = at(low);
    out += "  " + std::string(label, ' ') + (o.unicode ? " └" : " +") + first;
    out += std::string(columns > display_width(first) + display_width(last)
                           ? columns - display_width(first) - display_width(last)
                           : 1,
                       ' ') +
           last + "\n";
    return out + legend(timeline.legend, o) + "  (" + basis_name(timeline.basis, words) + ")\n";
}

}  // namespace warpwright::report
