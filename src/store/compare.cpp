// Pairs records by experiment, rung, device and axes, and judges each pair: a change counts only beyond the noise of
// both times, or beyond the stated error where times are predicted. Times of different kinds are never compared.
#include "store/compare.hpp"

#include <fnmatch.h>
#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace warpwright::store {

namespace {

using record::Record;

/// "cuda:1" and "cuda:0" are the same kind of device.
std::string device_kind(const std::string& device) { return device.substr(0, device.find(':')); }

std::string label(const Record& r) {
    if (!r.name().empty()) return r.name();
    return r.library.empty() ? r.title : r.library;
}

std::string key(const Record& r) {
    std::string out = r.experiment + '\n' + label(r) + '\n' + device_kind(r.device);
    for (const record::Axis& axis : r.axes) out += '\n' + axis.name + '=' + axis.text();
    return out;
}

bool any_matches(const std::vector<std::string>& patterns, const std::string& text) {
    return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& p) {
               return fnmatch(p.c_str(), text.c_str(), 0) == 0;
           });
}

bool chosen(const Record& r, const CompareOptions& options) {
    if (!any_matches(options.experiments, r.experiment) || !any_matches(options.names, label(r))) return false;
    return std::all_of(options.axes.begin(), options.axes.end(), [&](const record::Axis& wanted) {
        return std::any_of(r.axes.begin(), r.axes.end(), [&](const record::Axis& axis) {
            return axis.name == wanted.name && axis.text() == wanted.text();
        });
    });
}

std::string wrong(const Record& r) {
    if (r.error) return *r.error;
    if (r.verified == false && !r.known_incorrect) return "did not verify";
    return {};
}

/// The key of each record, numbered among equal ones: the n-th of A is compared with the n-th of B.
std::vector<std::string> keys(const std::vector<const Record*>& records) {
    std::vector<std::string> out;
    for (const Record* r : records) {
        std::string base = key(*r);
        const auto before =
            std::count_if(out.begin(), out.end(), [&](const std::string& k) { return k.starts_with(base + "\n#"); });
        out.push_back(base + "\n#" + std::to_string(before));
    }
    return out;
}

void compare_times(const Record& a, const Record& b, double least, Difference& d) {
    double noise = 0;
    if (a.time && b.time) {
        d.a_s = a.time->median_s;
        d.b_s = b.time->median_s;
        noise = 3 * std::max(a.time->spread, b.time->spread);
    } else if (!a.time && !b.time && a.predicted && b.predicted && a.predicted->method == b.predicted->method) {
        d.a_s = a.predicted->seconds;
        d.b_s = b.predicted->seconds;
        d.predicted = true;
        noise = std::max(a.predicted->error.value_or(0), b.predicted->error.value_or(0));
    } else if (!a.time && !b.time && a.bound && b.bound) {
        d.a_s = a.bound->seconds;
        d.b_s = b.bound->seconds;
        d.predicted = d.bound = true;
    }
    d.noise = std::max(noise, least);
    if (!d.a_s || !d.b_s || !(*d.a_s > 0) || !(*d.b_s > 0)) return;
    d.ratio = *d.a_s / *d.b_s;
    // The change relative to the smaller of the two, so that exchanging A and B does not matter.
    const double change = std::max(*d.ratio, 1 / *d.ratio) - 1;
    if (change <= d.noise || change == 0) return;
    d.verdict = *d.ratio > 1 ? Verdict::faster : Verdict::slower;
}

std::string first_cause(const Record& r) {
    return r.predicted && !r.predicted->causes.empty() ? r.predicted->causes.front().cause : std::string();
}

Difference pair(const Record& a, const Record& b, double least) {
    Difference d;
    compare_times(a, b, least, d);
    d.counts_compared = a.counts && b.counts;
    d.a_cause = first_cause(a), d.b_cause = first_cause(b);
    if (d.counts_compared)
        for (unsigned i = 0; i < record::kCounts; ++i)
            if (a.counts->values[i] != b.counts->values[i])
                d.counts.push_back({record::Count(i), a.counts->values[i], b.counts->values[i]});
    const std::string was = wrong(a), is = wrong(b);
    if (was.empty() != is.empty()) {
        d.verdict = is.empty() ? Verdict::mended : Verdict::broken;
        d.remark = is.empty() ? was : is;
    }
    return d;
}

/// Where the times say nothing, what else differs.
void settle(Difference& d) {
    if (d.verdict != Verdict::same) return;
    if (!d.counts.empty() || d.launches_differ())
        d.verdict = Verdict::counts;
    else if (d.causes_differ())
        d.verdict = Verdict::causes;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::same:
            return "same";
        case Verdict::faster:
            return "faster";
        case Verdict::slower:
            return "slower";
        case Verdict::counts:
            return "counts";
        case Verdict::causes:
            return "causes";
        case Verdict::only_a:
            return "only in A";
        case Verdict::only_b:
            return "only in B";
        case Verdict::broken:
            return "broken";
        case Verdict::mended:
            return "mended";
    }
    return "";
}

std::vector<Difference> compare(const record::RecordSet& a, const record::RecordSet& b, const CompareOptions& options) {
    return compare(RunData{a}, RunData{b}, options).differences;
}

namespace {

/// Those that only the second has.
std::vector<std::string> added(const std::vector<std::string>& before, const std::vector<std::string>& now) {
    std::vector<std::string> out;
    for (const auto& one : now)
        if (std::find(before.begin(), before.end(), one) == before.end()) out.push_back(one);
    return out;
}

std::vector<Difference> differences(const RunData& a, const RunData& b, const CompareOptions& options) {
    const auto take = [&](const record::RecordSet& set) {
        std::vector<const Record*> out;
        for (const Record& r : set.records)
            if (!r.left_out && chosen(r, options)) out.push_back(&r);
        return out;
    };
    const auto launches = [](const RunData& of, const Record* r) {
        const auto at = static_cast<std::size_t>(r - of.set.records.data());
        return at < of.launches.size() ? of.launches[at] : 0;
    };
    const auto as = take(a.set), bs = take(b.set);
    const auto a_keys = keys(as), b_keys = keys(bs);
    std::vector<Difference> out;
    const auto describe = [&](Difference d, const Record& r) {
        d.experiment = r.experiment;
        d.name = label(r);
        d.axes = r.axes;
        d.device = device_kind(r.device);
        out.push_back(std::move(d));
    };
    for (std::size_t i = 0; i < as.size(); ++i) {
        const auto it = std::find(b_keys.begin(), b_keys.end(), a_keys[i]);
        Difference d;
        if (it == b_keys.end()) {
            d.verdict = Verdict::only_a;
        } else {
            const Record* other = bs[static_cast<std::size_t>(it - b_keys.begin())];
            d = pair(*as[i], *other, options.least);
            d.a_launches = launches(a, as[i]), d.b_launches = launches(b, other);
            settle(d);
        }
        describe(std::move(d), *as[i]);
    }
    for (std::size_t i = 0; i < bs.size(); ++i) {
        if (std::find(a_keys.begin(), a_keys.end(), b_keys[i]) != a_keys.end()) continue;
        Difference d;
        d.verdict = Verdict::only_b;
        describe(std::move(d), *bs[i]);
    }
    return out;
}

}  // namespace

Comparison compare(const RunData& a, const RunData& b, const CompareOptions& options) {
    Comparison out;
    out.differences = differences(a, b, options);
    out.findings_compared = a.findings && b.findings;
    if (out.findings_compared) {
        out.new_findings = added(*a.findings, *b.findings);
        out.gone_findings = added(*b.findings, *a.findings);
    }
    return out;
}

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
