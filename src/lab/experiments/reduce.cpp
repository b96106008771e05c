// The sum of a vector, rung by rung as the text (001) has it, with the counts that explain each step.
#include <array>
#include <cmath>

#include "lab/experiments/experiment.hpp"
#include "lab/experiments/side_by_side.hpp"
#include "lab/page/ladder_page.hpp"
#include "lab/page/sentence_figures.hpp"

namespace warpwright::lab::pages {
namespace {

using record::Basis;
using record::Record;
using record::Scalar;

/// The text's table, and which rung of ours makes the same step.
struct Quoted {
    const char* key;
    const char* rung;
    double microseconds, gigabytes, speedup;
};
constexpr std::array<Quoted, 6> kQuoted{{{"baseline", "interleaved_modulo", 3118.4, 42.503, 1},
                                         {"strided", "strided", 1904.4, 73.522, 1.64},
                                         {"conflicts", "sequential", 1475.2, 97.536, 2.29},
                                         {"idle", "first_add", 758.38, 189.78, 4.11},
                                         {"last_warp", "last_warp", 484.01, 287.25, 6.44},
                                         {"unrolled", "unrolled", 477.23, 291.77, 6.53}}};

/// Active lanes per instruction, of the warp's.
double lanes(const record::Counts& c) {
    const double warps = static_cast<double>(c[record::Count::instructions]);
    return warps > 0 ? static_cast<double>(c[record::Count::thread_instructions]) / warps : 0;
}

record::Table text_table(const LadderRun& run, const ProblemView& problem) {
    const Basis own = run.real ? Basis::measured : Basis::predicted;
    record::Table t{"text",
                    message("reduce.table.text", {{"problem", problem.text()}}),
                    {{message("reduce.column.step")},
                     {message("reduce.column.text_time"), "s", Basis::quoted},
                     {message("reduce.column.text_rate"), "B/s", Basis::quoted},
                     {message("reduce.column.text_speedup"), "", Basis::quoted},
                     {message("ladder.column.rung")},
                     {message("reduce.column.time"), "s", own},
                     {message("reduce.column.rate"), "B/s", own},
                     {message("reduce.column.speedup"), "", own}},
                    {},
                    message("reduce.caption.text")};
    const Record* first = nullptr;
    for (const Quoted& q : kQuoted) {
        const Record* r = find_record(problem, q.rung);
        if (!first) first = r;
        const Scalar none;
        t.rows.push_back({message(std::string("reduce.step.") + q.key), q.microseconds / 1e6, q.gigabytes * 1e9,
                          q.speedup, q.rung, r ? Scalar{seconds_of(*r)->value} : none,
                          r && r->bytes ? Scalar{*r->bytes / seconds_of(*r)->value} : none,
                          r && first ? Scalar{seconds_of(*first)->value / seconds_of(*r)->value} : none});
    }
    return t;
}

/// Steps whose speed-up over the first one is not the text's, with both.
void compare_speedups(record::Page& page, const ProblemView& problem) {
    constexpr double kAway = 1.25;
    const Record* first = find_record(problem, kQuoted[0].rung);
    if (!first) return;
    Text list;
    std::int64_t away = 0;
    for (const Quoted& q : kQuoted) {
        const Record* r = find_record(problem, q.rung);
        const auto speedup = r && r != first ? times_faster(*first, *r) : std::nullopt;
        if (!speedup || std::max(*speedup / q.speedup, q.speedup / *speedup) <= kAway) continue;
        ++away;
        list += (list.empty() ? "" : ", ") + message("reduce.conclusion.speedup", {{"rung", std::string(q.rung)},
                                                                                   {"factor", times_text(*speedup)},
                                                                                   {"text", times_text(q.speedup)}});
    }
    if (away > 0) page.conclusions.push_back(message("reduce.conclusion.speedups_differ", {{"list", list}}));
}

/// The counts of each rung, as they are: what the steps do to them can be read down the columns.
record::Table count_table(const LadderRun& run, const ProblemView& problem) {
    using record::Count;
    record::Table t{"counts",
                    message("reduce.table.counts", {{"problem", problem.text()}}),
                    {{message("ladder.column.rung")},
                     {"`instructions`", "", Basis::counted, 3, true},
                     {message("reduce.column.lanes"), "", Basis::counted, 3, true},
                     {"`divergent_branches`", "", Basis::counted, 3, true},
                     {"`barriers`", "", Basis::counted, 3, true},
                     {"`global_load_requests`", "", Basis::counted, 3, true},
                     {message("reduce.column.shared"), "", Basis::counted, 3, true},
                     {message("reduce.column.conflicts"), "", Basis::counted, 3, true}},
                    {},
                    message("reduce.caption.counts")};
    for (const Record* r : best_variants(problem)) {
        if (!is_kernel(*r) || !r->counts) continue;
        const record::Counts& c = *r->counts;
        const auto count = [&](std::initializer_list<Count> list) {
            std::int64_t sum = 0;
            for (Count one : list) sum += static_cast<std::int64_t>(c[one]);
            return sum;
        };
        t.rows.push_back({label_of(run, *r), count({Count::instructions}), lanes(c), count({Count::divergent_branches}),
                          count({Count::barriers}), count({Count::global_load_requests}),
                          count({Count::shared_load_wavefronts, Count::shared_store_wavefronts}),
                          count({Count::shared_load_bank_conflicts, Count::shared_store_bank_conflicts})});
    }
    return t;
}

/// What the text's bandwidths make of its times: 2^25 values of 4 bytes. It does not name its device.
constexpr std::int64_t kTextSize = std::int64_t{1} << 25;

/// The models that could be the text's device.
std::vector<arch::DeviceModel> candidates() {
    std::vector<arch::DeviceModel> out;
    for (const std::string& name : arch::list_models())
        if (auto model = arch::load_model(name); model && model->limits.warp == 32) out.push_back(std::move(*model));
    return out;
}

/// The six steps on each model: the model whose times are nearest to the text's, by the mean square of the logarithms
/// of their ratios, and its figures.
struct Fit {
    arch::DeviceModel model;
    std::vector<TextFigure> figures;
};
Result<Fit> best_fit(OtherDevices& devices) {
    const std::vector<arch::DeviceModel> models = candidates();
    std::vector<Fit> fits(models.size());
    std::vector<double> away(models.size());
    for (const Quoted& q : kQuoted) {
        Axes axes{{"T", {"int32"}}, {"OP", {"sum"}}};
        if (std::string_view(q.rung) == "unrolled") axes["BLOCK"] = {"256"};
        auto seconds = devices.seconds({"reduce", q.rung, axes, {kTextSize}}, models);
        if (!seconds) return std::move(seconds).error();
        for (std::size_t k = 0; k < models.size(); ++k) {
            fits[k].model = models[k];
            fits[k].figures.push_back(
                {message(std::string("reduce.step.") + q.key), q.microseconds / 1e6, (*seconds)[k], 0});
            const double ratio = std::log((*seconds)[k] * 1e6 / q.microseconds);
            away[k] += ratio * ratio;
        }
    }
    const auto best = std::min_element(away.begin(), away.end());
    if (best == away.end()) return Error{ErrorKind::input, "there is no device model", {}, ""};
    return fits[static_cast<std::size_t>(best - away.begin())];
}

/// Such devices take these steps so (nvcc 13, events, best of nine, 2^22 values as in the walk's program):
/// microseconds.
constexpr std::int64_t kMeasuredSize = std::int64_t{1} << 22;
struct Measured {
    const char* model;
    std::array<double, 6> microseconds;
};
constexpr std::array<Measured, 2> kMeasured{
    {{"h100", {51, 29.7, 23.0, 14.7, 12.3, 11.9}}, {"h200", {50.8, 29.6, 22.6, 15.1, 12.1, 11.6}}}};

/// Speed-ups of the text's steps over its first one: the text's, those of devices of today, and ours for these.
Result<record::Table> measured_table(OtherDevices& devices) {
    record::Table t{"measured-steps",
                    message("reduce.table.measured"),
                    {{message("reduce.column.step")}, {message("reduce.column.text_speedup"), "", Basis::quoted}},
                    {},
                    message("reduce.caption.measured")};
    std::vector<arch::DeviceModel> models;
    for (const Measured& m : kMeasured) {
        auto model = arch::load_model(m.model);
        if (!model) return std::move(model).error();
        t.columns.push_back({message("reduce.column.measured_on", {{"device", model->name}}), "s", Basis::measured});
        t.columns.push_back({message("reduce.column.speedup_on", {{"device", model->name}}), "", Basis::measured});
        t.columns.push_back({message("reduce.column.predicted_on", {{"device", model->name}}), "", Basis::predicted});
        models.push_back(std::move(*model));
    }
    std::vector<double> first;
    for (std::size_t k = 0; k < kQuoted.size(); ++k) {
        Axes axes{{"T", {"int32"}}, {"OP", {"sum"}}};
        if (std::string_view(kQuoted[k].rung) == "unrolled") axes["BLOCK"] = {"256"};
        auto seconds = devices.seconds({"reduce", kQuoted[k].rung, axes, {kMeasuredSize}, true}, models);
        if (!seconds) return std::move(seconds).error();
        if (k == 0) first = *seconds;
        auto& row = t.rows.emplace_back();
        row = {message(std::string("reduce.step.") + kQuoted[k].key), kQuoted[k].speedup};
        for (std::size_t m = 0; m < kMeasured.size(); ++m) {
            const auto& us = kMeasured[m].microseconds;
            row.insert(row.end(), {us[k] / 1e6, us[0] / us[k], first[m] / (*seconds)[m]});
        }
    }
    return t;
}

/// The text's six steps beside those of the device model that comes nearest to them.
void add_beside(record::Page& page, record::Section& section, const Context& context) {
    auto devices = OtherDevices::of(context);
    if (!devices) return;
    if (auto measured = measured_table(*devices)) add(section, std::move(*measured));
    BesideText beside;
    auto fit = best_fit(*devices);
    if (fit) {
        page.conclusions.push_back(message("reduce.conclusion.fits", {{"device", fit->model.title}}));
        beside.add("text-predicted", fit->model.title, fit->figures, "s", "beside.caption", &fit->model);
    } else {
        beside.add("text-predicted", message("reduce.text_device"), fit.error());
    }
    for (record::Table& t : beside.tables) add(section, std::move(t));
    page.conclusions.insert(page.conclusions.end(), beside.conclusions.begin(), beside.conclusions.end());
}

}  // namespace

Result<record::Page> reduce(const Context& context, const Choices& given) {
    Choices choices = given;
    choices.axes.emplace("T", std::vector<std::string>{"int32"});
    choices.axes.emplace("OP", std::vector<std::string>{"sum"});
    if (choices.sizes.empty()) {
        if (context.real())
            choices.sizes = {{1 << 16}, {1 << 20}, {1 << 22}, {1 << 25}};
        else if (choices.quick)
            choices.sizes = {{1 << 16}, {1 << 20}};
        else
            choices.sizes = {{1 << 16}, {1 << 20}, {1 << 23}};
    }
    auto run = run_for_page(context, "reduce", choices);
    if (!run) return std::move(run).error();
    auto counts = counted_run(context, "reduce", choices);
    if (!counts) return std::move(counts).error();
    const LadderRun& counted = *counts ? **counts : *run;
    record::Page page = ladder_page(*run, "reduce", *counts ? &**counts : nullptr);
    page.title = message("reduce.title");
    page.purpose = message("reduce.purpose");
    page.task = message("reduce.task");
    page.sources = {"001", "000"};
    const std::vector<ProblemView> problems = problems_of(*run);
    if (problems.empty()) return page;
    const ProblemView& last = problems.back();

    record::Section section{message("reduce.heading.text"), {}};
    add(section, text_table(*run, last));
    compare_speedups(page, last);
    add_beside(page, section, context);
    const std::vector<ProblemView> counted_problems = problems_of(counted);
    if (!counted_problems.empty()) add(section, count_table(counted, counted_problems.back()));
    page.sections.insert(page.sections.begin(), std::move(section));

    // What the three steps of the text rest on, said with the counts of this run.
    const auto explain = [&](const char* key, const char* before, const char* after, auto figure) {
        if (counted_problems.empty()) return;
        const Record *a = find_record(counted_problems.back(), before),
                     *b = find_record(counted_problems.back(), after);
        if (!a || !b || !a->counts || !b->counts) return;
        page.conclusions.push_back(
            message(std::string("reduce.conclusion.") + key,
                    {{"before", figure(*a->counts)}, {"after", figure(*b->counts)}, {"rung", std::string(after)}}));
    };
    using record::Count;
    const auto count = [](Count c) { return [c](const record::Counts& counts) { return count_text(counts[c]); }; };
    explain("divergence", "interleaved_modulo", "strided", count(Count::divergent_branches));
    explain("conflicts", "strided", "sequential", [](const record::Counts& c) {
        return count_text(c[Count::shared_load_bank_conflicts] + c[Count::shared_store_bank_conflicts]);
    });
    explain("idle", "sequential", "first_add", count(Count::barriers));
    explain("last_warp", "first_add", "last_warp", count(Count::barriers));
    explain("unrolled", "last_warp", "unrolled", count(Count::instructions));
    explain("grid_stride", "unrolled", "grid_stride", count(Count::instructions));
    page.corrections = {message("reduce.correction.stride"), message("reduce.correction.lockstep"),
                        message("reduce.correction.speedup")};
    return page;
}

}  // namespace warpwright::lab::pages
