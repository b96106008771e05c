// A profile as a page: the text report, the timeline, and each kernel's source lines with their counts.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "report/escape.hpp"
#include "report/figures.hpp"
#include "report/format.hpp"
#include "report/html/page_languages.hpp"
#include "report/prediction.hpp"
#include "report/program.hpp"
#include "report/program/events.hpp"

namespace warpwright::report {
namespace {

using record::Count;

/// Counts that the source view shows beside a line, where any line of the file has them.
constexpr Count kColumns[] = {Count::instructions,
                              Count::global_load_requests,
                              Count::global_load_sectors,
                              Count::global_store_requests,
                              Count::global_store_sectors,
                              Count::shared_load_wavefronts,
                              Count::shared_store_wavefronts,
                              Count::divergent_branches};

std::string spans(const Text& text, const Words& words) { return glued(in_tags("span", text, words)); }

/// The lines of one file that count, with some around them for reading.
void file_view(std::string& out, const KernelSummary& k, const std::string& file, const SourceText& source,
               const Words& words) {
    const auto& lines = k.use->lines;
    unsigned last = 0;
    record::Counts all{};
    for (const auto& [where, counts] : lines) {
        if (where.first != file) continue;
        last = std::max(last, where.second);
        for (const Count count : kColumns) all[count] += counts[count];
    }
    out += "<h3>" + escape(std::filesystem::path(file).lexically_normal().string()) +
           "</h3><div class=\"wide\"><table class=\"source\"><tr><th></th>";
    unsigned columns = 2;
    for (const Count count : kColumns)
        if (all[count])
            out += fmt::format("<th title=\"{}\">{}</th>", record::count_key(count), spans(count_text(count), words)),
                ++columns;
    const bool stood = k.use->predicted && !k.use->predicted->lines.empty();
    if (stood) out += "<th class=\"stood\">" + spans(message("prediction.stood_here"), words) + "</th>", ++columns;
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
        for (const Count count : kColumns)
            if (all[count])
                out +=
                    "<td>" +
                    (found != lines.end() && found->second[count] ? spans(Figure{grouped(found->second[count])}, words)
                                                                  : std::string()) +
                    "</td>";
        if (stood)
            out += "<td class=\"stood\">" + spans(line_stalls_text(*k.use->predicted, file, line), words) + "</td>";
        const auto code = source ? source(file, line) : std::nullopt;
        out += "<td class=\"code\">" + escape(code.value_or("")) + "</td></tr>\n";
    }
    out += "</table></div>\n";
}

void source_view(std::string& out, const KernelSummary& k, const SourceText& source, const Words& words) {
    std::set<std::string> files;
    for (const auto& [where, counts] : k.use->lines) files.insert(where.first);
    for (const auto& file : files) file_view(out, k, file, source, words);
}

constexpr double kLeft = 90, kRight = 985, kLane = 24;

/// Lines down through all lanes with the time below each, and the axis' name.
std::string time_axis(double end, double bottom, const Words& words) {
    std::string out;
    for (const Tick& t : make_axis({0, end}, {false, false, "s"}, 7).ticks) {
        const double x = kLeft + (kRight - kLeft) * t.value / end;
        if (x > kRight + 0.5) continue;
        out += fmt::format(
            "<path class=\"g\" d=\"M{0:.1f} 0V{1:.0f}\"/><text class=\"t\" x=\"{0:.1f}\" y=\"{2:.0f}\">{3}</text>\n", x,
            bottom, bottom + 16, in_tags("tspan", Figure{t.label}, words));
    }
    return out + fmt::format("<text class=\"t\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", (kLeft + kRight) / 2,
                             bottom + 34, in_tags("tspan", message("program.timeline.axis"), words));
}

/// The kernels and copies of one stream. Those too short to be seen beside the one before are left out.
void lane_of(std::string& out, const Profile& p, std::uint64_t lane, double y, double end, const Words& words) {
    constexpr double kLeast = 0.3;
    double drawn = -1;
    for (const auto& e : p.events) {
        if (e.kind == profile::Event::Kind::call || e.lane != lane) continue;
        const double from = kLeft + (kRight - kLeft) * e.start / end, wide = (kRight - kLeft) * e.seconds / end;
        if (from + wide < drawn) continue;
        drawn = from + std::max(kLeast, wide);
        out += fmt::format(
            "<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"18\"><title>{} {}</title></rect>\n",
            e.kind == profile::Event::Kind::kernel ? "k" : "c", from, y, drawn - from, escape(event_name(p, e)),
            escape(words.figure(seconds(e.seconds))));
    }
}

void timeline(std::string& out, const Profile& p, const Words& words) {
    double end = 0;
    std::set<std::uint64_t> lanes;
    for (const auto& e : p.events)
        if (e.kind != profile::Event::Kind::call) end = std::max(end, e.start + e.seconds), lanes.insert(e.lane);
    if (lanes.empty() || end <= 0) return;
    const double bottom = kLane * double(lanes.size()) + 2;
    const std::string times = p.measured() ? "measured" : times_word(p);
    out += fmt::format(
        "<h2>{}</h2>\n<p class=\"legend\"><i class=\"k\"></i> {} <i class=\"c\"></i> {}</p>\n<div class=\"wide\">"
        "<svg viewBox=\"0 0 1000 {:.0f}\">\n",
        spans(message("program.timeline." + times, {{"t", Figure{seconds(end)}}}), words),
        spans(message("program.timeline.kernel"), words), spans(message("program.timeline.copy"), words), bottom + 42);
    out += time_axis(end, bottom, words);
    double y = 2;
    for (auto lane : lanes) {
        out += fmt::format("<text x=\"0\" y=\"{}\">{}</text>\n", y + 14,
                           in_tags("tspan", message("program.timeline.stream", {{"n", figure_of(lane)}}), words));
        lane_of(out, p, lane, y, end, words);
        y += kLane;
    }
    out += "</svg></div>\n";
}

/// The text report as it is, in each language: one wording for both.
std::string text_report(const Profile& p, const arch::DeviceModel& model, const Selection& selection,
                        const SourceText& source, const Words& words) {
    const auto all = words.all_languages();
    if (all.size() < 2) return "<pre>" + escape(program_text(p, model, selection, source, words), false) + "</pre>\n";
    std::string out;
    for (const std::string& language : all)
        out += fmt::format("<pre lang=\"{}\">", escape(language)) +
               escape(program_text(p, model, selection, source, words.in(language)), false) + "</pre>\n";
    return out;
}

}  // namespace

