// The page is one file with its data as short arrays and a script that draws them. The same timeline is written as JSON
// and as lines for the terminal, so the three forms stand together.
#include "report/warp_page.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include <fmt/format.h>

#include "report/escape.hpp"
#include "report/format.hpp"
#include "report/html/html_parts.hpp"
#include "report/html/page_languages.hpp"
#include "report/html/web_files.hpp"
#include "report/palette.hpp"

namespace warpwright::report {
namespace {

using nlohmann::ordered_json;
using record::WarpTimeline;

/// Of all cycles: what lines of text leave out.
constexpr double kLeastShare = 0.005;

/// Hundredths of a cycle are finer than a screen shows.
double rounded(double cycles) { return std::round(cycles * 100) / 100; }

std::vector<std::string> files_of(const WarpTimeline& t) {
    std::set<std::string> files;
    for (const auto& i : t.instructions) files.insert(i.file);
    return {files.begin(), files.end()};
}

/// The lines that instructions came from, with three around each for reading: by file, then line.
ordered_json source_of(const WarpTimeline& t, const std::vector<std::string>& files, const SourceText& source) {
    ordered_json out = ordered_json::object();
    for (const auto& i : t.instructions) {
        if (i.line == 0 || !source) continue;
        auto text = source(i.file, i.line);
        if (!text) continue;
        const auto file = std::lower_bound(files.begin(), files.end(), i.file) - files.begin();
        out[std::to_string(file)][std::to_string(i.line)] = *text;
    }
    return out;
}

/// Short arrays in place of objects: a page has some hundred thousand intervals.
ordered_json page_data(const WarpTimeline& t, const SourceText& source) {
    const auto files = files_of(t);
    ordered_json out;
    out["shown"] = rounded(t.shown), out["schedulers"] = t.schedulers, out["slots"] = t.slots;
    out["files"] = files;
    out["source"] = source_of(t, files, source);
    auto& states = out["states"] = ordered_json::array();
    for (const auto& s : t.states) states.push_back({s.name, s.meaning});
    auto& warps = out["warps"] = ordered_json::array();
    for (const auto& w : t.warps) warps.push_back({w.slot, w.scheduler, w.block, w.number});
    auto& instructions = out["instructions"] = ordered_json::array();
    for (const auto& i : t.instructions) {
        const auto file = std::lower_bound(files.begin(), files.end(), i.file) - files.begin();
        auto cycles = ordered_json::array();
        for (const double c : i.cycles) cycles.push_back(rounded(c));
        instructions.push_back({i.text, i.ptx_line, file, i.line, std::move(cycles)});
    }
    auto& intervals = out["intervals"] = ordered_json::array();
    for (const auto& i : t.intervals)
        for (const double v :
             {double(i.warp), double(i.instruction), double(i.state), rounded(i.begin), rounded(i.end - i.begin)})
            if (v == std::floor(v))
                intervals.push_back(static_cast<std::int64_t>(v));
            else
                intervals.push_back(v);
    return out;
}

/// Safe between <script> tags.
std::string in_script(std::string json) {
    for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos; at += 6) json.replace(at, 1, "\\u003c");
    return json;
}

std::string spans(const Text& text, const Words& words) { return in_tags("span", text, words); }

std::string introduction(const WarpTimeline& t, const Words& words) {
    const std::string cycles = grouped(static_cast<std::uint64_t>(t.cycles));
    std::string out =
        "<p>" +
        spans(message("timeline.page.about", {{"model", t.model},
                                              {"b", Figure{grouped(t.blocks)}},
                                              {"c", Figure{cycles}},
                                              {"t", t.clock_hz > 0 ? Text(Figure{seconds(t.cycles / t.clock_hz)})
                                                                   : message("timeline.page.no_clock")}}),
              words) +
        "</p>\n";
    if (t.shown < t.cycles)
        out +=
            "<p>" +
            spans(message("timeline.page.first_cycles", {{"c", Figure{grouped(static_cast<std::uint64_t>(t.shown))}}}),
                  words) +
            "</p>\n";
    return out;
}

/// What the script says, by language: sentences with places for figures, and what the states mean.
ordered_json script_words(const WarpTimeline& t, const Words& words) {
    ordered_json out = ordered_json::object();
    for (const std::string& language : words.all_languages()) {
        const Words& own = words.in(language);
        ordered_json& texts = out[language];
        for (const auto& [name, key] : {std::pair{"scheduler", "timeline.page.scheduler"},
                                        {"range", "timeline.page.cycles"},
                                        {"at", "timeline.page.warp"},
                                        {"issued", "timeline.page.issued"},
                                        {"next", "timeline.page.next"},
                                        {"ptx", "timeline.page.ptx_line"},
                                        {"none", "timeline.page.no_line"},
                                        {"point", "timeline.page.point"}})
            texts[name] = own(key);
        const auto decimal = own.texts().find("number.decimal");
        texts["decimal"] = decimal == own.texts().end() ? "." : decimal->second;
        for (const auto& s : t.states)
            texts["meanings"].push_back(own.render(message_or("stall." + std::string(s.name), s.meaning)));
    }
    return out;
}

std::string tools(const Words& words) {
    const auto say = [&](const std::string& key) { return spans(message("timeline.page." + key), words); };
    return "<ul id=\"legend\"></ul>\n"
           "<div id=\"tools\"><button type=\"button\" id=\"left\" aria-label=\"&larr;\">&larr;</button>"
           "<button type=\"button\" id=\"right\" aria-label=\"&rarr;\">&rarr;</button>"
           "<button type=\"button\" id=\"in\">" +
           say("zoom_in") + "</button><button type=\"button\" id=\"out\">" + say("zoom_out") +
           "</button><button type=\"button\" id=\"all\">" + say("all") +
           "</button><span id=\"range\"></span></div>\n<p class=\"m\">" + say("help") +
           "</p>\n<div id=\"frame\"><canvas id=\"warps\" tabindex=\"0\"></canvas></div>\n"
           "<p id=\"tip\" aria-live=\"polite\"></p>\n<h2>" +
           say("by_line") + "</h2>\n<div class=\"wide\"><table><thead><tr><th>" + say("line") + "</th><th>" +
           say("share") + "</th><th>" + say("states") +
           "</th><th></th></tr></thead><tbody id=\"lines\"></tbody></table></div>\n";
}

}  // namespace

