// The columns have fixed widths, since lines are printed while later records are not known. If a line is too long for
// the terminal, the bound beside the prediction is left out.
#include <fmt/format.h>

#include "record/page_texts.hpp"
#include "report/format.hpp"
#include "report/report.hpp"

namespace warpwright::report {
namespace {

std::string result_of(const record::Record& r) {
    if (r.error) return "error";
    if (r.left_out) return "left out";
    if (r.known_incorrect) return "known to be wrong";
    if (!r.verified) return "not verified";
    return *r.verified ? "right" : "WRONG";
}

/// `bound`: beside the prediction.
Text time_of(const record::Record& r, bool unicode, bool bound) {
    if (r.left_out) return record::left_out_text(r);
    if (r.error) return *r.error;
    const auto shown = [&](double value) { return Figure{seconds(value, unicode)}; };
    if (r.time && r.time->timed_share)
        return message("table.run.multiplied",
                       {{"t", shown(r.time->median_s)}, {"s", Figure{percent(*r.time->timed_share)}}});
    if (r.time) return message("table.run.measured", {{"t", shown(r.time->median_s)}});
    const bool bounded = r.bound && r.bound->seconds > 0;
    if (r.predicted && !(bounded && bound)) return message("table.run.predicted", {{"t", shown(r.predicted->seconds)}});
    if (r.predicted)
        return message(
            "table.run.predicted_bound",
            {{"t", shown(r.predicted->seconds)}, {"b", shown(r.bound->seconds)}, {"x", name_text(r.bound->binds)}});
    if (bounded) return message("table.run.bound", {{"b", shown(r.bound->seconds)}, {"x", name_text(r.bound->binds)}});
    return {};
}

/// Columns: of a terminal too narrow for the usual ones, those that most records fit into.
struct Columns {
    std::size_t axes = 34, result = 12;
    explicit Columns(std::size_t width) {
        if (width != 0 && width < 98) axes = 18, result = 7;
    }
};

}  // namespace

std::string run_line(const record::Record& r, const Words& words, bool unicode, std::size_t width) {
    std::string axes;
    for (const record::Axis& axis : r.axes) axes += (axes.empty() ? "" : ", ") + axis.name + " " + axis.text();
    const auto padded = [](std::string text, std::size_t columns) {
        const std::size_t has = display_width(text);
        return has < columns ? text + std::string(columns - has, ' ') : text;
    };
    const Columns columns(width);
    const std::string head = padded(safe(r.name()), 22) + "  " + padded(safe(axes), columns.axes) + "  " +
                             padded(words.name(result_of(r)), columns.result);
    for (const bool bound : {true, false}) {
        const std::string time = safe(words.render(time_of(r, unicode, bound)));
        std::string line = time.empty() ? head : head + "  " + time;
        line.erase(line.find_last_not_of(' ') + 1);
        if (width == 0 || display_width(line) <= width) return line;
        if (!bound) return clip(line, width, unicode);
    }
    return head;
}

}  // namespace warpwright::report
