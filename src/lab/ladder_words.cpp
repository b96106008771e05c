// What a page says of a ladder, chosen and filled from the figures of its run.
#include <algorithm>
#include <cmath>

#include "lab/figures.hpp"
#include "lab/ladder_page.hpp"

namespace warpwright::lab {

using record::Basis;
using record::Record;

namespace {

/// The change in time from one rung to the next.
struct Step {
    const Record* before = nullptr;
    const Record* after = nullptr;
    double faster = 1;
};

std::vector<Step> steps_of(const ProblemView& problem) {
    std::vector<Step> out;
    const Record* before = nullptr;
    for (const Record* r : best_variants(problem)) {
        if (!is_kernel(*r)) continue;
        if (before) out.push_back({before, r, seconds_of(*before)->value / seconds_of(*r)->value});
        before = r;
    }
    return out;
}

std::string changes_text(const Words& words, const Step& step) {
    if (!step.before->counts || !step.after->counts) return {};
    std::string text;
    for (const Change& change : changes(*step.before->counts, *step.after->counts, 3))
        text += (text.empty() ? "" : words("ladder.and")) + change_text(words, change);
    return text;
}

std::string step_sentence(const LadderRun& run, const Words& words, const Step& step, const std::string& key) {
    const std::string text = changes_text(words, step);
    return words(text.empty() ? key : key + "_counts",
                 {{"rung", label_of(run, *step.after)},
                  {"before", label_of(run, *step.before)},
                  {"factor", times_text(step.faster >= 1 ? step.faster : 1 / step.faster)},
                  {"changes", text}});
}

void conclude_problem(record::Page& page, const LadderRun& run, const Words& words, const ProblemView& problem) {
    const Record* best = best_kernel(problem);
    if (!best) return;
    const Record* first = first_kernel(problem);
    const Seconds time = *seconds_of(*best);
    const std::string basis = time.basis == Basis::measured ? "measured" : "predicted";
    const auto rate = rate_of(run, *best);
    const auto say = [&](const std::string& key, Words::Values values) {
        values.insert(values.begin(), {{"rung", label_of(run, *best)}, {"problem", problem.text()}, {"time", seconds_text(time.value)}});
        page.conclusions.push_back(words("ladder.conclusion." + key, values));
    };
    say("best." + basis, {{"rate", rate ? rate_text(rate->value, rate->unit) : ""}});
    if (first != best) say("over_first." + basis, {{"first", label_of(run, *first)}, {"factor", times_text(seconds_of(*first)->value / time.value)}});
    if (const Record* cpu = cpu_record(problem))
        say("over_cpu." + basis, {{"cpu", cpu->rung}, {"cpu_time", seconds_text(seconds_of(*cpu)->value)},
                                  {"factor", times_text(seconds_of(*cpu)->value / time.value)}});
    for (const Record* r : best_variants(problem)) {
        if (r->library.empty() || !is_right(*r)) continue;
        const double factor = seconds_of(*r)->value / time.value;
        say(factor >= 1 ? "vendor.faster" : "vendor.slower", {{"library", r->rung}, {"factor", times_text(factor >= 1 ? factor : 1 / factor)}});
    }
    const std::vector<Step> steps = steps_of(problem);
    const auto largest = std::max_element(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.faster < b.faster; });
    if (largest != steps.end() && largest->faster > 1.05) page.conclusions.push_back(step_sentence(run, words, *largest, "ladder.conclusion.step"));
    // Steps back, the worst first, no more than three.
    std::vector<Step> back;
    for (const Step& step : steps)
        if (step.faster < 0.95) back.push_back(step);
    std::sort(back.begin(), back.end(), [](const Step& a, const Step& b) { return a.faster < b.faster; });
    if (back.size() > 3) back.resize(3);
    for (const Step& step : back) page.conclusions.push_back(step_sentence(run, words, step, "ladder.conclusion.back"));
    if (best->bound && !best->bound->binds.empty() && !run.real) say("binds", {{"resource", best->bound->binds}});

    // What to do with it.
    page.recommendations.push_back(words("ladder.recommend.use", {{"rung", label_of(run, *best)}, {"problem", problem.text()}}));
    if (const auto ceiling = ceiling_of(run, *best)) {
        say("share." + basis, {{"resource", ceiling->resource}, {"share", 100 * ceiling->share}});
        const Words::Values values{{"rung", label_of(run, *best)}, {"resource", ceiling->resource}, {"share", 100 * ceiling->share},
                                   {"binds", best->bound ? best->bound->binds : ""}};
        const bool full = ceiling->share >= 0.8;
        const bool other = !run.real && best->bound && best->bound->binds != ceiling->resource;
        page.recommendations.push_back(words(full ? "ladder.recommend.full" : other ? "ladder.recommend.less" : "ladder.recommend.more", values));
    }
    if (best->occupancy && best->occupancy->waves > 0 && best->occupancy->waves < 1)
        page.recommendations.push_back(words("ladder.recommend.fill", {{"problem", problem.text()}, {"share", 100 * best->occupancy->waves}}));
}

}  // namespace

std::string change_text(const Words& words, const Change& change) {
    const std::string key{record::count_key(change.count)};
    const Words::Values values{
        {"count", key},
        {"before", count_text(change.before)},
        {"after", count_text(change.after)},
        {"factor", change.before && change.after ? times_text(std::max(static_cast<double>(change.before) / static_cast<double>(change.after),
                                                                       static_cast<double>(change.after) / static_cast<double>(change.before)))
                                                 : ""}};
    if (!change.after) return words("ladder.change.gone", values);
    if (!change.before) return words("ladder.change.came", values);
    return words(change.after < change.before ? "ladder.change.fell" : "ladder.change.rose", values);
}

void tell_problems(record::Page& page, const LadderRun& run, const Words& words) {
    std::vector<std::string> told;  // the same of many sizes and variants is one line
    for (const Record& r : run.set.records) {
        std::string text;
        if (r.left_out)
            text = words("ladder.problem.left_out", {{"rung", r.rung}, {"reason", *r.left_out}});
        else if (r.error)
            text = words("ladder.problem.error", {{"rung", label_of(run, r)}, {"reason", *r.error}});
        else if (r.verified == false && !r.known_incorrect)
            text = words("ladder.problem.wrong", {{"rung", label_of(run, r)}, {"first", r.verification ? r.verification->first_mismatch : ""}});
        if (text.empty() || std::find(told.begin(), told.end(), text) != told.end()) continue;
        told.push_back(text);
        page.problems.push_back(std::move(text));
    }
}

void conclude(record::Page& page, const LadderRun& run, const Words& words) {
    const std::vector<ProblemView> problems = problems_of(run);
    // Of each choice of axes the last size: the largest, as ladders name them.
    for (const ProblemView& problem : problems) {
        const auto later = std::find_if(problems.rbegin(), problems.rend(), [&](const ProblemView& p) { return p.axes == problem.axes; });
        if (&*later == &problem) conclude_problem(page, run, words, problem);
    }
    for (const Record& r : run.set.records)
        if (r.known_incorrect && !r.error && !r.left_out && r.verified) {
            page.conclusions.push_back(words(*r.verified ? "ladder.conclusion.lucky" : "ladder.conclusion.known_wrong", {{"rung", label_of(run, r)}}));
            break;
        }
    tell_problems(page, run, words);
    if (run.set.records.empty()) page.problems.push_back(words("ladder.problem.nothing"));
}

}  // namespace warpwright::lab
