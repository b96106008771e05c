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

std::string time_of(const record::Record& r, bool unicode) {
    if (r.left_out) return *r.left_out;
    if (r.error) return *r.error;
    if (r.time && r.time->timed_share)
        return fmt::format("{}, multiplied up from the measured time of {} of the work",
                           seconds(r.time->median_s, unicode), percent(*r.time->timed_share));
    if (r.time) return seconds(r.time->median_s, unicode) + " measured";
    if (r.predicted)
        return fmt::format("{} predicted{}", seconds(r.predicted->seconds, unicode),
                           r.bound && r.bound->seconds > 0
                               ? fmt::format(", bound {} by {}", seconds(r.bound->seconds, unicode), r.bound->binds)
                               : "");
    if (r.bound && r.bound->seconds > 0)
        return fmt::format("at least {}, bound by {}", seconds(r.bound->seconds, unicode), r.bound->binds);
    return "";
}

}  // namespace

std::string run_line(const record::Record& r, bool unicode) {
    std::string axes;
    for (const record::Axis& axis : r.axes) axes += (axes.empty() ? "" : ", ") + axis.name + " " + axis.text();
    const auto padded = [](std::string text, std::size_t width) {
        const std::size_t has = display_width(text);
        return has < width ? text + std::string(width - has, ' ') : text;
    };
    std::string line = padded(safe(r.name()), 22) + "  " + padded(safe(axes), 34) + "  " + padded(result_of(r), 12);
    if (const std::string time = time_of(r, unicode); !time.empty()) line += "  " + safe(time);
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

}  // namespace warpwright::report
