// Cell maps and timelines.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/figures.hpp"
#include "report/html/svg_shapes.hpp"
#include "report/palette.hpp"

namespace warpwright::report {
namespace {

using record::shown::CellMap;
using record::shown::Timeline;

double widest(const std::vector<std::string>& texts, double size) {
    double out = 0;
    for (const std::string& text : texts) out = std::max(out, text_width(text, size));
    return out;
}

bool hot(const record::shown::Cell& cell) { return std::isfinite(cell.heat); }

/// The names of a map's columns, upright where they are wider than its cells.
std::string column_names(const record::shown::CellMap& map, const Svg& at, bool upright) {
    std::string out;
    for (std::size_t c = 0; c < map.column_names.size(); ++c) {
        const double x = at.left + (double(c) + 0.5) * at.step_x;
        if (map.column_names[c].empty()) continue;
        if (upright)
            out +=
                fmt::format("<text class=\"m\" font-size=\"11\" transform=\"translate({} {}) rotate(-90)\">{}</text>",
                            coordinate(x + 4), coordinate(at.top - 4), escape(unmarked(map.column_names[c])));
        else
            out += svg_text(x, at.top - 5, map.column_names[c], "m o", 11);
    }
    return out;
}

/// A row of cells: their boxes, and one text element for neighbours whose text has the same colour.
void add_row(const std::vector<record::shown::Cell>& row, const Svg& at, double top, Boxes& boxes, std::string& texts) {
    const double cell = at.step_x, height = at.step_y;
    std::string colour, line;
    const auto close = [&] {
        if (!line.empty())
            texts += fmt::format("<text class=\"o {}\" y=\"{}\" font-size=\"11\">{}</text>", colour,
                                 coordinate(top + height / 2 + 3.5), line);
        line.clear();
    };
    for (std::size_t c = 0; c < row.size(); ++c) {
        const record::shown::Cell& one = row[c];
        const double x = at.left + double(c) * cell;
        const int heat = hot(one) ? heat_step(one.heat) : -1;
        boxes.add(heat >= 0      ? fmt::format("h{}", heat)
                  : one.tone < 0 ? "p"
                                 : fmt::format("t{}", tone_step(one.tone)),
                  x, top, cell - 1, height - 1);
        if (one.text.empty()) continue;
        const std::string wanted = heat > 6 ? "kh" : heat == 6 ? "k6" : heat >= 0 ? "kc" : one.tone < 0 ? "i" : "k";
        if (wanted != colour) close(), colour = wanted;
        line += fmt::format("<tspan x=\"{}\">{}</tspan>", coordinate(x + (cell - 1) / 2), escape(unmarked(one.text)));
    }
    close();
}

std::vector<LegendEntry> map_legend(const record::shown::CellMap& map, bool any_heat, const Words& words) {
    std::vector<LegendEntry> entries = tone_entries(map.legend);
    if (any_heat && map.legend.empty()) {
        entries.push_back(
            {"<rect class=\"h1\" x=\"4\" width=\"16\" height=\"12\" rx=\"2\"/>", word(words, "report.few", "few")});
        entries.push_back({"<rect class=\"h4\" x=\"4\" width=\"16\" height=\"12\" rx=\"2\"/>", "…"});
        entries.push_back(
            {"<rect class=\"h9\" x=\"4\" width=\"16\" height=\"12\" rx=\"2\"/>", word(words, "report.many", "many")});
    }
    return entries;
}

/// The unit of a timeline's axis: seconds take a prefix, on the axis and in its name.
struct AxisUnit {
    std::string name;
    double scale = 1;
};

AxisUnit axis_unit(const record::shown::Timeline& timeline, double high) {
    if (timeline.unit != "s" || high >= 1) return {timeline.unit};
    return high < 1e-3 ? AxisUnit{"µs", 1e6} : AxisUnit{"ms", 1e3};
}

/// The vertical lines of a timeline's axis, down to `bottom`, and their labels.
std::string time_grid(const Svg& at, double scale, double right, double bottom, const Words& words) {
    std::string out, grid;
    for (const Tick& t : make_axis({at.low * scale, at.high * scale}, {}, 8).ticks) {
        const double x = at.left + (t.value / scale - at.low) * at.step_x;
        if (x < at.left - 0.5 || x > right + 0.5) continue;
        grid += fmt::format("M{} {}V{}", coordinate(x), coordinate(at.top - 2), coordinate(bottom + 2));
        out += svg_text(x, bottom + 16, words.figure(t.label), "m o", 12);
    }
    return out + fmt::format("<path class=\"g\" d=\"{}\"/>", grid);
}

/// The height of a label in a box so wide, a little smaller where it would not fit: of numbers in a row none is to be
/// missing because it has one digit more. 0: it has no place.
double label_size(const std::string& label, double wide) {
    if (label.empty()) return 0;
    for (const double size : {11.0, 10.0, 9.0})
        if (text_width(label, size) < wide - (size < 11 ? 0.5 : 4)) return size;
    return 0;
}

/// Only the letters of base64: what stands in an attribute is a file of ours, or one that a JSON file holds.
bool is_base64(const std::string& text) {
    return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") ==
           std::string::npos;
}

/// A picture in place of its cells, with their shape, 480 wide.
Svg draw_picture(const record::shown::CellMap& map, bool title) {
    Svg out;
    double y = 0;
    if (title) out.body += svg_title(map.title, 12, y);
    std::size_t columns = 1;
    for (const auto& row : map.rows) columns = std::max(columns, row.size());
    const double wide = 480, high = wide * double(map.rows.size()) / double(columns);
    out.body += fmt::format(
        "<image x=\"12\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
        "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>",
        coordinate(y + 6), coordinate(wide), coordinate(high), map.png);
    out.left = 12, out.top = y + 6, out.step_x = wide / double(columns), out.step_y = out.step_x;
    out.width = wide + 24, out.height = y + high + 12;
    return out;
}

}  // namespace

Svg draw(const record::shown::CellMap& map, const Words& words, bool title) {
    if (!map.png.empty() && !map.rows.empty() && is_base64(map.png)) return draw_picture(map, title);
    Svg out;
    double cell = 0;
    std::size_t columns = map.column_names.size();
    bool any_heat = false, any_text = false;
    for (const auto& row : map.rows) {
        columns = std::max(columns, row.size());
        for (const record::shown::Cell& c : row) {
            cell = std::max(cell, text_width(c.text, 11) + 8);
            any_heat |= hot(c);
            any_text |= !c.text.empty();
        }
    }
    cell = std::max(cell, any_text ? 22.0 : 16.0);
    const double height = any_text ? 22 : 16;
    const double names = widest(map.column_names, 11);
    bool upright = names + 6 > cell;
    if (upright && columns <= 20 && names <= 84) cell = names + 8, upright = false;

    double y = 0;
    if (title) out.body += svg_title(map.title, 12, y);
    out.left = 12 + (map.row_names.empty() ? 0 : widest(map.row_names, 11) + 8);
    out.top = y + 6 + (map.column_names.empty() ? 0 : upright ? names + 6 : 16);
    out.step_x = cell, out.step_y = height;
    out.body += column_names(map, out, upright);
    Boxes boxes;
    std::string texts;
    for (std::size_t r = 0; r < map.rows.size(); ++r) {
        const double top = out.top + double(r) * height;
        if (r < map.row_names.size() && !map.row_names[r].empty())
            out.body += svg_text(out.left - 8, top + height / 2 + 4, map.row_names[r], "m e", 11);
        add_row(map.rows[r], out, top, boxes, texts);
    }
    out.body += boxes.text() + texts;
    y = out.top + double(map.rows.size()) * height + 6;
    out.width = std::max(out.left + double(columns) * cell + 12, 260.0);
    const std::vector<LegendEntry> entries = map_legend(map, any_heat, words);
    for (const LegendEntry& e : entries) out.width = std::max(out.width, std::min(text_width(e.text, 12) + 60, 640.0));
    if (title) out.width = std::max(out.width, std::min(text_width(map.title, 15) + 24, 720.0));
    out.body += svg_legend(entries, 8, y, out.width - 24);
    out.height = y + 6;
    return out;
}

Svg draw(const record::shown::Timeline& timeline, const Words& words, bool title) {
    Svg out;
    out.width = 720;
    std::vector<double> ends;
    std::vector<std::string> names;
    for (const record::shown::Lane& lane : timeline.lanes) {
        names.push_back(lane.name);
        for (const record::shown::Span& span : lane.spans) ends.push_back(span.begin), ends.push_back(span.end);
    }
    out.low = ends.empty() ? 0 : std::min(0.0, *std::min_element(ends.begin(), ends.end()));
    out.high = ends.empty() ? 1 : *std::max_element(ends.begin(), ends.end());
    if (!(out.high > out.low)) out.high = out.low + 1;

    double y = 0;
    if (title) out.body += svg_title(timeline.title, 12, y);
    out.left = 20 + std::min(widest(names, 12), 220.0);
    const double right = out.width - 16;
    out.step_x = (right - out.left) / (out.high - out.low);
    out.step_y = timeline.lanes.size() > 16 ? 18 : 30;
    out.top = y + 8;
    const double bottom = out.top + out.step_y * double(timeline.lanes.size());

    const auto [unit, scale] = axis_unit(timeline, out.high);
    out.body += time_grid(out, scale, right, bottom, words);

    Boxes boxes;
    std::string texts;
    for (std::size_t l = 0; l < timeline.lanes.size(); ++l) {
        const double top = out.top + double(l) * out.step_y, high = out.step_y - (out.step_y > 20 ? 6 : 3);
        out.body += svg_text(out.left - 8, top + high / 2 + 4, names[l], "i e", 12);
        for (const record::shown::Span& span : timeline.lanes[l].spans) {
            const double x = out.left + (span.begin - out.low) * out.step_x;
            const double wide = std::max(1.0, (span.end - span.begin) * out.step_x - 0.8);
            boxes.add(fmt::format("t{}", tone_step(span.tone)), x, top, wide, high);
            if (const double size = label_size(span.label, wide); size > 0)
                texts += svg_text(x + wide / 2, top + high / 2 + 4, span.label, "k o", size);
        }
    }
    out.body += boxes.text() + texts;
    y = bottom + 34;
    out.body +=
        svg_text((out.left + right) / 2, y,
                 fmt::format("{}{}({})", words.unit(unit), unit.empty() ? "" : " ", basis_name(timeline.basis, words)),
                 "m o", 12);
    y += 8;
    out.body += svg_legend(tone_entries(timeline.legend), 12, y, out.width - 24);
    out.height = y + 6;
    return out;
}

}  // namespace warpwright::report
