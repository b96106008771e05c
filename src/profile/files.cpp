// A profile as CSV, as Chrome's trace and as a page.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <set>

#include "profile/report.hpp"
#include "report/format.hpp"

namespace warpwright::profile {
namespace {

using nlohmann::json;
using record::Count;

std::string field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string out = "\"";
    for (char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + "\"";
}

std::string html(const std::string& text) {
    std::string out;
    for (char c : report::safe(text))
        out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

std::string name_of(const Profile& p, const Event& e) {
    switch (e.kind) {
        case Event::Kind::kernel:
            return e.what < p.kernels.size() ? title(p.kernels[e.what]) : "";
        case Event::Kind::copy:
            return e.what < p.copies.size() ? p.copies[e.what].name : "";
        case Event::Kind::call:
            return e.what < p.calls.size() ? p.calls[e.what].name : "";
    }
    return "";
}

/// Counts that the source view shows beside a line.
constexpr Count kColumns[] = {Count::instructions,
                              Count::global_load_requests,
                              Count::global_load_sectors,
                              Count::global_store_requests,
                              Count::global_store_sectors,
                              Count::shared_load_wavefronts,
                              Count::shared_store_wavefronts,
                              Count::divergent_branches};

void source_view(std::string& out, const KernelSummary& k, const SourceText& source) {
    std::set<std::string> files;
    for (const auto& [where, counts] : k.use->lines) files.insert(where.first);
    for (const auto& file : files) {
        unsigned last = 0;
        for (const auto& [where, counts] : k.use->lines)
            if (where.first == file) last = std::max(last, where.second);
        out += "<h3>" + html(file) + "</h3><table class=\"source\"><tr><th></th>";
        for (auto c : kColumns) out += "<th>" + html(std::string(record::count_key(c))) + "</th>";
        out += "<th class=\"code\"></th></tr>\n";
        unsigned before = 0;
        for (unsigned line = 1; line <= last; ++line) {
            auto found = k.use->lines.find({file, line});
            // Lines around those that count, for reading.
            bool near = false;
            for (unsigned n = line > 3 ? line - 3 : 1; n <= line + 3 && !near; ++n)
                near = k.use->lines.count({file, n}) != 0;
            if (!near) continue;
            if (before + 1 != line && before) out += "<tr><td colspan=\"10\">&hellip;</td></tr>\n";
            before = line;
            out += fmt::format("<tr><td>{}</td>", line);
            for (auto c : kColumns)
                out += "<td>" +
                       (found != k.use->lines.end() && found->second[c] ? report::grouped(found->second[c])
                                                                        : std::string()) +
                       "</td>";
            auto code = source ? source(file, line) : std::nullopt;
            out += "<td class=\"code\">" + html(code.value_or("")) + "</td></tr>\n";
        }
        out += "</table>\n";
    }
}

void timeline(std::string& out, const Profile& p) {
    double end = 0;
    std::set<std::uint64_t> lanes;
    for (const auto& e : p.events)
        if (e.kind != Event::Kind::call) end = std::max(end, e.start + e.seconds), lanes.insert(e.lane);
    if (lanes.empty() || end <= 0) return;
    out += fmt::format("<h2>Timeline, {} ({} in all)</h2>\n<svg viewBox=\"0 0 1000 {}\">\n",
                       p.measured() ? "measured" : "predicted", report::seconds(end), 24 * lanes.size() + 4);
    std::size_t drawn = 0, row = 0;
    for (auto lane : lanes) {
        out += fmt::format("<text x=\"0\" y=\"{}\">stream {}</text>\n", 24 * row + 16, lane);
        for (const auto& e : p.events) {
            if (e.kind == Event::Kind::call || e.lane != lane || drawn >= 20000) continue;
            ++drawn;
            out += fmt::format(
                "<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"18\"><title>{} {}</title></rect>\n",
                e.kind == Event::Kind::kernel ? "k" : "c", 80 + 920 * e.start / end, 24 * row + 2,
                std::max(0.3, 920 * e.seconds / end), html(name_of(p, e)), report::seconds(e.seconds));
        }
        ++row;
    }
    out += "</svg>\n";
}

}  // namespace

std::string csv_report(const Profile& p, const arch::DeviceModel& model, const Selection& selection) {
    std::string out = fmt::format(
        "kind,name,grid,block,calls,time_{}_s,average_s,min_s,max_s,bytes,{},bound_by,occupancy,registers,shared",
        p.measured() ? "measured" : "predicted", p.measured() ? "device" : "model");
    for (const record::CountName& name : record::count_names()) out += "," + std::string(name.key);
    // A real GPU's own counters, and how many launches all of them are of.
    std::set<std::string> metrics;
    for (const auto& k : p.kernels)
        for (const auto& [name, sum] : k.metrics) metrics.insert(name);
    if (p.measured()) out += ",launches_counted";
    for (const auto& name : metrics) out += "," + field(name);
    out += "\r\n";
    const std::string& where = p.measured() ? p.device : model.name;
    const std::string empty(record::count_names().size(), ',');
    auto times = [](const Times& t) {
        return fmt::format("{},{:.9g},{:.9g},{:.9g},{:.9g}", t.calls, t.total, t.average(), t.min, t.max);
    };
    for (const auto& k : summarise(p, model, selection)) {
        const auto& u = *k.use;
        out += fmt::format("kernel,{},{}x{}x{},{}x{}x{},{},,{},{},{:.4g},{},{}", field(k.name), u.grid.x, u.grid.y,
                           u.grid.z, u.block.x, u.block.y, u.block.z, times(u.times), field(where),
                           field(k.bound.binds), k.occupancy.fraction, u.registers, u.static_shared + u.dynamic_shared);
        for (const record::CountName& name : record::count_names())
            out += "," + (p.knows(name.count) && (u.counted || !p.measured()) ? std::to_string(u.counts[name.count])
                                                                              : std::string());
        if (p.measured()) out += "," + std::to_string(u.counted);
        for (const auto& name : metrics) {
            auto at = u.metrics.find(name);
            out += "," + (at == u.metrics.end() ? std::string() : fmt::format("{:.9g}", at->second));
        }
        out += "\r\n";
    }
    for (const auto& c : p.copies)
        out += fmt::format("copy,{},,,{},{},{},,,,{}\r\n", field(c.name), times(c.times), c.bytes, field(where),
                           empty + std::string(p.measured() ? 1 + metrics.size() : 0, ','));
    return out;
}

std::string chrome_trace(const Profile& p) {
    json events = json::array();
    events.push_back(
        {{"ph", "M"},
         {"name", "process_name"},
         {"pid", 1},
         {"args",
          {{"name", p.measured() ? p.device + " (times measured)" : "GPU (times predicted on " + p.model + ")"}}}});
    events.push_back(
        {{"ph", "M"}, {"name", "process_name"}, {"pid", 2}, {"args", {{"name", "API calls (this machine's time)"}}}});
    for (const auto& e : p.events) {
        const bool call = e.kind == Event::Kind::call;
        events.push_back({{"ph", "X"},
                          {"name", name_of(p, e)},
                          {"cat", call                            ? "api"
                                  : e.kind == Event::Kind::kernel ? "kernel"
                                                                  : "copy"},
                          {"pid", call ? 2 : 1},
                          {"tid", e.lane},
                          {"ts", e.start * 1e6},
                          {"dur", e.seconds * 1e6}});
    }
    return json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}}.dump(-1, ' ', false,
                                                                                    json::error_handler_t::replace) +
           "\n";
}