std::string warp_page(const WarpTimeline& t, const SourceText& source, const Words& words) {
    const std::string title = escape(t.kernel) + " · " + escape(t.model);
    std::string out = language_root(words) +
                      "<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                      "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
                      "dark\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
                      "'unsafe-inline'; style-src 'unsafe-inline'\">\n";
    out += "<title>" + title + ": " + escape(words("timeline.page.title")) +
           "</title>\n<style>\n:root{color-scheme:light;" + palette_css(false) + "}\n";
    out += "@media (prefers-color-scheme:dark){:root{color-scheme:dark;" + palette_css(true) + "}}\n";
    out += std::string(web_warps_css()) + language_style(words) + "</style>\n</head>\n<body>\n" + language_row(words) +
           "<h1>" + title + "</h1>\n" + introduction(t, words) + tools(words);
    ordered_json data = page_data(t, source);
    data["text"] = script_words(t, words);
    out += "<script type=\"application/json\" id=\"data\">" +
           in_script(data.dump(-1, ' ', false, ordered_json::error_handler_t::replace)) + "</script>\n<script>\n" +
           std::string(web_warps_script()) + "</script>\n" + language_script(words) + "</body>\n</html>\n";
    return out;
}

std::string warp_json(const WarpTimeline& t) {
    ordered_json out;
    out["kernel"] = t.kernel, out["model"] = t.model, out["clock_hz"] = t.clock_hz;
    out["cycles"] = t.cycles, out["shown_cycles"] = t.shown;
    out["schedulers"] = t.schedulers, out["slots"] = t.slots, out["blocks"] = t.blocks;
    for (const auto& s : t.states) out["states"].push_back({{"name", s.name}, {"meaning", s.meaning}});
    auto& warps = out["warps"] = ordered_json::array();
    for (const auto& w : t.warps)
        warps.push_back({{"slot", w.slot},
                         {"scheduler", w.scheduler},
                         {"block", w.block},
                         {"warp", w.number},
                         {"begin", w.begin},
                         {"end", w.end}});
    auto& instructions = out["instructions"] = ordered_json::array();
    for (const auto& i : t.instructions) {
        ordered_json cycles = ordered_json::object();
        for (std::size_t s = 0; s < i.cycles.size(); ++s)
            if (i.cycles[s] > 0) cycles[t.states[s].name] = i.cycles[s];
        instructions.push_back({{"text", i.text},
                                {"ptx_line", i.ptx_line},
                                {"file", i.file},
                                {"line", i.line},
                                {"cycles", std::move(cycles)}});
    }
    auto& intervals = out["intervals"] = ordered_json::array();
    for (const auto& i : t.intervals)
        intervals.push_back({{"warp", i.warp},
                             {"instruction", i.instruction},
                             {"state", t.states[i.state].name},
                             {"begin", i.begin},
                             {"end", i.end}});
    return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::vector<std::string> warp_lines(const WarpTimeline& t, std::size_t most, const SourceText& source,
                                    const Words& words) {
    using Where = std::pair<std::string, unsigned>;
    std::map<Where, std::vector<double>> lines;
    double all = 0;
    for (const auto& i : t.instructions) {
        auto& sum = lines.try_emplace(Where(i.file, i.line), t.states.size(), 0.0).first->second;
        for (std::size_t s = 0; s < i.cycles.size(); ++s) sum[s] += i.cycles[s], all += i.cycles[s];
    }
    struct Line {
        Where where;
        double cycles;
        const std::vector<double>* states;
    };
    std::vector<Line> order;
    for (const auto& [where, states] : lines) {
        double sum = 0;
        for (const double c : states) sum += c;
        order.push_back({where, sum, &states});
    }
    std::stable_sort(order.begin(), order.end(), [](const Line& a, const Line& b) { return a.cycles > b.cycles; });
    std::vector<std::string> out;
    for (std::size_t k = 0; k < std::min(most, order.size()) && all > 0; ++k) {
        const Line& l = order[k];
        if (l.cycles < kLeastShare * all) break;
        std::vector<std::size_t> states(t.states.size());
        for (std::size_t s = 0; s < states.size(); ++s) states[s] = s;
        std::stable_sort(states.begin(), states.end(), [&](auto a, auto b) { return (*l.states)[a] > (*l.states)[b]; });
        std::string text =
            l.where.second
                ? fmt::format("{}:{}", safe(l.where.first.substr(l.where.first.rfind('/') + 1)), l.where.second)
                : words("timeline.page.no_line");
        text += "  " + words.figure(percent(l.cycles / all)) + ":";
        for (std::size_t s = 0; s < std::min<std::size_t>(3, states.size()); ++s)
            if (const double share = (*l.states)[states[s]] / all; share > kLeastShare)
                text += fmt::format("{} {} {}", s ? "," : "", t.states[states[s]].name, words.figure(percent(share)));
        if (auto words = source && l.where.second ? source(l.where.first, l.where.second) : std::nullopt) {
            words->erase(0, words->find_first_not_of(" \t"));
            text += "  " + safe(*words);
        }
        out.push_back(std::move(text));
    }
    return out;
}

}  // namespace warpwright::report
