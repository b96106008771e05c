// Pairs records by experiment, rung, device and axes, and judges each pair: a change counts only beyond the noise of
// both times, or beyond the stated error where times are predicted. Times of different kinds are never compared.
#include "store/compare.hpp"

#include <fnmatch.h>
#include <algorithm>
#include <cmath>

#include "record/sample.hpp"

namespace warpwright::store {

namespace {

using record::Record;

/// "cuda:1" and "cuda:0" are the same kind of device.
std::string device_kind(const std::string& device) { return device.substr(0, device.find(':')); }

std::string label(const Record& r) {
    if (!r.name().empty()) return r.name();
    return r.library.empty() ? r.title : r.library;
}

std::string key(const Record& r, bool with_experiment) {
    std::string out = (with_experiment ? r.experiment : std::string()) + '\n' + label(r) + '\n' + device_kind(r.device);
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
std::vector<std::string> keys(const std::vector<const Record*>& records, bool with_experiment) {
    std::vector<std::string> out;
    for (const Record* r : records) {
        std::string base = key(*r, with_experiment);
        const auto before =
            std::count_if(out.begin(), out.end(), [&](const std::string& k) { return k.starts_with(base + "\n#"); });
        out.push_back(base + "\n#" + std::to_string(before));
    }
    return out;
}

/// How far the counts that reports rest on may be off, relative; 0 where they are exact.
double counts_error(const Record& r) {
    double worst = 0;
    for (const auto c : record::kMainCounts)
        if (r.counts && r.counts_error && (*r.counts)[c])
            worst = std::max(worst, static_cast<double>((*r.counts_error)[c]) / static_cast<double>((*r.counts)[c]));
    return worst;
}

/// Whether a count differs by more than what samples of the blocks leave open.
bool count_differs(const Record& a, const Record& b, record::Count c) {
    const auto n = (*a.counts)[c], m = (*b.counts)[c];
    const auto open = [&](const Record& r) { return r.counts_error ? static_cast<double>((*r.counts_error)[c]) : 0; };
    return n != m && static_cast<double>(std::max(n, m) - std::min(n, m)) > std::hypot(open(a), open(b));
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
    if (d.predicted) noise += std::hypot(counts_error(a), counts_error(b));
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
    d.sampled = a.counts_error || b.counts_error;
    d.a_cause = first_cause(a), d.b_cause = first_cause(b);
    if (d.counts_compared)
        for (unsigned i = 0; i < record::kCounts; ++i)
            if (count_differs(a, b, record::Count(i)))
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

/// Whether all records are of one program's run.
bool is_one_program(const RunData& d) {
    const auto& all = d.set.records;
    return !d.launches.empty() &&
           std::all_of(all.begin(), all.end(), [&](const Record& r) { return r.experiment == all.front().experiment; });
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
    // Two versions of a program may have two names.
    const bool programs = is_one_program(a) && is_one_program(b);
    const auto a_keys = keys(as, !programs), b_keys = keys(bs, !programs);
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
        if (programs && !as.empty()) out.back().experiment = as.front()->experiment;
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

}  // namespace warpwright::store
