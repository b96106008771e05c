// A profile as a page: the text report, the timeline, and each kernel's source lines with their counts.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "report/escape.hpp"
#include "report/figures.hpp"
#include "report/format.hpp"
#include "report/program.hpp"
#include "report/program/events.hpp"

namespace warpwright::report {
namespace {

using record::Count;

/// Counts that the source view shows beside a line, where any line of the file has them.
constexpr std::pair<Count, const char*> kColumns[] = {{Count::instructions, "instructions"},
                                                      {Count::global_load_requests, "global loads"},
                                                      {Count::global_load_sectors, "sectors loaded"},
                                                      {Count::global_store_requests, "global stores"},
                                                      {Count::global_store_sectors, "sectors stored"},
                                                      {Count::shared_load_wavefronts, "load wavefronts"},
                                                      {Count::shared_store_wavefronts, "store wavefronts"},
                                                      {Count::divergent_branches, "divergent branches"}};

/// The lines of one file that count, with some around them for reading.
void file_view(std::string& out, const KernelSummary& k, const std::string& file, const SourceText& source) {
    const auto& lines = k.use->lines;
    unsigned last = 0;
    record::Counts all{};
    for (const auto& [where, counts] : lines) {
        if (where.first != file) continue;
        last = std::max(last, where.second);
        for (const auto& [count, name] : kColumns) all[count] += counts[count];
    }
    out += "<h3>" + escape(file) + "</h3><div class=\"wide\"><table class=\"source\"><tr><th></th>";
    unsigned columns = 2;
    for (const auto& [count, name] : kColumns)
        if (all[count]) out += fmt::format("<th title=\"{}\">{}</th>", record::count_key(count), name), ++columns;
    out += "<th class=\"code\"></th></tr>\n";
    unsigned before = 0;
    for (unsigned line = 1; line <= last; ++line) {
        const auto found = lines.find({file, line});
        bool near = false;
        for (unsigned n = line > 3 ? line - 3 : 1; n <= line + 3 && !near; ++n) near = lines.count({file, n}) != 0;
        if (!near) continue;
        if (before + 1 != line && before) out += fmt::format("<tr><td colspan=\"{}\">&hellip;</td></tr>\n", columns);
        before = line;
        out += fmt::format("<tr><td>{}</td>", line);
        for (const auto& [count, name] : kColumns)
            if (all[count])
                out += "<td>" +
                       (found != lines.end() && found->second[count] ? grouped(found->second[count]) : std::string()) +
                       "</td>";
        const auto code = source ? source(file, line) : std::nullopt;
        out += "<td class=\"code\">" + escape(code.value_or("")) + "</td></tr>\n";
    }
    out += "</table></div>\n";
}

void source_view(std::string& out, const KernelSummary& k, const SourceText& source) {
    std::set<std::string> files;
    for (const auto& [where, counts] : k.use->lines) files.insert(where.first);
    for (const auto& file : files) file_view(out, k, file, source);
}

constexpr double kLeft = 90, kRight = 985, kLane = 24;

/// Lines down through all lanes with the time below each, and the axis' name.
std::string time_axis(double end, double bottom) {
    std::string out;
    for (const Tick& t : make_axis({0, end}, {false, false, "s"}, 7).ticks) {
        const double x = kLeft + (kRight - kLeft) * t.value / end;
        if (x > kRight + 0.5) continue;
        out += fmt::format(
            "<path class=\"g\" d=\"M{0:.1f} 0V{1:.0f}\"/><text class=\"t\" x=\"{0:.1f}\" y=\"{2:.0f}\">{3}</text>\n", x,
            bottom, bottom + 16, escape(t.label));
    }
    return out + fmt::format("<text class=\"t\" x=\"{:.0f}\" y=\"{:.0f}\">time since the start</text>\n",
                             (kLeft + kRight) / 2, bottom + 34);
}

void timeline(std::string& out, const Profile& p) {
    double end = 0;
    std::set<std::uint64_t> lanes;
    for (const auto& e : p.events)
        if (e.kind != profile::Event::Kind::call) end = std::max(end, e.start + e.seconds), lanes.insert(e.lane);
    if (lanes.empty() || end <= 0) return;
    const double bottom = kLane * double(lanes.size()) + 2;
    out += fmt::format(
        "<h2>Timeline, {} ({} in all)</h2>\n<p class=\"legend\"><i class=\"k\"></i> kernel "
        "<i class=\"c\"></i> copy or fill</p>\n<div class=\"wide\"><svg viewBox=\"0 0 1000 {:.0f}\">\n",
        p.measured() ? "measured" : times_word(p), seconds(end), bottom + 42);
    out += time_axis(end, bottom);
    std::size_t drawn = 0, row = 0;
    for (auto lane : lanes) {
        out += fmt::format("<text x=\"0\" y=\"{}\">stream {}</text>\n", kLane * double(row) + 16, lane);
        for (const auto& e : p.events) {
            if (e.kind == profile::Event::Kind::call || e.lane != lane || drawn >= 20000) continue;
            ++drawn;
            out += fmt::format(
                "<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"18\"><title>{} {}</title></rect>\n",
                e.kind == profile::Event::Kind::kernel ? "k" : "c", kLeft + (kRight - kLeft) * e.start / end,
                kLane * double(row) + 2, std::max(0.3, (kRight - kLeft) * e.seconds / end), escape(event_name(p, e)),
                seconds(e.seconds));
        }
        ++row;
    }
    out += "</svg></div>\n";
}

}  // namespace

std::string program_html(const Profile& p, const arch::DeviceModel& model, const Selection& selection,
                         const SourceText& source) {
    std::string title;
    for (const auto& w : p.program) title += (title.empty() ? "" : " ") + w;
    std::string out =
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<title>" +
        escape(title) +
        " · Warpwright profile</title>\n<style>\n"
        "body{font:14px/1.4 sans-serif;margin:2em;max-width:110em}table{border-collapse:collapse}td,th{padding:.1em "
        ".7em;text-align:right;"
        "font-variant-numeric:tabular-nums}th{border-bottom:1px solid "
        "#888}td.code,th.code{text-align:left;font-family:monospace;white-space:pre}"
        ".source th{max-width:6em;vertical-align:bottom}.source td:not(.code){white-space:nowrap}"
        ".wide{overflow-x:auto}.wide svg{min-width:50em}"
        "@media(max-width:40em){body{margin:1em}}"
        "pre{font-size:13px;overflow-x:auto}.k{fill:#3572b0;background:#3572b0}.c{fill:#c08030;background:#c08030}"
        "text{font-size:11px}.t{text-anchor:middle}.g{stroke:#8886}.legend "
        "i{display:inline-block;width:1em;height:.8em;"
        "margin:0 .2em 0 .8em}.legend i:first-child{margin-left:0}\n"
        "@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}text{fill:#ddd}}\n</style>\n";
    out += "<h1>" + escape(title) + "</h1>\n<p>Profile " +
           escape(p.measured() ? "of a run on " + p.device
                               : "of a run on the emulated GPU, times of the model " +
                                     (model.title.empty() ? p.model : model.title)) +
           "</p>\n<pre>";
    // The text report as it is: one wording for both.
    out += escape(program_text(p, model, selection, source), false) + "</pre>\n";
    timeline(out, p);
    for (const auto& k : summarise(p, model, selection)) {
        if (k.use->lines.empty()) continue;
        out += fmt::format("<h2>{}</h2><p>{}</p>\n", escape(k.name),
                           k.use->counted == 1 ? std::string("counts of its launch")
                                               : fmt::format("counts of all {} launches", k.use->counted));
        source_view(out, k, source);
    }
    return out;
}

}  // namespace warpwright::report
