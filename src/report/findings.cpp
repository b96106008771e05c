// Findings that are the same defect at other lines are folded into the first one. Source lines are read when they are
// shown, and text from a program is made printable.
#include "report/findings.hpp"
#include "text/counted.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace warpwright::report {

using record::Finding;
using record::FindingPlace;
using record::Severity;

namespace {

/// A line that is shown, without the blanks before it; empty where there is none.
std::string shown_line(SourceFiles& sources, const FindingPlace& p) {
    const auto text = sources.line(p.file, p.line);
    const auto first = text ? text->find_first_not_of(" \t") : std::string::npos;
    return first == std::string::npos ? "" : printable(text->substr(first));
}

std::string one_side(SourceFiles& sources, const char* lead, const FindingPlace& p) {
    std::string out = fmt::format("    {}{}{}{}{}\n", lead, p.text().empty() ? "?" : p.text(),
                                  p.access.empty() ? "" : ": ", p.access, p.thread ? ", " + p.thread_text() : "");
    if (auto text = shown_line(sources, p); !text.empty()) out += fmt::format("        {}\n", text);
    return out;
}

/// "    s: float s[8][33], 1056 bytes of shared memory, declared at tile.cu:5"
std::string array_line(const Finding& f) {
    const auto& a = *f.array;
    auto where = f.at;
    where.line = a.line, where.column = 0;
    return fmt::format("    {}: {}, {} of {} memory, declared at {}\n", printable(a.name), printable(a.declaration),
                       fmt::format("{} {}", a.bytes, noun_of(a.bytes, "bytes")), f.space, printable(where.text()));
}

/// "    c: 400 bytes, allocated at oob.cu:8", and the line.
std::string allocated_line(SourceFiles& sources, const Finding& f) {
    auto place = *f.allocated;
    // A tensor of the host's is no allocation of the device's.
    const char* how = place.access.starts_with("tensor") ? "given to kernels at" : "allocated at";
    place.access.clear();
    const auto lead = fmt::format("{}{}{} {}, {} ", printable(f.allocated_as), f.allocated_as.empty() ? "" : ": ",
                                  f.allocation ? f.allocation->bytes : 0,
                                  noun_of(f.allocation ? f.allocation->bytes : 0, "bytes"), how);
    return one_side(sources, lead.c_str(), place);
}

}  // namespace

std::string findings_summary(const std::vector<Finding>& findings) {
    std::size_t errors = 0, warnings = 0;
    for (const auto& f : findings) ++(f.severity == Severity::error ? errors : warnings);
    if (findings.empty()) return "nothing found";
    if (warnings == 0) return counted(errors, "errors");
    if (errors == 0) return counted(warnings, "warnings");
    return counted(errors, "errors") + ", " + counted(warnings, "warnings");
}

namespace {

/// Whether two findings are the same defect at different lines: of one kind, in one array, in one kernel.
bool alike(const Finding& a, const Finding& b) {
    return a.array && b.array && a.kind == b.kind && a.severity == b.severity && a.kernel == b.kernel &&
           a.array->name == b.array->name && a.array->line == b.array->line && a.advice == b.advice;
}

std::string place_and_access(const FindingPlace& p) {
    return p.text() + (p.access.empty() ? "" : " (" + p.access + ")");
}

/// "    also: s[4], reduce.cu:17 (load of 4 bytes) and reduce.cu:14 (store of 4 bytes), seen 28 times"
std::string also(const Finding& f) {
    return fmt::format("    also: {}, {}{}{}\n", printable(f.array->element), place_and_access(f.at),
                       f.other ? " and " + place_and_access(*f.other) : "",
                       f.count > 1 ? fmt::format(", seen {}", counted(f.count, "times")) : "");
}

}  // namespace

