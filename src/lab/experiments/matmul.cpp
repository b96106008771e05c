// The product of matrices as the texts measure it: GPU against CPU by size, naive against tiled against unrolled,
// arithmetic intensity and use of the peak, accesses to global memory against the formulas; then the whole ladder.
#include <algorithm>
#include <array>
#include <set>

#include "lab/experiments/accesses.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/experiments/side_by_side.hpp"
#include "lab/page/apart.hpp"
#include "lab/page/ladder_page.hpp"
#include "lab/page/page_parts.hpp"
#include "lab/page/sentence_figures.hpp"
#include "ladder/find.hpp"

namespace warpwright::lab::pages {
namespace {

using record::Basis;
using record::Record;
using record::Scalar;

constexpr double kTile = 16;    // the texts' own
constexpr double kUnroll = 16;  // the whole inner loop of such a tile

constexpr std::int64_t kGtx780Size = 2048;  // the text's time on a larger GPU
constexpr double kGtx780Seconds = 112.7e-3;

/// The texts' figures (000), of a GeForce GT 640 and a CPU of its day; milliseconds.
struct Quoted {
    int n;
    double gpu, cpu, tiled, unrolled;
};
constexpr std::array<Quoted, 4> kQuoted{{{512, 18.5, 181.6, 7, 5.5},
                                         {1024, 141, 6817, 50.7, 39.1},
                                         {1536, 470.7, 23863, 172.3, 131.9},
                                         {2048, 1112, 67797, 394.6, 303.3}}};

Scalar seconds(const Record* r) { return r ? Scalar{seconds_of(*r)->value} : Scalar{}; }
Scalar rate(const Record* r) { return r ? Scalar{*r->flops / seconds_of(*r)->value} : Scalar{}; }
Scalar over(const Record* slow, const Record* fast) {
    const auto factor = slow && fast ? times_faster(*slow, *fast) : std::nullopt;
    return factor ? Scalar{*factor} : Scalar{};
}

record::Table quoted_cpu() {
    record::Table t{"text-cpu",
                    message("matmul.table.text_cpu"),
                    {{"N"},
                     {message("matmul.column.gpu_time"), "s", Basis::quoted},
                     {message("matmul.column.cpu_time"), "s", Basis::quoted},
                     {message("matmul.column.gpu_rate"), "FLOP/s", Basis::computed},
                     {message("matmul.column.cpu_rate"), "FLOP/s", Basis::computed},
                     {message("matmul.column.speedup"), "", Basis::computed}},
                    {},
                    message("matmul.caption.text_cpu")};
    for (const Quoted& q : kQuoted) {
        const double flops = 2.0 * q.n * q.n * q.n;
        t.rows.push_back(
            {std::int64_t{q.n}, q.gpu / 1e3, q.cpu / 1e3, flops / (q.gpu / 1e3), flops / (q.cpu / 1e3), q.cpu / q.gpu});
    }
    return t;
}

/// The text's remark on a larger GPU: one time, the rate that follows, and the share of that device's peak.
record::Table quoted_gtx780(const arch::DeviceModel& gtx780) {
    constexpr double kN = kGtx780Size;
    const double rate = 2 * kN * kN * kN / kGtx780Seconds;
    return {"text-gtx780",
            message("matmul.table.text_gtx780"),
            {{message("matmul.column.device")},
             {"N"},
             {message("matmul.column.gpu_time"), "s", Basis::quoted, 4},
             {message("matmul.column.gpu_rate"), "FLOP/s", Basis::computed, 4},
             {message("matmul.column.peak"), "FLOP/s", Basis::quoted},
             {message("matmul.column.peak_share"), "%", Basis::computed, 2}},
            {{gtx780.title, kGtx780Size, kGtx780Seconds, rate, gtx780.flops_f32(), 100 * rate / gtx780.flops_f32()}},
            message("matmul.caption.text_gtx780")};
}

record::Table quoted_tiles() {
    record::Table t{"text-tiles",
                    message("matmul.table.text_tiles"),
                    {{"N"},
                     {message("matmul.column.naive"), "s", Basis::quoted},
                     {message("matmul.column.tiled"), "s", Basis::quoted},
                     {message("matmul.column.over_naive"), "", Basis::computed},
                     {message("matmul.column.unrolled"), "s", Basis::quoted},
                     {message("matmul.column.over_tiled"), "", Basis::computed}},
                    {}};
    for (const Quoted& q : kQuoted)
        t.rows.push_back(
            {std::int64_t{q.n}, q.gpu / 1e3, q.tiled / 1e3, q.gpu / q.tiled, q.unrolled / 1e3, q.tiled / q.unrolled});
    return t;
}

/// The three kernels of the text in a problem, and the CPU.
struct Row {
    double n = 0;
    const Record *cpu = nullptr, *naive = nullptr, *tiled = nullptr, *unrolled = nullptr;
};

std::vector<Row> rows_of(const std::vector<ProblemView>& problems) {
    std::vector<Row> out;
    for (const ProblemView& p : problems)
        out.push_back({p.extent, cpu_record(p, "cpu_serial"), find_record(p, "naive"),
                       find_record(p, "tiled_unrolled", "UNROLL", 1),
                       find_record(p, "tiled_unrolled", "UNROLL", kUnroll)});
    return out;
}

std::vector<AccessFormula> formulas() {
    const auto cube = [](double n) { return n * n * n; };
    const auto tile = [](const Record& r) { return axis_of(r, "TILE").value_or(kTile); };
    return {{"naive", "2 N^3", [=](double n, const Record&) { return 2 * cube(n); }},
            {"row_buffer", "N^3 + N^2", [=](double n, const Record&) { return cube(n) + n * n; }},
            {"column_buffer", "N^3 + N^2", [=](double n, const Record&) { return cube(n) + n * n; }},
            {"tiled", "2 N^3 / T", [=](double n, const Record& r) { return 2 * cube(n) / tile(r); }},
            {"tiled_unrolled", "2 N^3 / 16", [=](double n, const Record&) { return 2 * cube(n) / 16; }}};
}

/// FLOP an access of 4 bytes, and the share of the peak that follows or was reached.
record::Table intensity_table(const LadderRun& run, const LadderRun& counted, const ProblemView& problem) {
    const Basis own = run.real ? Basis::measured : Basis::predicted;
    record::Table t{"intensity",
                    message("matmul.table.intensity", {{"problem", problem.text()}}),
                    {{message("ladder.column.rung")},
                     {message("matmul.column.cgma"), "", Basis::counted},
                     {message("matmul.column.rate"), "FLOP/s", own},
                     {message("matmul.column.peak_share"), "%", own, 3, true}},
                    {},
                    message("matmul.caption.intensity",
                            {{"model", run.model.title}, {"peak", rate_text(run.model.flops_f32(), "FLOP/s")}})};
    const std::vector<ProblemView> others = problems_of(counted);
    for (const Record* r : best_variants(problem)) {
        if (r->device == "cpu") continue;
        const Record* c = r->counts ? r : nullptr;
        if (!c && !others.empty()) c = find_record(others.back(), r->rung);
        const double flops = *r->flops / seconds_of(*r)->value;
        t.rows.push_back({label_of(run, *r),
                          c && c->intensity && c->intensity->cgma ? Scalar{*c->intensity->cgma} : Scalar{}, flops,
                          run.model_fits ? Scalar{100 * flops / run.model.flops_f32()} : Scalar{}});
    }
    return t;
}

/// The text's three kernels on the GT 640 at these sizes.
Result<std::vector<TextFigure>> on_gt640(OtherDevices& devices, const std::set<std::int64_t>& sizes) {
    auto model = arch::load_model("gt640");
    if (!model) return std::move(model).error();
    struct Kernel {
        const char *column, *rung;
        Axes axes;
        double Quoted::* quoted;
    };
    const std::vector<Kernel> kernels = {{"naive", "naive", {}, &Quoted::gpu},
                                         {"tiled", "tiled_unrolled", {{"UNROLL", {"1"}}}, &Quoted::tiled},
                                         {"unrolled", "tiled_unrolled", {{"UNROLL", {"16"}}}, &Quoted::unrolled}};
    // The first rows are those of the first version, one for each size.
    const auto sizes_of_text = static_cast<std::size_t>(
        std::count_if(kQuoted.begin(), kQuoted.end(), [&](const Quoted& q) { return sizes.contains(q.n); }));
    std::vector<TextFigure> out;
    std::vector<OtherDevices::Coming> coming;
    for (const Kernel& kernel : kernels)
        for (const Quoted& q : kQuoted) {
            if (!sizes.contains(q.n)) continue;
            auto begun = devices.begin({"matmul", kernel.rung, kernel.axes, {q.n, q.n, q.n}}, {&*model, 1});
            if (!begun) return std::move(begun).error();
            coming.push_back(std::move(begun->front()));
            out.push_back({message(std::string("matmul.column.") + kernel.column) + ", N " + std::to_string(q.n),
                           q.*kernel.quoted / 1e3, 0, out.size() % sizes_of_text});
        }
    for (std::size_t k = 0; k < coming.size(); ++k) {
        auto seconds = coming[k].seconds.get();
        if (!seconds) return std::move(seconds).error();
        out[k].predicted = *seconds, out[k].asked = coming[k].asked;
    }
    return out;
}

/// The naive kernel on the GTX 780, at the one size that the text has.
Result<std::vector<TextFigure>> on_gtx780(OtherDevices& devices, const std::set<std::int64_t>& sizes) {
    if (!sizes.contains(kGtx780Size)) return std::vector<TextFigure>{};
    auto model = arch::load_model("gtx780");
    if (!model) return std::move(model).error();
    auto seconds = devices.seconds({"matmul", "naive", {}, {kGtx780Size, kGtx780Size, kGtx780Size}}, {&*model, 1});
    if (!seconds) return std::move(seconds).error();
    return std::vector<TextFigure>{
        {message("matmul.column.naive") + ", N " + std::to_string(kGtx780Size), kGtx780Seconds, seconds->front()}};
}

/// At the sizes that were asked for, else at those of the texts that are quick.
std::set<std::int64_t> sizes_beside(const Choices& choices) {
    std::set<std::int64_t> sizes;
    for (const Size& s : choices.sizes) sizes.insert(s[0]);
    if (sizes.empty()) sizes = choices.quick ? std::set<std::int64_t>{512} : std::set<std::int64_t>{512, 1024, 2048};
    return sizes;
}

BesideText beside_the_text(const Context& context, const Choices& choices) {
    const std::set<std::int64_t> sizes = sizes_beside(choices);
    BesideText out;
    auto devices = OtherDevices::of(context);
    if (!devices) return out;
    const auto gt640 = arch::load_model("gt640");
    out.add("text-tiles-predicted", "GeForce GT 640", on_gt640(*devices, sizes), "s", "beside.caption",
            gt640 ? &*gt640 : nullptr);
    out.add("text-gtx780-predicted", "GeForce GTX 780", on_gtx780(*devices, sizes));
    return out;
}

/// By size, with the kernels of the texts' tables.
Result<LadderRun> run_by_size(const Context& context, const Choices& choices) {
    Choices table = choices;
    if (table.sizes.empty())
        for (std::int64_t n : choices.quick    ? std::vector<std::int64_t>{128, 256, 512}
                              : context.real() ? std::vector<std::int64_t>{512, 1024, 1536, 2048}
                                               : std::vector<std::int64_t>{512, 1024, 2048})
            table.sizes.push_back({n, n, n});
    table.rungs = {"cpu_serial", "naive", "tiled_unrolled"};
    if (context.real()) table.rungs.push_back("cublas");
    table.axes = {{"UNROLL", {"1", "16"}}};
    return run_for_page(context, "matmul", table);
}

/// What of the whole ladder runs, at one size: of a whole report the rungs that teach most, else all but the plain
/// loops of the CPU, which the sizes have.
Result<Choices> whole_ladder(const Context& context, const Choices& choices) {
    Choices ladder = choices;
    if (ladder.sizes.empty()) ladder.sizes = {context.real() ? Size{4096, 4096, 4096} : Size{512, 512, 512}};
    if (ladder.rungs.empty() && choices.quick) {
        ladder.rungs = {"cpu_blas", "naive",          "naive_swapped", "row_buffer",
                        "tiled",    "tiled_unrolled", "register_1d",   "register_2d"};
        if (context.real()) ladder.rungs.insert(ladder.rungs.end(), {"cublas", "warp_tiles", "best_*"});
        ladder.axes.emplace("UNROLL", std::vector<std::string>{"1", "16"});
    } else if (ladder.rungs.empty() && choices.sizes.empty()) {
        auto file = ladder::find_ladder("matmul");
        if (!file) return std::move(file).error();
        for (const ladder::Rung& rung : file->rungs)
            if (rung.cpu.empty() || rung.cpu == "blas") ladder.rungs.push_back(rung.name);
    }
    return ladder;
}

record::Section size_section(const Context& context, const LadderRun& run, const std::vector<ProblemView>& problems,
                             const std::vector<Row>& rows, std::vector<record::Table> beside,
                             const std::set<std::int64_t>& shown) {
    const Basis own = context.real() ? Basis::measured : Basis::predicted;
    record::Section section{
        message("matmul.heading.sizes"),
        {record::Paragraph{message("matmul.text." + times_word(run), {{"model", context.model.title}})}}};
    record::Table cpu{"cpu",
                      message("matmul.table.cpu"),
                      {{"N"},
                       {message("matmul.column.gpu_time"), "s", own},
                       {message("matmul.column.cpu_time"), "s", Basis::measured},
                       {message("matmul.column.gpu_rate"), "FLOP/s", own},
                       {message("matmul.column.cpu_rate"), "FLOP/s", Basis::measured},
                       {message("matmul.column.speedup"), "", own}},
                      {},
                      message("matmul.caption.cpu")};
    if (!context.real()) cpu.columns.pop_back();  // a least time over a measured one is no speed-up
    record::Table tiles{"tiles",
                        message("matmul.table.tiles"),
                        {{"N"},
                         {message("matmul.column.naive"), "s", own},
                         {message("matmul.column.tiled"), "s", own},
                         {message("matmul.column.over_naive"), "", own},
                         {message("matmul.column.unrolled"), "s", own},
                         {message("matmul.column.over_tiled"), "", own}},
                        {}};
    for (const Row& r : rows) {
        const std::int64_t n = static_cast<std::int64_t>(r.n);
        if (r.naive || r.cpu)
            cpu.rows.push_back({n, seconds(r.naive), seconds(r.cpu), rate(r.naive), rate(r.cpu), over(r.cpu, r.naive)});
        if (!cpu.rows.empty()) cpu.rows.back().resize(cpu.columns.size());
        if (r.naive || r.tiled)
            tiles.rows.push_back({n, seconds(r.naive), seconds(r.tiled), over(r.naive, r.tiled), seconds(r.unrolled),
                                  over(r.tiled, r.unrolled)});
    }
    add(section, std::move(cpu));
    add_cpu_rows(section, run);
    section.blocks.emplace_back(quoted_cpu());
    if (auto gtx780 = arch::load_model("gtx780")) section.blocks.emplace_back(quoted_gtx780(*gtx780));
    add(section, std::move(tiles));
    section.blocks.emplace_back(quoted_tiles());
    const bool any = !beside.empty();
    for (record::Table& t : beside) section.blocks.emplace_back(std::move(t));
    std::string left_out, sizes;
    for (const Quoted& q : kQuoted) {
        if (!any || shown.contains(q.n)) continue;
        left_out += fmt::format("{}{}", left_out.empty() ? "" : ", ", q.n);
        sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", q.n);
    }
    if (!sizes.empty())
        section.blocks.emplace_back(note_of(message("matmul.text.left_out", {{"n", left_out}, {"sizes", sizes}})));
    add(section, size_plot(run, problems, "by-size"));
    return section;
}

/// About the largest size, and the formulas.
std::vector<Text> conclusions_of(const Context& context, const LadderRun& counted, const std::vector<Row>& rows) {
    std::vector<Text> out;
    const Row last = rows.empty() ? Row{} : rows.back();
    const std::int64_t n = static_cast<std::int64_t>(last.n);
    if (last.naive && last.cpu) {
        const double gpu = seconds_of(*last.naive)->value, cpu = seconds_of(*last.cpu)->value;
        out.push_back(message(
            "matmul.conclusion.cpu_" + seconds_of(*last.naive)->word(),
            {{"n", n}, {"gpu", seconds_text(gpu)}, {"cpu", seconds_text(cpu)}, {"factor", times_text(cpu / gpu)}}));
    }
    if (last.naive && last.tiled && last.unrolled) {
        const double tiled = seconds_of(*last.naive)->value / seconds_of(*last.tiled)->value;
        const bool tie = !seconds_of(*last.tiled)->bound && cannot_tell(*last.naive, *last.tiled);
        out.push_back(message(tie          ? "matmul.conclusion.tiles_same"
                              : tiled >= 1 ? "matmul.conclusion.tiles"
                                           : "matmul.conclusion.tiles_slower",
                              {{"n", n}, {"tiled", times_text(tiled >= 1 ? tiled : 1 / tiled)}}));
        const double unrolled = seconds_of(*last.tiled)->value / seconds_of(*last.unrolled)->value;
        const bool same = !seconds_of(*last.tiled)->bound && cannot_tell(*last.tiled, *last.unrolled);
        out.push_back(message(same            ? "matmul.conclusion.unrolled_same"
                              : unrolled >= 1 ? "matmul.conclusion.unrolled"
                                              : "matmul.conclusion.unrolled_slower",
                              {{"n", n}, {"unrolled", times_text(std::max(unrolled, 1 / unrolled))}}));
        if (context.model_fits)
            out.push_back(message(
                "matmul.conclusion.peak",
                {{"share", 100 * *last.naive->flops / seconds_of(*last.naive)->value / context.model.flops_f32()},
                 {"peak", rate_text(context.model.flops_f32(), "FLOP/s")},
                 {"model", context.model.title}}));
    }
    if (const Agreement a = agreement_of(counted, formulas()); a.all > 0)
        out.push_back(message(a.exact == a.all ? "matmul.conclusion.exact" : "matmul.conclusion.inexact",
                              {{"exact", std::int64_t{a.exact}}, {"all", std::int64_t{a.all}}}));
    return out;
}

}  // namespace

Result<record::Page> matmul(const Context& context, const Choices& choices) {
    auto ladder = whole_ladder(context, choices);
    if (!ladder) return std::move(ladder).error();
    auto file = ladder::find_ladder("matmul");
    if (!file) return std::move(file).error();
    // What the ladder does not have is refused before anything runs.
    if (auto plan = make_plan(std::move(*file), ladder->rungs, ladder->axes, ladder->sizes); !plan)
        return std::move(plan).error();
    auto run = run_by_size(context, choices);
    if (!run) return std::move(run).error();
    auto all = run_for_page(context, "matmul", *ladder);
    if (!all) return std::move(all).error();
    auto counts = counted_run(context, "matmul", *ladder);
    if (!counts) return std::move(counts).error();
    record::Page page = ladder_page(*all, "matmul", *counts ? &**counts : nullptr);
    page.title = message("matmul.title");
    page.purpose = message("matmul.purpose");
    page.task = message("matmul.task");
    page.sources = {"000", "002", "003"};
    page.repeat.insert(page.repeat.begin(), run->repeat.begin(), run->repeat.end());

    // What the device at hand does not count was counted by an emulated one, at a size of its own.
    LadderRun counted = *counts ? std::move(**counts) : *all;
    if (!context.real())
        counted.set.records.insert(counted.set.records.begin(), run->set.records.begin(), run->set.records.end());

    const std::vector<ProblemView> problems = problems_of(*run), whole = problems_of(*all);
    const std::vector<Row> rows = rows_of(problems);
    BesideText beside = beside_the_text(context, choices);
    record::Section accesses{message("matmul.heading.accesses"), {record::Paragraph{message("matmul.text.accesses")}}};
    if (!whole.empty()) add(accesses, intensity_table(*all, counted, whole.back()));
    add(accesses, access_table(counted, formulas(), "accesses"));
    page.sections.insert(page.sections.begin(),
                         {size_section(context, *run, problems, rows, std::move(beside.tables), sizes_beside(choices)),
                          std::move(accesses)});
    const std::vector<Text> first = conclusions_of(context, counted, rows);
    page.conclusions.insert(page.conclusions.begin(), first.begin(), first.end());
    page.conclusions.insert(page.conclusions.end(), beside.conclusions.begin(), beside.conclusions.end());
    page.corrections = {message("matmul.correction.tiles"), message("matmul.correction.shared")};
    tell_problems(page, *run);
    for (Record& r : page_records(*run)) page.records.push_back(std::move(r));
    return page;
}

}  // namespace warpwright::lab::pages
