// Two seeds for what must pass: a result that is right for one of them only is not.
#include "learn/prove.hpp"

#include <fmt/format.h>

#include <map>

#include "learn/judge.hpp"
#include "learn/verdicts.hpp"
#include "support/read_file.hpp"

namespace warpwright::learn {
namespace {

constexpr std::uint64_t kSeeds[] = {1, 20260715};

std::string first_failing(const Verdict& v) {
    if (v.finding) return v.finding->message;
    if (v.error) return v.error->text();
    for (const Point& p : v.points)
        if (!p.holds)
            return p.what == Point::What::requirement || p.what == Point::What::answer
                       ? fmt::format("{} is {}, and the limit is {}", p.name, p.value.value_or(0), p.limit.value_or(0))
                       : std::string("the result is wrong");
    return "";
}

/// What a text may name: of a finding, of a wrong result, of a requirement (of predicted times more), of an answer.
enum class Use { finding, wrong, metric, time, answer };

Values values_for(Use use) {
    Values out{{"line", std::int64_t{7}}, {"source", Text("y[i] = x[i];")}};
    if (use != Use::answer) out.insert(out.end(), {{"array", Text("y")}, {"element", Text("y[7]")}});
    if (use == Use::finding || use == Use::wrong) out.emplace_back("size", Text("1000"));
    if (use == Use::wrong) out.emplace_back("found", Text("1 of 2"));
    if (use == Use::answer || use == Use::metric || use == Use::time) out.emplace_back("value", 0.5);
    if (use == Use::metric || use == Use::time) out.emplace_back("limit", 2.0);
    if (use == Use::time) out.insert(out.end(), {{"time", Figure{"4.1 us"}}, {"time_limit", Figure{"2 us"}}});
    return out;
}

Claim claim_of(const std::string& rung, const std::string& expected, const Verdict& v) {
    Claim c{rung, expected, v.done ? "done" : v.say.empty() ? "not done" : v.say, first_failing(v)};
    c.holds = expected == "done" ? v.done : expected == "not done" ? !v.done : !v.done && v.say == expected;
    return c;
}

}  // namespace

Result<void> texts_can_be_said(const Exercise& exercise) {
    std::vector<std::pair<std::string, Use>> uses;
    if (!exercise.wrong.empty()) uses.emplace_back(exercise.wrong, Use::wrong);
    for (const auto& [kind, say] : exercise.findings) uses.emplace_back(say, Use::finding);
    for (const Requirement& r : exercise.requirements)
        uses.emplace_back(r.say, r.metric == kTime ? Use::time : Use::metric);
    for (const Question& q : exercise.questions) uses.emplace_back(q.say, Use::answer);
    for (const auto& [language, texts] : exercise.texts) {
        auto words = Words::load(language);
        if (!words) return std::move(words).error();
        for (const auto& [say, use] : uses) {
            const auto text = texts.says.find(say);
            if (text == texts.says.end() || said_of(*words, text->second, values_for(use))) continue;
            return Error{ErrorKind::input,
                         "[say] '" + say + "' cannot be said: it names what it is not given, or has an unknown format",
                         Location{exercise.folder + "/" + language + ".toml", 0, 0},
                         "docs/exercises.md lists what a text may name; {value:.2f} is a format"};
        }
    }
    return {};
}

Result<bool> prove(const Exercise& exercise, const WorkshopOptions& options,
                   const std::function<void(const Claim&)>& tell) {
    if (auto ok = texts_can_be_said(exercise); !ok) return std::move(ok).error();
    auto workshop = Workshop::make(exercise, options);
    if (!workshop) return std::move(workshop).error();
    bool all = true;
    const auto claim = [&](const Result<Verdict>& v, const std::string& rung,
                           const std::string& expected) -> Result<void> {
        if (!v) return v.error();
        const Claim c = claim_of(rung, expected, *v);
        all = all && c.holds;
        tell(c);
        return {};
    };
    if (!exercise.questions.empty()) {
        // The right answers are computed. What can be wrong is that they are not accepted, that the untouched file is,
        // and what is said of a wrong answer where all others are right.
        const auto start = judge_answers(exercise, **workshop, exercise.start_file());
        if (auto ok = claim(start, exercise.start, "not done"); !ok) return std::move(ok).error();
        const auto solved = judge_answers(exercise, **workshop, exercise.reference_file());
        if (auto ok = claim(solved, exercise.reference, "done"); !ok) return std::move(ok).error();
        auto text = read_file(exercise.reference_file(), file_limit::source);
        if (!text) return std::move(text).error();
        for (const Question& q : exercise.questions) {
            const auto right = right_answer(exercise, **workshop, q);
            if (!right) return right.error();
            // Of two answers to a question the later one counts.
            const std::string wrong = fmt::format("{}\n{} = {}\n", *text, q.name, 2 * *right + 1);
            const auto met = judge_answers_text(exercise, **workshop, wrong, exercise.reference_file());
            if (auto ok = claim(met, q.name, q.say); !ok) return std::move(ok).error();
        }
        return all;
    }
    // The untouched file is often a mistake as well.
    std::map<std::pair<std::string, std::uint64_t>, Result<Verdict>> known;
    const auto judged = [&](const std::string& rung, std::uint64_t seed) -> const Result<Verdict>& {
        const auto it = known.find({rung, seed});
        if (it != known.end()) return it->second;
        const auto judge_rung = exercise.program ? judge_program : judge_kernel;
        return known.emplace(std::pair{rung, seed}, judge_rung(exercise, **workshop, *exercise.rung(rung), seed, ""))
            .first->second;
    };
    for (const std::uint64_t seed : kSeeds)
        if (auto ok = claim(judged(exercise.reference, seed), exercise.reference, "done"); !ok)
            return std::move(ok).error();
    if (auto ok = claim(judged(exercise.start, kSeeds[0]), exercise.start, "not done"); !ok)
        return std::move(ok).error();
    for (const Mistake& m : exercise.mistakes)
        if (auto ok = claim(judged(m.rung, kSeeds[0]), m.rung, m.say); !ok) return std::move(ok).error();
    return all;
}

}  // namespace warpwright::learn
