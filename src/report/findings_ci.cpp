// Findings for CI servers that read no SARIF.
#include <algorithm>

#include <fmt/format.h>

#include "record/junit.hpp"
#include "report/findings.hpp"

namespace warpwright::report {
namespace {

using record::Finding;
using record::markdown_cell;

std::string place_of(const Finding& f) { return f.at.file.empty() ? "" : f.at.text(); }

std::string text_of(const Finding& f) {
    std::string out = f.message;
    if (!f.kernel.empty()) out += "\nkernel " + f.kernel;
    if (f.at.thread) out += "\n" + f.at.thread_text();
    if (f.other) out += "\nand " + f.other->text();
    if (!f.advice.empty()) out += "\nwhat to do: " + f.advice;
    return out;
}

}  // namespace

std::string findings_junit(const std::vector<Finding>& findings, std::uint32_t set, const std::string& nothing) {
    std::vector<record::TestCase> cases;
    for (const Finding& f : findings) {
        const auto& kind = record::info(f.kind);
        record::TestCase one{std::string(record::name_of(kind.checker)),
                             std::string(kind.name) + (f.at.file.empty() ? "" : " at " + place_of(f)), "", "", ""};
        one.file = f.at.file, one.line = f.at.line;
        if (f.severity == record::Severity::error)
            one.failure = f.message, one.text = text_of(f);
        else
            one.skipped = "warning: " + f.message;
        cases.push_back(std::move(one));
    }
    for (const auto& checker : record::checkers()) {
        const bool found = std::any_of(findings.begin(), findings.end(), [&](const Finding& f) {
            return record::info(f.kind).checker == checker.checker;
        });
        if (found || (set & static_cast<std::uint32_t>(checker.checker)) == 0) continue;
        cases.push_back({std::string(checker.name), "finds nothing", nothing, "", ""});
    }
    return record::junit_xml("warpwright check", cases);
}

std::string findings_markdown(const std::vector<Finding>& findings, const std::string& of, const std::string& nothing) {
    std::string out = fmt::format("### Warpwright: check of {}\n\n", markdown_cell(of));
    if (!nothing.empty()) return out + "**" + markdown_cell(nothing) + "**\n";
    out += findings_summary(findings) + "\n";
    if (findings.empty()) return out;
    out += "\n| | where | what | what to do |\n|---|---|---|---|\n";
    for (const Finding& f : findings)
        out +=
            fmt::format("| {} {} | {} | {}{} | {} |\n", record::name_of(f.severity), record::info(f.kind).name,
                        markdown_cell(place_of(f)), markdown_cell(f.message),
                        f.kernel.empty() ? "" : " (kernel " + markdown_cell(f.kernel) + ")", markdown_cell(f.advice));
    return out;
}

}  // namespace warpwright::report
