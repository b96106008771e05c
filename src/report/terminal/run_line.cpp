#include <fmt/format.h>

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
std::string time_of(const record::Record& r, bool unicode, bool bound) {
    if (r.left_out) return *r.left_out;
    if (r.error) return *r.error;
    if (r.time && r.time->timed_share)
        return fmt::format("{}, multiplied up from the measured time of {} of the work",
                           seconds(r.time->median_s, unicode), percent(*r.time->timed_share));
    if (r.time) return seconds(r.time->median_s, unicode) + " measured";
    const bool bounded = r.bound && r.bound->seconds > 0;
    if (r.predicted && !(bounded && bound)) return seconds(r.predicted->seconds, unicode) + " predicted";
    if (r.predicted)
        return fmt::format("{} predicted, bound {} by {}", seconds(r.predicted->seconds, unicode),
                           seconds(r.bound->seconds, unicode), r.bound->binds);
    if (bounded) return fmt::format("at least {}, bound by {}", seconds(r.bound->seconds, unicode), r.bound->binds);
    return "";
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
                             padded(words.phrase(result_of(r)), columns.result);
    for (const bool bound : {true, false}) {
        const std::string time = safe(words.phrase(time_of(r, unicode, bound)));
        std::string line = time.empty() ? head : head + "  " + time;
        line.erase(line.find_last_not_of(' ') + 1);
        if (width == 0 || display_width(line) <= width) return line;
        if (!bound) return clip(line, width, unicode);
    }
    return head;
}

}  // namespace warpwright::report
