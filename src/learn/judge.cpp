// A kernel is held against its requirements in the order in which a learner would mend it: it compiles, nothing is
// found, the result is right, then counts and time. What is said names the learner's own line: that of the finding, or
// the one with the largest share of the count.
#include "learn/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "learn/verdicts.hpp"
#include "record/metrics.hpp"

namespace warpwright::learn {
namespace {

using record::Record;

/// What holds the launch back by that name; null where it does not.
const record::Bottleneck* cause_of(const Record& r, const std::string& metric) {
    if (r.predicted)
        for (const record::Bottleneck& b : r.predicted->causes)
            if (b.cause == metric.substr(kCause.size())) return &b;
    return nullptr;
}

std::optional<double> value_of(const Record& r, const std::string& metric) {
    if (metric == kTime) return r.predicted ? std::optional(r.predicted->seconds) : std::nullopt;
    if (metric.starts_with(kCause)) {
        if (!r.predicted) return std::nullopt;
        const record::Bottleneck* cause = cause_of(r, metric);
        return cause ? cause->share : 0.0;
    }
    if (r.occupancy)
        for (const auto& [name, value] : residency(*r.occupancy))
            if (name == metric) return value;
    if (!r.counts) return std::nullopt;
    const auto found = record::find_metric(metric);
    if (!found) return std::nullopt;
    if (const auto* count = std::get_if<record::Count>(&*found)) return static_cast<double>((*r.counts)[*count]);
    return record::value(*r.counts, std::get<record::Derived>(*found));
}

/// The line to which most of a metric belongs. Of time: that at which warps stood most.
std::pair<std::string, unsigned> costliest_line(const Record& r, const std::string& metric) {
    std::pair<std::string, unsigned> out;
    double most = 0;
    const auto take = [&](const std::string& file, unsigned line, double cost) {
        if (line > 0 && cost > most) most = cost, out = {file, line};
    };
    if (metric.starts_with(kCause)) {
        if (const record::Bottleneck* cause = cause_of(r, metric)) return {cause->file, cause->line};
        return out;
    }
    if (metric == kTime && r.predicted) {
        for (const auto& l : r.predicted->lines) {
            double all = 0;
            for (const auto& [name, cycles] : l.stalls) all += cycles;
            take(l.file, l.line, all);
        }
        return out;
    }
    const auto found = record::find_metric(metric);
    if (!found) return out;
    for (const auto& l : r.lines) {
        if (const auto* count = std::get_if<record::Count>(&*found))
            take(l.file, l.line, static_cast<double>(l.counts[*count]));
        else
            take(l.file, l.line, static_cast<double>(record::total(l.counts, std::get<record::Derived>(*found))));
    }
    return out;
}

/// The hidden sizes. False: what is behind them is not looked at.
bool trials_hold(Verdict& v, const Exercise& exercise, const Attempt& attempt) {
    for (const Trial& t : attempt.trials) {
        const record::Finding* error = first_error(t.findings);
        if (error || t.problem) {
            v.points.push_back({Point::What::no_findings});
            if (error) say_finding(v, exercise, t.size, *error);
            v.error = t.problem;
            return false;
        }
    }
    v.points.push_back({Point::What::no_findings, "", true});
    for (const Trial& t : attempt.trials)
        if (t.record.verified != true) {
            v.points.push_back({Point::What::right});
            say_wrong(v, exercise, t.size, t.record.verification ? t.record.verification->first_mismatch : "");
            return false;
        }
    v.points.push_back({Point::What::right, "", true});
    return true;
}

Result<void> requirements_hold(Verdict& v, const Exercise& exercise, Workshop& workshop) {
    const auto own = [&](const std::string& rung, const std::string& metric) {
        return own_kernel_figure(workshop, rung, metric);
    };
    return hold_requirements(
        v, exercise, own, [&](const std::string& metric) { return value_of(*v.counted, metric); },
        [&](const std::string& metric) { return costliest_line(*v.counted, metric); });
}

}  // namespace

Result<std::optional<double>> own_kernel_figure(Workshop& workshop, const std::string& rung,
                                                const std::string& metric) {
    return workshop.figure({rung, metric}, [&]() -> Result<std::optional<double>> {
        auto record = workshop.counted(rung);
        if (!record) return std::move(record).error();
        if (is_of_time(metric) && !record->unpredicted.empty()) return unpredicted(*record, workshop.out_of_time(rung));
        return value_of(*record, metric);
    });
}

std::vector<std::string> arrays_in(const std::string& line) {
    std::vector<std::string> out;
    const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t at = 0; (at = line.find('[', at)) != std::string::npos; ++at) {
        std::size_t end = at;
        while (end > 0 && line[end - 1] == ' ') --end;
        std::size_t begin = end;
        while (begin > 0 && letter(line[begin - 1])) --begin;
        if (begin == end || std::isdigit(static_cast<unsigned char>(line[begin])) != 0) continue;
        std::string name = line.substr(begin, end - begin);
        if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
    }
    return out;
}

Result<Verdict> judge_kernel(const Exercise& exercise, Workshop& workshop, const ladder::Rung& rung, std::uint64_t seed,
                             const std::string& file) {
    auto attempt = workshop.attempt(rung, seed, file);
    if (!attempt) return std::move(attempt).error();
    Verdict v;
    v.output = std::move(attempt->output);
    v.warnings = workshop.warnings_of(file);
    if (attempt->unusable) {
        v.points.push_back({Point::What::compiles});
        v.error = std::move(attempt->unusable);
        // What the exercise asks of the kernel stands in a file that the learner does not have.
        if (const auto& at = v.error->where.file; !file.empty() && at != file && at.starts_with(exercise.folder + "/"))
            v.error->where = {file, 0, 0};
        return v;
    }
    v.points.push_back({Point::What::compiles, "", true});
    if (!trials_hold(v, exercise, *attempt)) return v;
    v.counted = std::move(attempt->counted);
    v.view = std::move(attempt->view);
    if (v.counted) v.roofline = roofline_of(*v.counted, workshop.model());
    if (auto ok = requirements_hold(v, exercise, workshop); !ok) return std::move(ok).error();
    // Without a time none of the exercise's words about it is true.
    const auto first = std::find_if(v.points.begin(), v.points.end(), [](const Point& p) { return !p.holds; });
    if (first != v.points.end() && is_of_time(first->name) && v.counted && !v.counted->unpredicted.empty()) {
        v.say.clear(), v.values.clear();
        v.error = unpredicted(*v.counted, attempt->out_of_time);
    }
    v.done = std::all_of(v.points.begin(), v.points.end(), [](const Point& p) { return p.holds; });
    return v;
}

Result<Verdict> judge(const Exercise& exercise, Workshop& workshop, std::uint64_t seed, const std::string& file) {
    if (!exercise.questions.empty()) return judge_answers(exercise, workshop, file);
    if (exercise.program) return judge_program(exercise, workshop, *exercise.rung(exercise.start), seed, file);
    return judge_kernel(exercise, workshop, *exercise.rung(exercise.start), seed, file);
}

}  // namespace warpwright::learn
