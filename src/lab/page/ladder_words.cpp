// What a page says of a ladder, chosen and filled from the figures of its run.
#include <algorithm>
#include <cmath>

#include "lab/page/apart.hpp"
#include "lab/page/ladder_page.hpp"
#include "lab/page/page_parts.hpp"
#include "lab/page/sentence_figures.hpp"
#include "record/page_texts.hpp"

namespace warpwright::lab {

using record::Basis;
using record::Record;

namespace {

/// The change in time from one rung to the next that ran, and has a time of the same kind.
struct Step {
    const Record* before = nullptr;
    const Record* after = nullptr;
    double faster = 1;
};

std::vector<Step> steps_of(const ProblemView& problem) {
    std::vector<Step> out;
    std::vector<const Record*> earlier;
    for (const Record* r : best_variants(problem)) {
        if (!is_kernel(*r)) continue;
        const auto before = std::find_if(earlier.rbegin(), earlier.rend(),
                                         [&](const Record* e) { return times_faster(*e, *r).has_value(); });
        if (before != earlier.rend()) out.push_back({*before, r, *times_faster(**before, *r)});
        earlier.push_back(r);
    }
    return out;
}

/// Counts that moved the way the time did; where none did, that the grid is smaller, if it is.
Text changes_text(const LadderRun& run, const Step& step) {
    if (!step.before->counts || !step.after->counts) return {};
    Text text;
    int said = 0;
    for (const Change& change : changes(*step.before->counts, *step.after->counts, 8)) {
        if ((change.after < change.before) != (step.faster > 1) || ++said > 3) continue;
        text += (text.empty() ? "" : message("ladder.and")) + change_text(change);
    }
    const auto &before = step.before->grid, &after = step.after->grid;
    if (step.faster < 1 && before && after && after->count() < before->count() &&
        after->count() < 2 * run.model.sm.multiprocessors)
        text += (text.empty() ? "" : message("ladder.and")) +
                message("ladder.change.grid", {{"before", static_cast<std::int64_t>(before->count())},
                                               {"after", static_cast<std::int64_t>(after->count())},
                                               {"multiprocessors", std::int64_t{run.model.sm.multiprocessors}}});
    return text;
}

Text step_sentence(const LadderRun& run, const Step& step, const std::string& key) {
    const Text text = changes_text(run, step);
    return message(text.empty() ? key : key + "_counts",
                   {{"rung", label_of(run, *step.after)},
                    {"before", label_of(run, *step.before)},
                    {"factor", times_text(step.faster >= 1 ? step.faster : 1 / step.faster)},
                    {"changes", text}});
}

/// What to do with it: what measured times decide, else what the counts alone say.
void recommend(record::Page& page, const LadderRun& run, const ProblemView& problem, const Record& best, bool brief) {
    const Decision decision = decides(run, problem, best);
    const bool decided = decision == Decision::measured || decision == Decision::predicted;
    const std::string name = label_of(run, best);
    const auto advise = [&](const char* key, const Values& values) {
        const Text text = message(std::string("ladder.recommend.") + key, values);
        auto& list = page.recommendations;  // the same for several choices of axes stands once
        if (!reads_in(list, text)) list.push_back(text);
    };
    if (const Text text = recommendation(run, problem, best); !reads_in(page.recommendations, text))
        page.recommendations.push_back(text);
    const auto ceiling = ceiling_of(run, best);
    const bool full = ceiling && ceiling->share >= 0.8;
    if (ceiling) {
        page.conclusions.push_back(
            message("ladder.conclusion.share." + seconds_of(best)->word(),
                    {{"rung", name}, {"resource", name_text(ceiling->resource)}, {"share", 100 * ceiling->share}}));
        const bool other = !run.real && best.bound && best.bound->binds != ceiling->resource;
        const Values values{{"rung", name},
                            {"problem", problem.text()},
                            {"resource", name_text(ceiling->resource)},
                            {"share", 100 * ceiling->share},
                            {"binds", best.bound ? name_text(best.bound->binds) : ""}};
        if (decided)
            advise(full ? "full" : "more", values);
        else if (!full && other)
            advise("less", values);
    }
    // Where the ceiling is nearly reached there is nothing left to fill.
    const Text note = brief || full ? Text() : size_note(problem, best);
    if (!note.empty() && !reads_in(page.recommendations, note)) page.recommendations.push_back(note);
}

/// `brief`: one of many choices of axes.
void conclude_problem(record::Page& page, const LadderRun& run, const ProblemView& problem, bool brief) {
    const Record* best = best_kernel(problem);
    if (!best) return;
    const Record* first = first_kernel(problem);
    const Seconds time = *seconds_of(*best);
    const std::string basis = time.word();
    const auto rate = rate_of(run, *best);
    const auto say = [&](const std::string& key, Values values) {
        values.insert(
            values.begin(),
            {{"rung", label_of(run, *best)}, {"problem", problem.text()}, {"time", seconds_text(time.value)}});
        page.conclusions.push_back(message("ladder.conclusion." + key, values));
    };
    say("best." + basis, {{"rate", rate ? rate_text(rate->value, rate->unit) : Figure{}}});
    std::int64_t ties = 0;  // of the model: nobody measured a difference
    for (const Record* r : best_variants(problem))
        ties += time.bound && r != best && is_kernel(*r) && is_right(*r) && seconds_of(*r)->value < 1.005 * time.value;
    if (ties > 0) say("ties", {{"others", ties}});
    if (first != best && seconds_of(*first)->like(time) && seconds_of(*first)->value > 1.005 * time.value)
        say("over_first." + basis,
            {{"first", label_of(run, *first)}, {"factor", times_text(seconds_of(*first)->value / time.value)}});
    if (const Record* cpu = cpu_record(problem)) {
        const auto cpu_time = seconds_of(*cpu);
        const auto factor = time.bound || !cpu_time ? std::nullopt : std::optional(cpu_time->value / time.value);
        say("over_cpu." + basis, {{"cpu", cpu->rung},
                                  {"cpu_time", seconds_text(seconds_of(*cpu)->value)},
                                  {"factor", factor ? times_text(*factor) : Figure{}}});
    }
    for (const Record* r : best_variants(problem)) {
        if (r->library.empty() || !is_right(*r) || !seconds_of(*r)->like(time)) continue;
        const double factor = seconds_of(*r)->value / time.value;
        say(factor >= 1 ? "vendor.faster" : "vendor.slower",
            {{"library", r->rung}, {"factor", times_text(factor >= 1 ? factor : 1 / factor)}});
    }
    // The largest gain over the best so far, so that making good a step back is none.
    std::vector<Step> steps = steps_of(problem);
    std::erase_if(steps, [&](const Step& s) { return !seconds_of(*s.after)->like(time); });
    double so_far = steps.empty() ? 0 : seconds_of(*steps.front().before)->value;
    std::vector<double> gains;
    for (const Step& step : steps) {
        gains.push_back(so_far / seconds_of(*step.after)->value);
        so_far = std::min(so_far, seconds_of(*step.after)->value);
    }
    const auto top = std::max_element(gains.begin(), gains.end());
    const auto top_step = top == gains.end() ? steps.end() : steps.begin() + (top - gains.begin());
    if (top != gains.end() && *top > 1.05 && (time.bound || !cannot_tell(*top_step->before, *top_step->after)))
        page.conclusions.push_back(step_sentence(run, *top_step, "ladder.conclusion.step"));
    // Steps back, the worst first, no more than three.
    std::vector<Step> back;
    for (const Step& step : steps)
        if (step.faster < 0.95 && (time.bound || !cannot_tell(*step.before, *step.after))) back.push_back(step);
    std::sort(back.begin(), back.end(), [](const Step& a, const Step& b) { return a.faster < b.faster; });
    if (back.size() > (brief ? 1 : 3)) back.resize(brief ? 1 : 3);
    for (const Step& step : back) page.conclusions.push_back(step_sentence(run, step, "ladder.conclusion.back"));
    if (best->bound && !best->bound->binds.empty() && !run.real)
        say("binds", {{"resource", name_text(best->bound->binds)}});

    recommend(page, run, problem, *best, brief);
}

}  // namespace

namespace {

/// "`tiled (TILE 16)`, `padded` and 3 more": the names that a sentence has room for.
Text names_of(const LadderRun& run, const std::vector<const Record*>& records, bool variants) {
    constexpr std::size_t kMost = 3;
    Text out;
    for (std::size_t i = 0; i < std::min(kMost, records.size()); ++i)
        out += (i ? ", " : "") + std::string("`") +
               (variants ? variant_of(run, *records[i]) : label_of(run, *records[i])) + "`";
    if (records.size() > kMost)
        out += message("ladder.recommend.and_more", {{"more", static_cast<std::int64_t>(records.size() - kMost)}});
    return out;
}

/// The figures of a pair in a sentence.
Values pair_values(const Apart& pair) {
    return {{"factor", times_text(pair.factor)},
            {"pairs", std::int64_t{pair.pairs}},
            {"right", std::int64_t{pair.right}},
            {"device", pair.device}};
}

/// Which of the rung's own variants the times do not tell from the best one; empty where they tell.
Text close_variants(const LadderRun& run, const ProblemView& problem, const Record& best) {
    std::vector<const Record*> close = rivals(problem, best, true);
    std::erase_if(close, [&](const Record* r) { return !cannot_tell(best, *r); });
    if (close.empty()) return {};
    return " " + message("ladder.recommend.variants",
                         {{"variant", variant_of(run, best)}, {"others", names_of(run, close, true)}});
}

Text by_prediction(const LadderRun& run, const ProblemView& problem, const Record& best, Decision decision) {
    std::vector<const Record*> others = rivals(problem, best, false);
    Values values{{"rung", label_of(run, best)}, {"problem", problem.text()}};
    if (others.empty()) return message("ladder.recommend.alone", values) + close_variants(run, problem, best);
    if (decision == Decision::too_close) std::erase_if(others, [&](const Record* r) { return !cannot_tell(best, *r); });
    values.insert(values.end(), {{"next", label_of(run, *others.front())}, {"others", names_of(run, others, false)}});
    if (const auto pair = apart(best, *others.front()))
        for (auto& value : pair_values(*pair)) values.push_back(std::move(value));
    const bool elsewhere = best.predicted && !best.predicted->error;
    const char* key = decision == Decision::too_close ? "ladder.recommend.too_close" : "ladder.recommend.use_predicted";
    return message(key, values) + close_variants(run, problem, best) +
           (elsewhere ? " " + message("ladder.recommend.elsewhere", {{"model", run.model.title}}) : Text());
}

}  // namespace

Text recommendation(const LadderRun& run, const ProblemView& problem, const Record& best) {
    const Decision decision = decides(run, problem, best);
    if (decision == Decision::predicted || decision == Decision::too_close)
        return by_prediction(run, problem, best, decision);
    const char* key = decision == Decision::measured     ? "ladder.recommend.use"
                      : decision == Decision::incomplete ? "ladder.recommend.finish"
                                                         : "ladder.recommend.measure";
    return message(key, {{"rung", label_of(run, best)}, {"problem", problem.text()}});
}

Text size_note(const ProblemView& problem, const Record& best) {
    constexpr double kNearlyFilled = 0.9;
    if (!best.occupancy || best.occupancy->waves <= 0 || best.occupancy->waves >= kNearlyFilled) return {};
    return message("ladder.recommend.fill", {{"problem", problem.text()}, {"share", 100 * best.occupancy->waves}});
}

Text change_text(const Change& change) {
    const std::string key{record::count_key(change.count)};
    const Values values{
        {"count", key},
        {"before", count_text(change.before)},
        {"after", count_text(change.after)},
        {"factor", change.before && change.after
                       ? times_text(std::max(static_cast<double>(change.before) / static_cast<double>(change.after),
                                             static_cast<double>(change.after) / static_cast<double>(change.before)))
                       : Figure{}}};
    if (!change.after) return message("ladder.change.gone", values);
    if (!change.before) return message("ladder.change.came", values);
    return message(change.after < change.before ? "ladder.change.fell" : "ladder.change.rose", values);
}

void tell_problems(record::Page& page, const LadderRun& run) {
    std::vector<Text> told;  // the same of many sizes and variants is one line
    for (const Record& r : run.set.records) {
        Text text;
        // That a library is not called where there is no GPU for it goes without saying.
        const auto rung = std::find_if(run.ladder.rungs.begin(), run.ladder.rungs.end(),
                                       [&](const ladder::Rung& one) { return one.name == r.rung; });
        if (r.left_out && !run.real && rung != run.ladder.rungs.end() && !rung->library.empty()) continue;
        if (r.left_out)
            text = message("ladder.problem.left_out", {{"rung", r.rung}, {"reason", record::left_out_text(r)}});
        else if (r.error)
            text = message("ladder.problem.error", {{"rung", label_of(run, r)}, {"reason", *r.error}});
        else if (r.verified == false && !r.known_incorrect)
            text = message("ladder.problem.wrong", {{"rung", label_of(run, r)},
                                                    {"first", r.verification ? r.verification->first_mismatch : ""}});
        if (text.empty() || reads_in(told, text)) continue;
        told.push_back(text);
        page.problems.push_back(std::move(text));
    }
    if (run.left_out.empty()) return;
    std::string rungs;
    for (const std::string& rung : run.left_out) rungs += (rungs.empty() ? "`" : ", `") + rung + "`";
    page.problems.push_back(message("ladder.problem.stopped",
                                    {{"rungs", rungs}, {"command", run.repeat.empty() ? "" : run.repeat.front()}}));
}

void conclude(record::Page& page, const LadderRun& run) {
    const std::vector<ProblemView> problems = problems_of(run);
    const bool several = std::any_of(problems.begin(), problems.end(),
                                     [&](const ProblemView& p) { return p.axes != problems.front().axes; });
    // Of each choice of axes the last size: the largest, as ladders name them.
    for (const ProblemView& problem : problems) {
        const auto later = std::find_if(problems.rbegin(), problems.rend(),
                                        [&](const ProblemView& p) { return p.axes == problem.axes; });
        if (&*later == &problem) conclude_problem(page, run, problem, several);
    }
    for (const Record& r : run.set.records)
        if (r.known_incorrect && !r.error && !r.left_out && r.verified) {
            page.conclusions.push_back(
                message(*r.verified ? "ladder.conclusion.lucky" : "ladder.conclusion.known_wrong",
                        {{"rung", label_of(run, r)}}));
            break;
        }
    tell_problems(page, run);
    if (run.set.records.empty()) page.problems.push_back(message("ladder.problem.nothing"));
}

}  // namespace warpwright::lab
