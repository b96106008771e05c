// Parts under a hundredth are left out, and so are lines under it.
#include "report/program/emulator_time.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/format.hpp"
#include "support/demangle.hpp"

namespace warpwright::report {

namespace {

constexpr double kLeast = 0.01;
constexpr std::size_t kMostLines = 10;

std::string name_of(const Say& say, const std::string& work) { return say("program.host_time.name." + work); }

/// "kernel, file.cu:12: text of the line"
std::string place_of(const Say& say, const profile::EmulatorTime::Line& l, const SourceText& source) {
    std::string out = safe(demangle(l.kernel)) + ", ";
    if (l.line == 0)
        return out + (l.ptx_line > 1 ? say("program.host_time.ptx_line", {{"n", figure_of(l.ptx_line)}})
                                     : say("program.host_time.between"));
    const auto slash = l.file.rfind('/');
    out += safe(slash == std::string::npos ? l.file : l.file.substr(slash + 1)) + ":" + std::to_string(l.line);
    if (const auto code = source ? source(l.file, l.line) : std::nullopt)
        if (const auto from = code->find_first_not_of(" \t"); from != std::string::npos)
            out += "  " + safe(code->substr(from));
    return out;
}

}  // namespace

void emulator_time(std::string& out, const Say& say, const profile::EmulatorTime& time, double wall,
                   const SourceText& source) {
    say.line(out, 0,
             say("program.host_time.heading", {{"p", Figure{fmt::format("{:.3g}", time.processor_seconds)}},
                                               {"w", Figure{fmt::format("{:.3g}", wall)}}}),
             0);
    const double all = std::max(time.processor_seconds, 1e-9);
    const std::vector<Say::Column> columns{{7}, {9}};
    const auto row = [&](double seconds, const std::string& text) {
        say.row(out, columns, {say.figure(fmt::format("{:.1f}", 100 * seconds / all)) + "%", say.time(seconds)}, text);
    };
    for (const auto& p : time.parts)
        if (p.seconds >= kLeast * all) row(p.seconds, name_of(say, p.work));
    if (!time.parts.empty()) say.line(out, 0, say("program.host_time.why." + time.parts.front().work), 0);
    const bool any = !time.lines.empty() && time.lines.front().seconds >= kLeast * all;
    if (any) say.line(out, 0, say("program.host_time.lines", {{"n", figure_of(time.samples)}}), 0);
    std::size_t shown = 0;
    for (const auto& l : time.lines) {
        if (l.seconds < kLeast * all || shown++ == kMostLines) break;
        row(l.seconds, name_of(say, l.work) + ": " + place_of(say, l, source));
    }
    out += "\n";
}

}  // namespace warpwright::report
