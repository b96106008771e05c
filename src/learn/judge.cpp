// A kernel is held against its requirements in the order in which a learner would mend it: it compiles, nothing is
// found, the result is right, then counts and time. What is said names the learner's own line: that of the finding, or
// the one with the largest share of the count.
#include "learn/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "ladder/problem.hpp"
#include "record/metrics.hpp"
#include "support/source_files.hpp"

namespace warpwright::learn {
namespace {

using record::Record;

constexpr std::string_view kTime = "predicted_time", kCause = "cause.";

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
        const record::Bottleneck* cause = cause_of(r, metric);
        return cause ? cause->share : 0.0;
    }
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

ladder::Variables sizes_of(const Exercise& exercise) {
    ladder::Variables out;
    for (std::size_t i = 0; i < exercise.measured.size(); ++i)
        out[exercise.ladder.size_names[i]] = static_cast<double>(exercise.measured[i]);
    return out;
}

bool holds(double value, double limit, Requirement::Compare compare) {
    const double slack = 1e-9 * std::abs(limit);
    switch (compare) {
        case Requirement::Compare::at_most:
            return value <= limit + slack;
        case Requirement::Compare::at_least:
            return value >= limit - slack;
        case Requirement::Compare::equal:
            return std::abs(value - limit) <= slack;
    }
    return false;
}

std::string trimmed(const std::string& text) {
    const auto from = text.find_first_not_of(" \t");
    return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(" \t\r") + 1 - from);
}

/// What a text may name of a place in the source.
Values place_values(const std::string& file, unsigned line, const std::string& array, const std::string& element) {
    std::string source;
    if (line > 0) source = trimmed(SourceFiles().line(file, line).value_or(""));
    std::string name = array;
    if (name.empty())
        for (const std::string& one : arrays_in(source)) name += (name.empty() ? "" : ", ") + one;
    return {{"line", static_cast<std::int64_t>(line)},
            {"source", Text(printable(source))},
            {"array", Text(printable(name))},
            {"element", Text(printable(element.empty() ? name : element))}};
}

void say_finding(Verdict& v, const Exercise& exercise, const Trial& trial, const record::Finding& f) {
    const auto own = exercise.findings.find(std::string(record::info(f.kind).name));
    // A kernel that does not end, or a trap, is no access that an exercise could have meant by "others".
    const bool ended = f.kind == record::FindingKind::fault || f.kind == record::FindingKind::deadlock;
    const auto other = ended ? exercise.findings.end() : exercise.findings.find("");
    v.say = own != exercise.findings.end() ? own->second : other != exercise.findings.end() ? other->second : "";
    v.values = place_values(f.at.file, f.at.line, f.array ? f.array->name : "", f.array ? f.array->element : "");
    v.values.emplace_back("size", Text(ladder::size_text(trial.size)));
    v.finding = f;
}

void say_wrong(Verdict& v, const Exercise& exercise, const Trial& trial) {
    v.say = exercise.wrong;
    v.values = place_values("", 0, "", "");
    v.values.emplace_back("size", Text(ladder::size_text(trial.size)));
    v.values.emplace_back("found", Text(trial.record.verification ? trial.record.verification->first_mismatch : ""));
}

/// The error to begin with: a misused barrier before the race that follows from it.
const record::Finding* first_error(const std::vector<record::Finding>& findings) {
    const record::Finding* out = nullptr;
    for (const record::Finding& f : findings) {
        if (f.severity != record::Severity::error) continue;
        if (record::info(f.kind).checker == record::Checker::sync) return &f;
        if (!out) out = &f;
    }
    return out;
}

/// The hidden sizes. False: what is behind them is not looked at.
bool trials_hold(Verdict& v, const Exercise& exercise, const Attempt& attempt) {
    for (const Trial& t : attempt.trials) {
        const record::Finding* error = first_error(t.findings);
        if (error || t.problem) {
            v.points.push_back({Point::What::no_findings});
            if (error) say_finding(v, exercise, t, *error);
            v.error = t.problem;
            return false;
        }
    }
    v.points.push_back({Point::What::no_findings, "", true});
    for (const Trial& t : attempt.trials)
        if (t.record.verified != true) {
            v.points.push_back({Point::What::right});
            say_wrong(v, exercise, t);
            return false;
        }
    v.points.push_back({Point::What::right, "", true});
    return true;
}

Result<void> requirements_hold(Verdict& v, const Exercise& exercise, Workshop& workshop) {
    ladder::Variables variables = sizes_of(exercise);
    for (const Requirement& r : exercise.requirements) {
        for (const auto& [name, rung] : {std::pair{"reference", exercise.reference}, {"start", exercise.start}}) {
            const auto& names = r.limit.names();
            if (std::find(names.begin(), names.end(), name) == names.end()) continue;
            auto record = workshop.counted(rung);
            if (!record) return std::move(record).error();
            const auto value = value_of(*record, r.metric);
            if (!value) return Error{ErrorKind::input, "the rung '" + rung + "' has no " + r.metric, r.where, ""};
            variables[name] = *value;
        }
        auto limit = r.limit.real(variables);
        if (!limit) return std::move(limit).error();
        const auto value = value_of(*v.counted, r.metric);
        // A quotient without its divisor (no store at all, say) holds nothing.
        const bool good = value && holds(*value, *limit, r.compare);
        v.points.push_back({Point::What::requirement, r.metric, good, value, *limit, r.compare});
        if (good || !v.say.empty()) continue;
        v.say = r.say;
        const auto [file, line] = costliest_line(*v.counted, r.metric);
        v.values = place_values(file, line, "", "");
        v.values.emplace_back("value", value.value_or(0));
        v.values.emplace_back("limit", *limit);
    }
    return {};
}

}  // namespace

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
    if (attempt->unusable) {
        v.points.push_back({Point::What::compiles});
        v.error = std::move(attempt->unusable);
        return v;
    }
    v.points.push_back({Point::What::compiles, "", true});
    if (!trials_hold(v, exercise, *attempt)) return v;
    v.counted = std::move(attempt->counted);
    if (auto ok = requirements_hold(v, exercise, workshop); !ok) return std::move(ok).error();
    v.done = std::all_of(v.points.begin(), v.points.end(), [](const Point& p) { return p.holds; });
    return v;
}

Result<Verdict> judge(const Exercise& exercise, Workshop& workshop, std::uint64_t seed, const std::string& file) {
    if (!exercise.questions.empty()) return judge_answers(exercise, workshop, file);
    return judge_kernel(exercise, workshop, *exercise.rung(exercise.start), seed, file);
}

}  // namespace warpwright::learn
