// What of a comparison the user does not accept, and what a gate had nothing to look at.
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "store/compare.hpp"

namespace warpwright::store {

Result<FailOn> parse_fail_on(const std::string& text) {
    FailOn on;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        const std::string word = text.substr(from, to - from);
        from = to + 1;
        if (word == "any")
            on.slower = on.counts = on.causes = on.findings = on.missing = on.broken = on.any = true;
        else if (word == "slower")
            on.slower = true;
        else if (word == "counts")
            on.counts = true;
        else if (word == "causes")
            on.causes = true;
        else if (word == "findings")
            on.findings = true;
        else if (word == "missing")
            on.missing = true;
        else if (word == "broken")
            on.broken = true;
        else if (word.starts_with("slower:")) {
            std::string number = word.substr(7);
            const bool hundredth = number.ends_with('%');
            if (hundredth) number.pop_back();
            auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), on.slower_by);
            if (number.empty() || problem != std::errc{} || end != number.data() + number.size() ||
                !(on.slower_by >= 0) || !std::isfinite(on.slower_by))
                return Error{ErrorKind::usage, "--fail-on " + word + ": '" + word.substr(7) + "' is not a percentage",
                             Location{}, "for example slower:5%"};
            if (hundredth) on.slower_by /= 100;
            on.slower = true;
        } else {
            return Error{ErrorKind::usage, "--fail-on '" + word + "' is not known", Location{},
                         "slower, slower:5%, counts, causes, findings, missing, broken, any"};
        }
    }
    return on;
}

bool fails(const Difference& d, const FailOn& on) {
    if (on.broken && d.verdict == Verdict::broken) return true;
    if (on.missing && d.verdict == Verdict::only_a) return true;
    if (on.counts && (!d.counts.empty() || d.launches_differ())) return true;
    if (on.causes && d.causes_differ()) return true;
    return on.slower && d.verdict == Verdict::slower && d.ratio && 1 / *d.ratio - 1 > on.slower_by;
}

Gate judge(const Comparison& c, const FailOn& on, const std::string& words) {
    Gate gate;
    std::size_t times = 0, counts = 0, causes = 0, pairs = 0;
    for (const Difference& d : c.differences) {
        gate.failed += fails(d, on);
        pairs += d.verdict != Verdict::only_a && d.verdict != Verdict::only_b;
        times += d.ratio.has_value();
        counts += d.counts_compared;
        causes += !d.a_cause.empty() && !d.b_cause.empty();
    }
    if (gate.failed > 0)
        gate.reasons.push_back(
            fmt::format("{} of {} points fail the gate '{}'", gate.failed, c.differences.size(), words));
    if (on.findings && !c.new_findings.empty())
        gate.reasons.push_back(
            fmt::format("B has {} that A lacks: {}{}",
                        c.new_findings.size() == 1 ? "a finding" : fmt::format("{} findings", c.new_findings.size()),
                        c.new_findings.front(), c.new_findings.size() == 1 ? "" : ", ..."));
    if (!on.asked()) return gate;
    const auto nothing = [&](bool is_so, const std::string& reason) {
        if (!is_so) return;
        gate.reasons.push_back(reason);
        gate.empty.push_back(reason);
    };
    const auto part = [&](bool asked, std::size_t looked_at, const char* name, const char* lacks) {
        nothing(asked && !on.any && looked_at == 0,
                fmt::format("the gate '{}' has looked at nothing: no point has {} in both", name, lacks));
    };
    part(on.slower, times, "slower", "times of one kind");
    part(on.counts, counts, "counts", "counts");
    part(on.causes, causes, "causes", "causes");
    nothing(on.findings && !on.any && !c.findings_compared,
            "the gate 'findings' has looked at nothing: not both are runs of programs");
    nothing(pairs == 0, "the gate has looked at nothing: the two have no point in common");
    return gate;
}

}  // namespace warpwright::store