std::string program_html(const Profile& p, const arch::DeviceModel& model, const Selection& selection,
                         const SourceText& source, const Words& words) {
    std::string title;
    for (const auto& w : p.program) title += (title.empty() ? "" : " ") + w;
    std::string out =
        language_root(words) +
        "<meta charset=\"utf-8\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n<title>" +
        escape(title) + " · " + escape(words("program.page.title")) +
        "</title>\n<style>\n"
        "body{font:14px/1.4 sans-serif;margin:2em;max-width:110em}table{border-collapse:collapse}td,th{padding:.1em "
        ".7em;text-align:right;"
        "font-variant-numeric:tabular-nums}th{border-bottom:1px solid "
        "#888}td.code,th.code{text-align:left;font-family:monospace;white-space:pre}"
        ".source .stood{text-align:left;min-width:14em}h1,h2,h3{overflow-wrap:anywhere}.source "
        "th{vertical-align:bottom}.source th:not(.code):not(.stood){width:1px}.source .code{width:100%}.source "
        "td:not(.code):not(.stood){white-space:nowrap}"
        ".wide{overflow-x:auto}.wide svg{min-width:66em}:root{--page:#fff;--shade:#0004}"
        "pre,.wide{background:linear-gradient(to right,var(--page) 40%,transparent) 0 0,linear-gradient(to left,"
        "var(--page) 40%,transparent) 100% 0,linear-gradient(to right,var(--shade),transparent) 0 0,"
        "linear-gradient(to left,var(--shade),transparent) 100% 0;background-repeat:no-repeat;"
        "background-size:2.5em 100%,2.5em 100%,.8em 100%,.8em 100%;"
        "background-attachment:local,local,scroll,scroll}"
        "@media(max-width:40em){body{margin:1em}}"
        "pre{font-size:13px;overflow-x:auto}.k{fill:#3572b0;background:#3572b0}.c{fill:#c08030;background:#c08030}"
        "text{font-size:11px}.t{text-anchor:middle}.g{stroke:#8886}.legend "
        "i{display:inline-block;width:1em;height:.8em;"
        "margin:0 .2em 0 .8em}.legend i:first-child{margin-left:0}\n"
        "@media(prefers-color-scheme:dark){:root{--page:#181818;--shade:#000}body{background:#181818;color:#ddd}"
        "text{fill:#ddd}}\n</style>\n";
    out.insert(out.rfind("</style>"), language_style(words));
    out +=
        language_row(words) + "<h1>" + escape(title) + "</h1>\n<p>" +
        spans(p.measured() ? message("program.page.measured", {{"device", p.device}})
                           : message("program.page.emulated", {{"model", model.title.empty() ? p.model : model.title}}),
              words) +
        "</p>\n" + text_report(p, model, selection, source, words);
    timeline(out, p, words);
    for (const auto& k : summarise(p, model, selection)) {
        if (k.use->lines.empty()) continue;
        out += fmt::format(
            "<h2>{}</h2><p>{}</p>\n", escape(k.name),
            spans(k.use->counted == 1 ? message("program.page.counts_one")
                                      : message("program.page.counts_all", {{"n", figure_of(k.use->counted)}}),
                  words));
        source_view(out, k, source, words);
    }
    return out + language_script(words);
}

}  // namespace warpwright::report
