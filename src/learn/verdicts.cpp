// What is said names the learner's own line: that of the finding, or the one with the largest share of the count.
#include "learn/verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "ladder/problem.hpp"
#include "report/format.hpp"
#include "support/source_files.hpp"
#include "support/trimmed.hpp"
#include "text/words.hpp"

namespace warpwright::learn {
namespace {

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

/// What a text may name of a place in the source.
Values place_values(const std::string& file, unsigned line, const std::string& array, const std::string& element) {
    std::string source;
    if (line > 0) source = std::string(trimmed(SourceFiles().line(file, line).value_or("")));
    std::string name = array;
    if (name.empty())
        for (const std::string& one : arrays_in(source)) name += (name.empty() ? "" : ", ") + one;
    return {{"line", static_cast<std::int64_t>(line)},
            {"source", Text(printable(source))},
            {"array", Text(printable(name))},
            {"element", Text(printable(element.empty() ? name : element))}};
}

}  // namespace

std::optional<std::string> said_of(const Words& words, const std::string& text, const Values& values) {
    const std::string key = "say", missing = "[" + key + "]";  // no text of the program's own
    auto texts = words.texts();
    texts[key] = text;
    std::string out = Words::of(words.language(), std::move(texts))(key, values);
    if (out == missing) return std::nullopt;
    return out;
}

bool is_of_time(std::string_view metric) { return metric == kTime || metric.starts_with(kCause); }

Error unpredicted(const record::Record& record, bool out_of_time) {
    return Error{ErrorKind::limit, record.unpredicted, Location{}, out_of_time ? "a longer --limit" : ""};
}

std::vector<std::pair<std::string_view, double>> residency(const record::OccupancyRecord& o) {
    const double values[] = {o.fraction, static_cast<double>(o.blocks), static_cast<double>(o.warps), o.waves,
                             static_cast<double>(o.registers)};
    static_assert(std::size(values) == std::size(kResidency));
    std::vector<std::pair<std::string_view, double>> out;
    for (std::size_t k = 0; k < std::size(values); ++k) out.emplace_back(kResidency[k], values[k]);
    return out;
}

const record::Finding* first_error(const std::vector<record::Finding>& findings) {
    const record::Finding* out = nullptr;
    for (const record::Finding& f : findings) {
        if (f.severity != record::Severity::error) continue;
        if (record::info(f.kind).checker == record::Checker::sync) return &f;
        if (!out) out = &f;
    }
    return out;
}

void say_finding(Verdict& v, const Exercise& exercise, const std::vector<std::int64_t>& size,
                 const record::Finding& f) {
    const auto own = exercise.findings.find(std::string(record::info(f.kind).name));
    // A kernel that does not end, or a trap, is no access that an exercise could have meant by "others".
    const bool ended = f.kind == record::FindingKind::fault || f.kind == record::FindingKind::deadlock;
    const auto other = ended ? exercise.findings.end() : exercise.findings.find("");
    v.say = own != exercise.findings.end() ? own->second : other != exercise.findings.end() ? other->second : "";
    const record::FindingPlace& at = f.at.line == 0 && f.other && f.other->line > 0 ? *f.other : f.at;
    v.values = place_values(at.file, at.line, f.array ? f.array->name : "", f.array ? f.array->element : "");
    v.values.emplace_back("size", Text(exercise.size_text(size)));
    v.finding = f;
}

void say_wrong(Verdict& v, const Exercise& exercise, const std::vector<std::int64_t>& size, const std::string& found) {
    v.say = exercise.wrong;
    v.values = place_values("", 0, "", "");
    v.values.emplace_back("size", Text(exercise.size_text(size)));
    v.values.emplace_back("found", carried_text(found));
}

Result<void> hold_requirements(
    Verdict& v, const Exercise& exercise,
    const std::function<Result<std::optional<double>>(const std::string& rung, const std::string& metric)>& own,
    const std::function<std::optional<double>(const std::string& metric)>& value,
    const std::function<std::pair<std::string, unsigned>(const std::string& metric)>& line) {
    ladder::Variables variables = sizes_of(exercise);
    for (const Requirement& r : exercise.requirements) {
        for (const auto& [name, rung] : r.own_figures(exercise)) {
            const auto of_rung = own(rung, r.metric);
            if (!of_rung) return of_rung.error();
            if (!*of_rung) return Error{ErrorKind::input, "the rung '" + rung + "' has no " + r.metric, r.where, ""};
            variables[name] = **of_rung;
        }
        auto limit = r.limit.real(variables);
        if (!limit) return std::move(limit).error();
        const auto own_value = value(r.metric);
        // A quotient without its divisor (no store at all, say) holds nothing.
        const bool good = own_value && holds(*own_value, *limit, r.compare);
        v.points.push_back({Point::What::requirement, r.metric, good, own_value, *limit, r.compare});
        if (good || !v.say.empty()) continue;
        v.say = r.say;
        const auto [file, number] = line(r.metric);
        v.values = place_values(file, number, "", "");
        v.values.emplace_back("value", own_value.value_or(0));
        v.values.emplace_back("limit", *limit);
        if (r.metric != kTime) continue;
        v.values.emplace_back("time", Figure{report::seconds(own_value.value_or(0))});
        v.values.emplace_back("time_limit", Figure{report::seconds(*limit)});
    }
    return {};
}

}  // namespace warpwright::learn