std::string findings_text(const std::vector<Finding>& findings, bool color, const SourceFiles::MayShow& may_show) {
    SourceFiles sources(may_show);
    std::string out;
    std::vector<bool> told(findings.size(), false);
    for (std::size_t k = 0; k < findings.size(); ++k) {
        if (told[k]) continue;
        const Finding& f = findings[k];
        const bool error = f.severity == Severity::error;
        const auto word = fmt::format("{}[{}]", record::name_of(f.severity), record::info(f.kind).name);
        out +=
            fmt::format("{}: {}{}\n", color ? fmt::format("\033[1;{}m{}\033[0m", error ? 31 : 33, word) : word,
                        printable(f.message), f.kernel.empty() ? "" : fmt::format(" (kernel {})", printable(f.kernel)));
        if (f.at.line || !f.at.file.empty()) out += one_side(sources, "at ", f.at);
        if (f.other) out += one_side(sources, "and ", *f.other);
        if (f.array && !f.array->declaration.empty()) out += array_line(f);
        if (f.allocated) out += allocated_line(sources, f);
        if (f.count > 1) out += fmt::format("    seen {}\n", counted(f.count, "times"));
        for (std::size_t other = k + 1; other < findings.size(); ++other)
            if (alike(f, findings[other])) out += also(findings[other]), told[other] = true;
        if (!f.advice.empty()) out += fmt::format("    what to do: {}\n", f.advice);
    }
    return out + findings_summary(findings) + "\n";
}

std::string findings_sarif(const std::vector<Finding>& findings, const std::string& version) {
    using nlohmann::json;
    json rules = json::array();
    for (const auto& k : record::finding_kinds()) {
        json rule{{"id", k.name}, {"shortDescription", {{"text", k.title}}}};
        if (!k.advice.empty()) rule["help"] = {{"text", k.advice}};
        rules.push_back(std::move(rule));
    }
    const auto location = [](const FindingPlace& p, const std::string& text) {
        json physical{{"artifactLocation", {{"uri", p.file}}}};
        if (p.line) {
            physical["region"] = {{"startLine", p.line}};
            if (p.column) physical["region"]["startColumn"] = p.column;
        }
        json j{{"physicalLocation", std::move(physical)}};
        if (!text.empty()) j["message"] = {{"text", text}};
        return j;
    };
    json results = json::array();
    for (const auto& f : findings) {
        json r{{"ruleId", record::info(f.kind).name},
               {"ruleIndex", static_cast<int>(f.kind)},
               {"level", record::name_of(f.severity)},
               {"message", {{"text", f.message + (f.advice.empty() ? "" : ". " + f.advice)}}},
               {"occurrenceCount", f.count}};
        if (!f.at.file.empty()) r["locations"] = json::array({location(f.at, "")});
        json all_related = json::array();
        for (const auto& place : {f.other, f.allocated}) {
            if (!place || place->file.empty()) continue;
            auto related = location(*place, place->access + (place->thread ? ", " + place->thread_text() : ""));
            related["id"] = all_related.size() + 1;
            all_related.push_back(std::move(related));
        }
        if (!all_related.empty()) r["relatedLocations"] = std::move(all_related);
        json properties;
        if (!f.kernel.empty()) properties["kernel"] = f.kernel;
        if (f.at.thread) properties["thread"] = f.at.thread_text();
        if (!f.space.empty())
            properties["space"] = f.space, properties["address"] = f.address, properties["bytes"] = f.bytes;
        if (f.array) properties["array"] = f.array->element;
        if (!properties.is_null()) r["properties"] = std::move(properties);
        results.push_back(std::move(r));
    }
    const json run{{"tool", {{"driver", {{"name", "Warpwright"}, {"version", version}, {"rules", std::move(rules)}}}}},
                   {"results", std::move(results)}};
    return json{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                {"version", "2.1.0"},
                {"runs", json::array({run})}}
               .dump(2, ' ', false, json::error_handler_t::replace) +
           "\n";
}

}  // namespace warpwright::report
