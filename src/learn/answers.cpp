// Questions: the right answer is computed from the counts of a rung, not written down, so that it follows the device
// model.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include "ladder/expression.hpp"
#include "learn/verdicts.hpp"
#include "record/bottleneck.hpp"
#include "record/metrics.hpp"
#include "support/read_file.hpp"
#include "support/trimmed.hpp"

namespace warpwright::learn {
namespace {

struct Given {
    double value = 0;
    unsigned line = 0;
    std::string source;
};

/// Whether a comma stands as it does between thousands (131,072): as a decimal sign it would make another number.
bool has_thousands(const std::string& text) {
    const auto comma = text.find(',');
    const auto digits = [](const std::string& part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    };
    if (comma == std::string::npos || comma > 3 || text.front() == '0') return false;
    return digits(text.substr(0, comma)) && text.size() == comma + 4 && digits(text.substr(comma + 1));
}

/// A number, or how it is computed: 0.125, 0,125, 1/8, 4*256 - 900.
std::optional<double> number_in(std::string text) {
    if (std::count(text.begin(), text.end(), ',') == 1 && text.find('.') == std::string::npos)
        std::replace(text.begin(), text.end(), ',', '.');
    double plain = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), plain);
    if (error == std::errc() && end == text.data() + text.size()) return plain;
    const auto expression = ladder::Expression::parse(std::move(text));
    if (!expression) return std::nullopt;
    const auto value = expression->real({});
    return value ? std::optional(*value) : std::nullopt;
}

Result<std::map<std::string, Given>> answers_in(const std::string& text, const std::string& file) {
    std::map<std::string, Given> out;
    std::istringstream lines(text);
    std::string line;
    for (unsigned number = 1; std::getline(lines, line); ++number) {
        const std::string source(trimmed(line));
        line = std::string(trimmed(line.substr(0, line.find('#'))));
        if (line.empty()) continue;
        const auto equals = line.find('=');
        const std::string name(trimmed(line.substr(0, equals)));
        const std::string value(equals == std::string::npos ? "" : trimmed(std::string_view(line).substr(equals + 1)));
        if (equals == std::string::npos)
            return Error{ErrorKind::input, "this line is no answer", Location{file, number, 0}, "write: name = number"};
        if (value.empty()) continue;  // not answered yet
        if (has_thousands(value))
            return Error{ErrorKind::input, "'" + value + "' may be meant in thousands, or with a decimal comma",
                         Location{file, number, 0}, "write the number without a comma, or with a point"};
        const auto given = number_in(value);
        if (!given)
            return Error{ErrorKind::input, "'" + value + "' is not a number", Location{file, number, 0},
                         "write: name = number"};
        out[name] = {*given, number, source};
    }
    return out;
}

/// What an answer's expression sees.
Result<ladder::Variables> facts_of(const Exercise& exercise, Workshop& workshop, const Question& question) {
    auto record = workshop.counted(question.rung);
    if (!record) return std::move(record).error();
    const auto& names = question.value.names();
    const bool of_time = std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return name == kTime || name.starts_with("cause_");
    });
    if (of_time && !record->unpredicted.empty()) return unpredicted(*record, workshop.out_of_time(question.rung));
    ladder::Variables out;
    for (std::size_t i = 0; i < exercise.measured.size(); ++i)
        out[exercise.ladder.size_names[i]] = static_cast<double>(exercise.measured[i]);
    if (record->counts)
        for (const auto& name : record::count_names())
            out[std::string(name.key)] = static_cast<double>((*record->counts)[name.count]);
    if (record->predicted) {
        out["predicted_time"] = record->predicted->seconds;
        for (const auto& cause : record::causes()) out["cause_" + std::string(cause.name)] = 0;
        for (const auto& b : record->predicted->causes) out["cause_" + b.cause] = b.share;
    }
    if (record->occupancy)
        for (const auto& [name, value] : residency(*record->occupancy)) out[std::string(name)] = value;
    return out;
}

}  // namespace

Result<double> right_answer(const Exercise& exercise, Workshop& workshop, const Question& question) {
    const auto made = workshop.figure({"", question.name}, [&]() -> Result<std::optional<double>> {
        auto facts = facts_of(exercise, workshop, question);
        if (!facts) return std::move(facts).error();
        auto value = question.value.real(*facts);
        if (!value) return std::move(value).error();
        return std::optional(*value);
    });
    if (!made) return made.error();
    return made->value();
}

Result<Verdict> judge_answers(const Exercise& exercise, Workshop& workshop, const std::string& file) {
    auto text = read_file(file, file_limit::source);
    if (!text) {
        Verdict v;
        v.points.push_back({Point::What::readable});
        v.error = std::move(text).error();
        return v;
    }
    return judge_answers_text(exercise, workshop, *text, file);
}

Result<Verdict> judge_answers_text(const Exercise& exercise, Workshop& workshop, const std::string& text,
                                   const std::string& file) {
    Verdict v;
    auto given = answers_in(text, file);
    if (!given) {
        v.points.push_back({Point::What::readable});
        v.error = std::move(given).error();
        return v;
    }
    v.done = true;
    for (const Question& q : exercise.questions) {
        auto right = right_answer(exercise, workshop, q);
        if (!right) return std::move(right).error();
        const auto answer = given->find(q.name);
        Point p{Point::What::answer, q.name, false, std::nullopt, std::nullopt, Requirement::Compare::equal};
        if (answer != given->end()) {
            p.value = answer->second.value;
            p.holds = std::abs(*p.value - *right) <= q.within * std::abs(*right) + 1e-9 * std::abs(*right);
        }
        v.points.push_back(p);
        if (p.holds) continue;
        v.done = false;
        if (!v.say.empty() || v.told) continue;
        if (!p.value) {
            v.told = message("learn.unanswered", {{"name", Text(q.name)}});
            continue;
        }
        v.say = q.say;
        v.values = {{"line", static_cast<std::int64_t>(answer == given->end() ? 0 : answer->second.line)},
                    {"source", Text(answer == given->end() ? "" : answer->second.source)},
                    {"value", p.value.value_or(0)}};
    }
    return v;
}

}  // namespace warpwright::learn
