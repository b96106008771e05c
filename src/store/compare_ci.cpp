// Times keep their kind here too: a predicted one has "~" before it, a bound says so.
#include "store/compare_ci.hpp"

#include <fmt/format.h>

#include "record/junit.hpp"

namespace warpwright::store {
namespace {

using record::markdown_cell;
using record::TestCase;

std::string point_of(const Difference& d) {
    std::string out;
    for (const record::Axis& axis : d.axes) out += (out.empty() ? "" : " ") + axis.name + "=" + axis.text();
    return out;
}

std::string time_of(const Difference& d, const std::optional<double>& s) {
    if (!s) return "";
    const char* kind = d.bound ? "bound " : d.predicted ? "~" : "";
    const double v = *s;
    return v >= 1      ? fmt::format("{}{:.4g} s", kind, v)
           : v >= 1e-3 ? fmt::format("{}{:.4g} ms", kind, v * 1e3)
           : v >= 1e-6 ? fmt::format("{}{:.4g} us", kind, v * 1e6)
                       : fmt::format("{}{:.4g} ns", kind, v * 1e9);
}

/// What differs besides the time, a line each.
std::vector<std::string> others_of(const Difference& d) {
    std::vector<std::string> out;
    if (d.launches_differ()) out.push_back(fmt::format("launches {} -> {}", d.a_launches, d.b_launches));
    if (d.causes_differ()) out.push_back(fmt::format("held back by {} -> {}", d.a_cause, d.b_cause));
    for (const CountDifference& c : d.counts)
        out.push_back(fmt::format("{} {} -> {}", record::count_key(c.count), c.a, c.b));
    if (!d.remark.empty()) out.push_back(d.remark);
    return out;
}

std::string failure_of(const Difference& d) {
    std::string out(verdict_name(d.verdict));
    if (d.ratio && (d.verdict == Verdict::slower || d.verdict == Verdict::faster))
        out += fmt::format(": {} -> {}, {:.3f} times", time_of(d, d.a_s), time_of(d, d.b_s), 1 / *d.ratio);
    const auto others = others_of(d);
    if (!others.empty()) out += (d.verdict == Verdict::slower ? "; " : ": ") + others.front();
    return out;
}

std::string joined(const std::vector<std::string>& lines, const char* between) {
    std::string out;
    for (const auto& line : lines) out += (out.empty() ? "" : between) + line;
    return out;
}

}  // namespace

std::string to_junit(const Comparison& c, const FailOn& on, const Gate& gate) {
    std::vector<TestCase> cases;
    for (const Difference& d : c.differences) {
        TestCase one{d.experiment, d.name + (d.axes.empty() ? "" : " " + point_of(d)), "", "", ""};
        if (fails(d, on))
            one.failure = failure_of(d), one.text = joined(others_of(d), "\n");
        else if (d.verdict == Verdict::only_a || d.verdict == Verdict::only_b)
            one.skipped = verdict_name(d.verdict);
        cases.push_back(std::move(one));
    }
    if (c.findings_compared) {
        TestCase one{"findings", "none that A lacks", "", "", ""};
        if (on.findings && !c.new_findings.empty())
            one.failure = c.new_findings.front(), one.text = joined(c.new_findings, "\n");
        cases.push_back(std::move(one));
    }
    for (const std::string& reason : gate.empty) cases.push_back({"gate", "looks at something", reason, "", ""});
    return record::junit_xml("warpwright compare", cases);
}

std::string to_markdown(const Comparison& c, const Gate& gate, const std::string& before, const std::string& now) {
    std::string out = fmt::format("### Warpwright: {} and {}\n\n", markdown_cell(before), markdown_cell(now));
    for (const std::string& reason : gate.reasons) out += "**" + markdown_cell(reason) + "**\n\n";
    std::string rows;
    std::size_t same = 0;
    for (const Difference& d : c.differences) {
        if (d.verdict == Verdict::same) {
            ++same;
            continue;
        }
        std::string others;
        for (const std::string& line : others_of(d)) others += (others.empty() ? "" : "<br>") + markdown_cell(line);
        rows += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", markdown_cell(d.name), markdown_cell(point_of(d)),
                            markdown_cell(time_of(d, d.a_s)), markdown_cell(time_of(d, d.b_s)),
                            d.ratio ? fmt::format("{:.3f}", 1 / *d.ratio) : "", verdict_name(d.verdict), others);
    }
    if (rows.empty())
        out += "Nothing differs";
    else
        out += "| kernel | launch | A | B | B over A | | what differs |\n|---|---|--:|--:|--:|---|---|\n" + rows +
               "\n" + fmt::format("{} of {} points differ", c.differences.size() - same, c.differences.size());
    out += fmt::format(" ({} the same). Times with ~ are predicted.\n", same);
    const auto list = [&](const char* heading, const std::vector<std::string>& findings) {
        if (findings.empty()) return;
        out += fmt::format("\n{}:\n\n", heading);
        for (const std::string& one : findings) out += "- " + markdown_cell(one) + "\n";
    };
    list("Found now and not before", c.new_findings);
    list("No longer found", c.gone_findings);
    return out;
}

}  // namespace warpwright::store
