// A student's laboratory work (002): four ways to multiply square matrices by block size, unrolling and launch
// configuration, laid out as its report.
#include <algorithm>
#include <array>
#include <cmath>

#include "lab/experiments/accesses.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/experiments/workbench.hpp"
#include "lab/page/apart.hpp"
#include "lab/page/ladder_page.hpp"
#include "lab/page/sentence_figures.hpp"
#include "predict/prediction.hpp"

namespace warpwright::lab::pages {
namespace {

using record::Basis;
using record::Plot;
using record::Record;
using record::Scalar;
using record::Series;

/// A way to multiply: its rungs by block size and by unrolling.
struct Way {
    const char* rung;
    const char* axis;
    const char* unrolled;  ///< null: none
};
constexpr std::array<Way, 5> kWays{{{"naive", "S", "naive_unrolled"},
                                    {"naive_swapped", "S", nullptr},
                                    {"row_buffer", "THREADS", "row_buffer_unrolled"},
                                    {"column_buffer", "THREADS", "column_buffer_unrolled"},
                                    {"blocks", "S", "blocks_unrolled"}}};
constexpr std::array<const char*, 4> kBuffers{"row_buffer", "row_buffer_parts", "column_buffer", "column_buffer_parts"};

/// FLOP/s of 2 N^3 operations, or seconds.
double figure(const Record& r, bool rate) { return rate ? *r.flops / seconds_of(r)->value : seconds_of(r)->value; }

Basis basis_of(const LadderRun& run) { return run.real ? Basis::measured : Basis::predicted; }

/// A rung over one of its axes.
Series by_axis(const LadderRun& run, const ProblemView& problem, Text name, std::string_view rung,
               std::string_view axis, bool rate) {
    Series s{std::move(name), {}, {}, {}, basis_of(run)};
    for (const Record* r : problem.records) {
        const auto x = axis_of(*r, axis);
        if (r->rung != rung || !x || !seconds_of(*r) || r->error) continue;
        s.x.push_back(*x);
        s.y.push_back(figure(*r, rate));
    }
    return s;
}

Plot plot_of(std::string id, Text title, std::string x, bool rate) {
    return {std::move(id) + (rate ? "-rate" : "-time"),
            std::move(title),
            Plot::Kind::line,
            std::move(x),
            message(rate ? "multiply.axis.rate" : "multiply.axis.time"),
            true,
            true,
            {},
            {},
            {},
            {},
            rate ? "FLOP/s" : "s"};
}

/// One way over its block sizes, a line for each size of matrix.
void add_block_plots(record::Section& section, const LadderRun& run, std::span<const ProblemView> problems,
                     const Way& way) {
    for (bool rate : {false, true}) {
        Plot plot = plot_of(
            std::string("block-") + way.rung,
            message(rate ? "multiply.plot.block_rate" : "multiply.plot.block_time", {{"rung", std::string(way.rung)}}),
            way.axis, rate);
        for (const ProblemView& p : problems) plot.series.push_back(by_axis(run, p, p.size, way.rung, way.axis, rate));
        add(section, std::move(plot));
    }
}

/// Time, rate and speed-up of all variants at one size.
record::Table result_table(const LadderRun& run, const ProblemView& problem, std::string id, bool unrolled) {
    const Basis own = basis_of(run);
    record::Table t{std::move(id),
                    message(unrolled ? "multiply.table.unroll" : "multiply.table.block", {{"problem", problem.size}}),
                    {{message("ladder.column.rung")},
                     {message("ladder.column.variant")},
                     {message("multiply.column.grid")},
                     {message("multiply.column.threads"), "", Basis::computed},
                     {message("multiply.column.time"), "s", own},
                     {message("multiply.column.rate"), "FLOP/s", own, 3, true}},
                    {},
                    message("multiply.caption." + times_word(run), {{"model", run.model.title}})};
    const Record *serial = cpu_record(problem, "cpu_serial"), *cores = cpu_record(problem, "cpu_openmp");
    if (run.real) {  // the least time of a model over a measured one is no speed-up
        t.columns.push_back({message("multiply.column.over_cpu"), "", own});
        t.columns.push_back({message("multiply.column.over_cores"), "", own});
    }
    for (const Record* r : problem.records) {
        if (!is_kernel(*r) || !seconds_of(*r) || r->error || r->rung.ends_with("_unrolled") != unrolled) continue;
        const double seconds = seconds_of(*r)->value;
        const auto over = [&](const Record* cpu) { return cpu ? Scalar{seconds_of(*cpu)->value / seconds} : Scalar{}; };
        std::string grid;
        if (r->grid) grid = std::to_string(r->grid->x) + " x " + std::to_string(r->grid->y);
        t.rows.push_back({r->rung, variant_of(run, *r), grid,
                          r->block ? Scalar{static_cast<std::int64_t>(r->block->count())} : Scalar{}, seconds,
                          figure(*r, true)});
        if (run.real) t.rows.back().insert(t.rows.back().end(), {over(serial), over(cores)});
    }
    return t;
}

record::Table cpu_table(const LadderRun& run, std::span<const ProblemView> problems) {
    record::Table t{"cpu",
                    message("multiply.table.cpu"),
                    {{"N"},
                     {message("ladder.column.rung")},
                     {message("multiply.column.time"), "s", Basis::measured},
                     {message("multiply.column.rate"), "FLOP/s", Basis::measured}},
                    {}};
    (void)run;
    for (const ProblemView& p : problems)
        for (const Record* r : p.records)
            if (r->device == "cpu" && seconds_of(*r))
                t.rows.push_back(
                    {static_cast<std::int64_t>(p.extent), r->rung, seconds_of(*r)->value, figure(*r, true)});
    return t;
}

/// Each way's results against the reference, over all of its variants and sizes.
record::Table check_table(const LadderRun& run, std::int64_t& variants, std::int64_t& wrong, std::int64_t& errors,
                          double& largest) {
    record::Table t{"check",
                    message("multiply.table.check"),
                    {{message("ladder.column.rung")},
                     {message("multiply.column.results"), "", Basis::counted},
                     {message("multiply.column.agree"), "", Basis::counted},
                     {message("multiply.column.difference"), "", Basis::counted},
                     {message("multiply.column.errors"), "", Basis::counted}},
                    {},
                    message("multiply.caption.check")};
    for (const ladder::Rung& rung : run.ladder.rungs) {
        std::int64_t all = 0, agree = 0, failed = 0;
        double difference = 0;
        for (const Record& r : run.set.records) {
            if (r.rung != rung.name || r.left_out) continue;
            ++all;
            failed += r.error.has_value();
            agree += !r.error && r.verified == true;
            if (r.verification) difference = std::max(difference, r.verification->max_absolute_error);
        }
        if (all == 0) continue;
        t.rows.push_back({rung.name, all, agree, difference, failed});
        variants += all;
        wrong += all - agree - failed;
        errors += failed;
        largest = std::max(largest, difference);
    }
    return t;
}

std::vector<AccessFormula> formulas() {
    const auto parts = [](double n, const Record& r) { return std::ceil(n / axis_of(r, "THREADS").value_or(256)); };
    const auto one = [](double n, const Record&) { return n * n * n + n * n; };
    const auto several = [=](double n, const Record& r) { return n * n * n + n * n * parts(n, r); };
    const auto naive = [](double n, const Record&) { return 2 * n * n * n; };
    const auto blocks = [](double n, const Record& r) {
        return 2 * n * n * std::ceil(n / axis_of(r, "S").value_or(16));
    };
    return {{"naive", "2 N^3", naive},           {"naive_swapped", "2 N^3", naive},
            {"row_buffer", "N^3 + N^2", one},    {"row_buffer_parts", "N^3 + N^2 N / T", several},
            {"column_buffer", "N^3 + N^2", one}, {"column_buffer_parts", "N^3 + N^2 N / T", several},
            {"blocks", "2 N^3 / S", blocks}};
}

/// What a way's block sizes and unrolling are worth.
void conclude_way(record::Page& page, const LadderRun& run, const ProblemView& problem, const Way& way,
                  const Record& best) {
    const Record *fast = nullptr, *slow = nullptr;
    for (const Record* r : problem.records) {
        if (r->rung != way.rung || !seconds_of(*r) || !is_right(*r)) continue;
        if (!seconds_of(*r)->like(*seconds_of(best))) continue;
        if (!fast || seconds_of(*r)->value < seconds_of(*fast)->value) fast = r;
        if (!slow || seconds_of(*r)->value > seconds_of(*slow)->value) slow = r;
    }
    if (!fast || fast == slow) return;
    const double factor = seconds_of(*slow)->value / seconds_of(*fast)->value;
    const auto untold = [&](const Record& a, const Record& b) { return !seconds_of(a)->bound && cannot_tell(a, b); };
    page.conclusions.push_back(message(factor < 1.05          ? "multiply.conclusion.block_same"
                                       : untold(*slow, *fast) ? "multiply.conclusion.block_untold"
                                                              : "multiply.conclusion.block",
                                       {{"rung", std::string(way.rung)},
                                        {"axis", std::string(way.axis)},
                                        {"best", variant_of(run, *fast)},
                                        {"worst", variant_of(run, *slow)},
                                        {"factor", times_text(factor)}}));
    if (!way.unrolled) return;
    const Record* one = find_record(problem, way.unrolled, "UNROLL", 1);
    const Record* most = find_record(problem, way.unrolled);
    if (!one || !most || !times_faster(*one, *most)) return;
    const double gain = *times_faster(*one, *most);
    page.conclusions.push_back(message(gain < 1.02           ? "multiply.conclusion.unroll_none"
                                       : untold(*one, *most) ? "multiply.conclusion.unroll_untold"
                                                             : "multiply.conclusion.unroll",
                                       {{"rung", std::string(way.rung)},
                                        {"unroll", static_cast<std::int64_t>(axis_of(*most, "UNROLL").value_or(1))},
                                        {"factor", times_text(gain)}}));
}

void recommend_multiply(record::Page& page, const LadderRun& run, const ProblemView& problem, const Record& best) {
    if (const Decision decision = decides(run, problem, best); decision != Decision::measured) {
        page.recommendations.push_back(recommendation(run, problem, best));
        if (const Text note = size_note(problem, best); !note.empty()) page.recommendations.push_back(note);
        if (decision != Decision::predicted) return;
    } else {
        page.recommendations.push_back(
            message("multiply.recommend.best", {{"rung", label_of(run, best)}, {"problem", problem.size}}));
    }
    const Record* naive = find_record(problem, "naive");
    if (best.rung.starts_with("naive"))
        page.recommendations.push_back(message("multiply.recommend.cache"));
    else if (naive && seconds_of(*naive)->like(*seconds_of(best)))
        page.recommendations.push_back(
            message("multiply.recommend.memory",
                    {{"factor", times_text(seconds_of(*naive)->value / seconds_of(best)->value)}}));
}

/// Sentences about the largest size.
void conclude_multiply(record::Page& page, const LadderRun& run, const ProblemView& problem) {
    const Record* best = best_kernel(problem);
    if (!best) return;
    const std::string kind = seconds_of(*best)->word();
    const double time = seconds_of(*best)->value;
    page.conclusions.push_back(
        message("multiply.conclusion.best_" + kind, {{"rung", label_of(run, *best)},
                                                     {"problem", problem.size},
                                                     {"time", seconds_text(time)},
                                                     {"rate", rate_text(figure(*best, true), "FLOP/s")}}));
    if (const Record* cpu = cpu_record(problem, "cpu_serial"))
        page.conclusions.push_back(message(
            "multiply.conclusion.cpu_" + kind,
            {{"factor", times_text(seconds_of(*cpu)->value / time)}, {"cpu", seconds_text(seconds_of(*cpu)->value)}}));
    for (const Way& way : kWays) conclude_way(page, run, problem, way, *best);
    const Record *row = find_record(problem, "row_buffer"), *column = find_record(problem, "column_buffer");
    const auto factor = row && column ? times_faster(*column, *row) : std::nullopt;
    if (factor && (seconds_of(*row)->bound || !cannot_tell(*row, *column)))
        // That lanes are a row apart explains a longer time, and no shorter one.
        page.conclusions.push_back(
            message(*factor > 1 ? "multiply.conclusion.buffers" : "multiply.conclusion.buffers_less",
                    {{"factor", times_text(*factor)}}));
    recommend_multiply(page, run, problem, *best);
}

/// Unrolling and the number of threads against time and rate, at the largest size.
void add_axis_plots(record::Section& unrolling, record::Section& launches, const LadderRun& run,
                    const ProblemView& last) {
    for (bool rate : {false, true}) {
        Plot unroll =
            plot_of("unroll",
                    message(rate ? "multiply.plot.unroll_rate" : "multiply.plot.unroll_time", {{"problem", last.size}}),
                    "UNROLL", rate);
        for (const Way& way : kWays)
            if (way.unrolled) unroll.series.push_back(by_axis(run, last, way.rung, way.unrolled, "UNROLL", rate));
        add(unrolling, std::move(unroll));
        Plot launch =
            plot_of("launch",
                    message(rate ? "multiply.plot.launch_rate" : "multiply.plot.launch_time", {{"problem", last.size}}),
                    "THREADS", rate);
        for (const char* rung : kBuffers) launch.series.push_back(by_axis(run, last, rung, rung, "THREADS", rate));
        add(launches, std::move(launch));
    }
}

/// The text's sizes, and fewer values of the axes where the run is to be quick.
Choices multiply_choices(const Context& context, Choices choices) {
    if (choices.sizes.empty()) {
        if (context.real())
            choices.sizes = {{512}, {1024}, {2048}};
        else if (choices.quick)  // the larger one fills a device
            choices.sizes = {{256}, {512}};
        else
            choices.sizes = {{128}, {256}, {512}};
    }
    if (choices.quick) {
        choices.axes.emplace("S", std::vector<std::string>{"8", "16", "32"});
        choices.axes.emplace("THREADS", std::vector<std::string>{"64", "256", "1024"});
    }
    return choices;
}

/// The device and the host on which the work was done.
record::Table equipment(const Context& context) {
    const arch::DeviceModel& m = context.model;
    const record::Environment here = environment(context);
    record::Table t{"equipment",
                    message("multiply.table.equipment"),
                    {{message("multiply.column.property")}, {message("multiply.column.value")}},
                    {}};
    const auto row = [&](const char* name, Text value) {
        t.rows.push_back({message(std::string("multiply.equipment.") + name), std::move(value)});
    };
    row("device", here.device_name.empty() ? m.title : here.device_name);
    row("times", message(std::string("multiply.times.") + (context.real() ? "measured" : "predicted")));
    if (m.compute_capability)
        row("capability", std::to_string(m.compute_capability / 10) + "." + std::to_string(m.compute_capability % 10));
    row("multiprocessors", std::to_string(m.sm.multiprocessors));
    row("rate", rate_text(m.flops_f32(), "FLOP/s"));
    row("bandwidth", rate_text(m.dram_bandwidth(), "B/s"));
    row("shared", bytes_text(m.limits.shared_per_block));
    row("threads", std::to_string(m.limits.threads_per_block));
    row("host", here.cpu);
    row("cores", std::to_string(here.host_threads));
    return t;
}

/// The lines of a title page, with room for names.
std::vector<Text> title_page(const Context& context) {
    return {message("multiply.front.work"), message("multiply.front.course"), message("multiply.front.student"),
            message("multiply.front.teacher"),
            message("multiply.front.date", {{"date", record::readable_date(environment(context).date)}})};
}

/// Predicted times this much above the bound are not explained by what sets the bound.
constexpr double kMostlyWaits = 2;

/// What limits a kernel: the unit that its counts load most, or what its warps wait for where the predicted time is far
/// above the bound.
Text limit_of(const LadderRun& run, const Record& r) {
    const Text resource = name_text(r.bound->binds);
    std::pair<std::string, double> most;
    if (r.predicted && r.predicted->seconds >= kMostlyWaits * r.bound->seconds)
        for (const auto& [name, cycles] : r.predicted->stalls)
            if (name != "selected" && name != "not_selected" && cycles > most.second) most = {name, cycles};
    if (most.first.empty())
        return message("multiply.answer.limit", {{"rung", label_of(run, r)}, {"resource", resource}});
    return message("multiply.answer.limit_waits",
                   {{"rung", label_of(run, r)},
                    {"factor", times_text(r.predicted->seconds / r.bound->seconds)},
                    {"resource", resource},
                    {"stall", most.first},
                    {"meaning", message_or("stall." + most.first, predict::stall_meaning(most.first))}});
}

/// The text's control questions; what depends on figures is answered with those of this run.
std::vector<record::Question> control_questions(const LadderRun& run, const ProblemView& problem) {
    std::vector<record::Question> out;
    for (const char* key : {"purpose", "programming", "product"})
        out.push_back(
            {message(std::string("multiply.question.") + key), message(std::string("multiply.answer.") + key)});
    Text limits;
    for (const Way& way : kWays)
        if (const Record* r = find_record(problem, way.rung); r && r->bound && !r->bound->binds.empty())
            limits += (limits.empty() ? "" : message("ladder.and")) + limit_of(run, *r);
    if (const Record* best = best_kernel(problem); best && !limits.empty())
        out.push_back({message("multiply.question.limits"), message("multiply.answer.limits", {{"limits", limits}}) +
                                                                " " + recommendation(run, problem, *best)});
    out.push_back({message("multiply.question.memory"), message("multiply.answer.memory")});
    return out;
}

/// What all variants found: whether they agree with the reference.
struct Checked {
    std::int64_t variants = 0, wrong = 0, errors = 0;
    double largest = 0;
};

void conclude_checks(record::Page& page, const Checked& checked, const Agreement& agreement) {
    const auto [variants, wrong, errors, largest] = checked;
    if (wrong + errors == 0 && variants > 0)
        page.conclusions.push_back(
            message("multiply.conclusion.agree", {{"variants", variants}, {"difference", number_text(largest)}}));
    else
        page.problems.push_back(
            message("multiply.problem.disagree", {{"variants", variants}, {"wrong", wrong}, {"errors", errors}}));
    if (agreement.all > 0)
        page.conclusions.push_back(
            message(agreement.exact == agreement.all ? "multiply.conclusion.exact" : "multiply.conclusion.inexact",
                    {{"exact", std::int64_t{agreement.exact}}, {"all", std::int64_t{agreement.all}}}));
}

}  // namespace

Result<record::Page> multiply(const Context& context, const Choices& given) {
    const Choices choices = multiply_choices(context, given);
    auto run = run_for_page(context, "multiply", choices);
    if (!run) return std::move(run).error();
    const std::vector<ProblemView> problems = problems_of(*run);

    record::Page page;
    page.id = "multiply";
    page.title = message("multiply.title");
    page.purpose = message("multiply.purpose");
    page.task = message("multiply.task");
    page.sources = {"002"};
    page.front = title_page(context);
    page.sections.push_back({message("multiply.heading.equipment"), {equipment(context)}});
    page.sections.push_back(listing_section(*run));
    page.sections.back().heading = message("multiply.heading.listings");
    if (auto host = kernel_file("multiply/host.cu"))
        page.sections.back().blocks.emplace_back(
            source_listing(*host, message("multiply.listing.host"), "source-host"));

    record::Section results{message("multiply.heading.results"), {}};
    add(results, cpu_table(*run, problems));
    add_cpu_rows(results, *run);
    for (std::size_t i = 0; i < problems.size(); ++i) {
        add(results, result_table(*run, problems[i], "results-" + std::to_string(i + 1), false));
        if (i + 1 == problems.size()) add(results, result_table(*run, problems[i], "unrolled", true));
    }
    record::Section check{message("multiply.heading.check"), {}};
    Checked checked;
    add(check, check_table(*run, checked.variants, checked.wrong, checked.errors, checked.largest));

    record::Section blocks{message("multiply.heading.blocks"), {}},
        unrolling{message("multiply.heading.unrolling"), {}}, launches{message("multiply.heading.launches"), {}};
    for (const Way& way : kWays) add_block_plots(blocks, *run, problems, way);
    if (!problems.empty()) add_axis_plots(unrolling, launches, *run, problems.back());

    record::Section accesses{message("multiply.heading.accesses"),
                             {record::Paragraph{message("multiply.text.accesses")}}};
    LadderRun counted = *run;
    if (context.real()) {
        auto counts = counted_run(context, "multiply", choices);
        if (!counts) return std::move(counts).error();
        counted = std::move(**counts);
    }
    add(accesses, access_table(counted, formulas(), "accesses"));
    const Agreement agreement = agreement_of(counted, formulas());

    for (record::Section* section : {&results, &check, &blocks, &unrolling, &launches, &accesses})
        if (!section->blocks.empty()) page.sections.push_back(std::move(*section));
    if (!problems.empty()) {
        conclude_multiply(page, *run, problems.back());
        page.questions = control_questions(*run, problems.back());
    }
    conclude_checks(page, checked, agreement);
    page.corrections = {message("multiply.correction.blocks"), message("multiply.correction.shared"),
                        message("multiply.correction.threads")};
    tell_problems(page, *run);
    page.repeat = run->repeat;
    page.records = page_records(*run);
    return page;
}

}  // namespace warpwright::lab::pages