std::string html_report(const Profile& p, const arch::DeviceModel& model, const Selection& selection,
                        const SourceText& source) {
    std::string title;
    for (const auto& w : p.program) title += (title.empty() ? "" : " ") + w;
    std::string out =
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>" + html(title) +
        "</title>\n<style>\n"
        "body{font:14px/1.4 sans-serif;margin:2em;max-width:75em}table{border-collapse:collapse}td,th{padding:.1em "
        ".7em;text-align:right;"
        "font-variant-numeric:tabular-nums}th{border-bottom:1px solid "
        "#888}td.code,th.code{text-align:left;font-family:monospace;white-space:pre}"
        "pre{font-size:13px}rect.k{fill:#3572b0}rect.c{fill:#c08030}text{font-size:11px}\n"
        "@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}text{fill:#ddd}}\n</style>\n";
    out += "<h1>" + html(title) + "</h1>\n<pre>";
    // The text report as it is: one wording for both.
    std::string text = text_report(p, model, selection, source);
    for (char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    out += "</pre>\n";
    timeline(out, p);
    for (const auto& k : summarise(p, model, selection)) {
        if (k.use->lines.empty()) continue;
        out += fmt::format("<h2>{}</h2><p>counts of all {} launches</p>\n", html(k.name), k.use->counted);
        source_view(out, k, source);
    }
    return out;
}

}  // namespace warpwright::profile
