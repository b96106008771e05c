// Divergence: branches within and between warps, active lanes as time goes on, the reduction's trees step by step, and
// the probability that a warp or a wavefront runs both ways.
#include <cmath>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "lab/experiments/hardware.hpp"
#include "support/read_file.hpp"

namespace warpwright::lab {

namespace {

using record::Basis;
using record::Count;
using record::Scalar;

constexpr unsigned kBlock = 256;

/// The counts of those lines of a file that contain a text; with `body`, of the function that begins there.
record::Counts counts_at(const record::Record& r, const std::string& file, const std::string& text, bool body = false) {
    record::Counts out;
    std::string path;
    for (const auto& l : r.lines)
        if (l.file.ends_with(file)) path = l.file;
    auto source = read_file(path, file_limit::source);
    std::istringstream in(source ? std::move(*source) : std::string());
    std::set<unsigned> lines;
    unsigned number = 0;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        ++number;
        inside = inside || line.find(text) != std::string::npos;
        if (inside) lines.insert(number);
        if (!body || line.starts_with("}")) inside = false;
    }
    for (const auto& l : r.lines)
        if (l.file.ends_with(file) && lines.count(l.line)) out += l.counts;
    return out;
}

double lanes_of(const record::Counts& c) {
    const auto warps = static_cast<double>(c[Count::instructions]);
    return warps > 0 ? static_cast<double>(c[Count::thread_instructions]) / warps : std::nan("");
}

struct Rung {
    const char* name;
    bool (*first)(unsigned thread);
};
constexpr Rung kRungs[] = {{"by_thread", [](unsigned t) { return t > 2; }},
                           {"by_warp", [](unsigned t) { return t / 32 > 2; }},
                           {"by_parity", [](unsigned t) { return t % 2 == 0; }}};

class Divergence {
public:
    Divergence(const Context& context, const Choices& choices) : context_(context), choices_(choices) {}

    Result<record::Page> run() {
        page_ = begin_page("divergence", {"000", "003", "004"});
        auto counting = Counting::of(context_, context_.model, true);
        if (!counting) return std::move(counting).error();
        const std::vector<Size> sizes =
            choices_.sizes.empty() ? std::vector<Size>{{choices_.quick ? 4096 : 65536}} : choices_.sizes;
        auto counted =
            run_into(page_, counting->context(), "divergence", {"by_thread", "by_warp", "by_parity"}, {}, sizes);
        if (!counted) return std::move(counted).error();
        branches(*counted);
        timelines();
        if (auto ok = trees(counting->context()); !ok) return std::move(ok).error();
        if (auto ok = division(); !ok) return std::move(ok).error();
        if (auto ok = chance(); !ok) return std::move(ok).error();
        page_.recommendations = {message("divergence.recommendation")};
        page_.corrections = {message("divergence.correction.stride"), message("divergence.correction.sync"),
                             message("divergence.correction.independent")};
        page_.repeat = {"warpwright lab divergence --page",
                        "warpwright lab reduce --rung interleaved_modulo,sequential --size 256 --per-line"};
        return std::move(page_);
    }

private:
    unsigned warp() const { return context_.model.limits.warp; }

    /// Mean active lanes on the first and the second way, over the warps that go it.
    std::pair<double, double> evaluated(const Rung& rung) const {
        double first = 0, second = 0, first_warps = 0, second_warps = 0;
        for (unsigned w = 0; w < kBlock / warp(); ++w) {
            unsigned lanes = 0;
            for (unsigned l = 0; l < warp(); ++l) lanes += rung.first(w * warp() + l);
            first += lanes;
            second += warp() - lanes;
            first_warps += lanes > 0;
            second_warps += lanes < warp();
        }
        return {first_warps > 0 ? first / first_warps : std::nan(""),
                second_warps > 0 ? second / second_warps : std::nan("")};
    }

    void branches(const std::vector<record::Record>& counted) {
        record::Table t;
        t.id = "branches";
        t.title = message("divergence.table.branches");
        t.columns = {{message("divergence.column.condition")},
                     {message("divergence.column.divergent"), "%", Basis::counted},
                     {message("divergence.column.instructions"), "", Basis::counted},
                     {message("divergence.column.lanes"), "", Basis::counted, 4},
                     {message("divergence.column.first"), "", Basis::counted, 4},
                     {message("divergence.column.first"), "", Basis::computed, 4},
                     {message("divergence.column.second"), "", Basis::counted, 4},
                     {message("divergence.column.second"), "", Basis::computed, 4}};
        bool all_agree = true;
        for (const Rung& rung : kRungs) {
            const record::Record* r = find(counted, rung.name);
            if (!r) continue;
            const record::Counts first = counts_at(*r, "ways.cuh", "first_way(", true),
                                 second = counts_at(*r, "ways.cuh", "second_way(", true);
            const auto [by_first, by_second] = evaluated(rung);
            const auto agree = [&](double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b; };
            all_agree = all_agree && agree(lanes_of(first), by_first) && agree(lanes_of(second), by_second);
            t.rows.push_back({"`" + r->title + "`", cell(100 * ratio(r, Count::divergent_branches, Count::branches)),
                              static_cast<std::int64_t>((*r->counts)[Count::instructions]),
                              cell(ratio(r, Count::thread_instructions, Count::instructions)), cell(lanes_of(first)),
                              cell(by_first), cell(lanes_of(second)), cell(by_second)});
        }
        t.caption = message("divergence.caption.branches");
        const record::Record *thread = find(counted, "by_thread"), *between = find(counted, "by_warp");
        if (thread && between && thread->counts && between->counts) {
            const auto a = (*thread->counts)[Count::divergent_branches],
                       b = (*between->counts)[Count::divergent_branches];
            page_.conclusions.push_back(
                message(a > 0 && b == 0 ? "divergence.conclusion.granularity" : "divergence.conclusion.no_granularity",
                        {{"thread", static_cast<std::int64_t>(a)}, {"warp", static_cast<std::int64_t>(b)}}));
        }
        page_.conclusions.push_back(
            message(all_agree ? "divergence.conclusion.checked" : "divergence.conclusion.unchecked"));
        page_.sections.push_back(
            {message("divergence.section.branches"), {paragraph(message("divergence.text.branches")), std::move(t)}});
    }

    /// Warps of a block against time, a unit for a pass through a way.
    void timelines() {
        record::Section s{message("divergence.section.timelines"), {paragraph(message("divergence.text.timelines"))}};
        for (const Rung& rung : kRungs) {
            record::Timeline t;
            t.id = fmt::format("lanes-{}", rung.name);
            for (char& c : t.id) c = c == '_' ? '-' : c;
            t.title = message(fmt::format("divergence.timeline.{}", rung.name));
            t.unit = name_text("step");
            t.basis = Basis::computed;
            for (unsigned w = 0; w < kBlock / warp(); ++w) {
                unsigned lanes = 0;
                for (unsigned l = 0; l < warp(); ++l) lanes += rung.first(w * warp() + l);
                record::Lane lane{message("divergence.warp", {{"n", std::int64_t{w}}}),
                                  {{0, 1, lanes_text(warp()), 0}}};
                double at = 1;
                for (const auto& [active, tone] : {std::pair(lanes, 1), std::pair(warp() - lanes, 2)})
                    if (active > 0) {
                        lane.spans.push_back({at, at + 2, lanes_text(active), tone});
                        at += 2;
                    }
                lane.spans.push_back({at, at + 1, lanes_text(warp()), 0});
                t.lanes.push_back(std::move(lane));
            }
            t.legend = {{0, message("divergence.legend.all")},
                        {1, message("divergence.legend.first")},
                        {2, message("divergence.legend.second")}};
            t.caption = message("divergence.caption.timeline");
            s.blocks.emplace_back(std::move(t));
        }
        page_.sections.push_back(std::move(s));
    }
    Text lanes_text(unsigned lanes) const { return message("divergence.lanes", {{"n", std::int64_t{lanes}}}); }

    struct Tree {
        const char* name;
        std::vector<unsigned> strides;
        bool (*active)(unsigned thread, unsigned stride);
    };

    /// What a tree's steps keep busy: warps with an active lane, active lanes, warps with only some lanes active.
    struct Activity {
        std::int64_t running = 0, lanes = 0;
        std::uint64_t split = 0;
    };

    /// The lanes of each warp that are active in each step.
    record::CellMap tree_map(const Tree& tree, bool sequential, Activity& activity) {
        record::CellMap map;
        map.id = sequential ? "tree-sequential" : "tree-interleaved";
        map.title = message(sequential ? "divergence.map.sequential" : "divergence.map.interleaved");
        for (unsigned w = 0; w < kBlock / warp(); ++w) map.column_names.push_back(std::to_string(w));
        for (unsigned s : tree.strides) {
            map.row_names.push_back(std::to_string(s));
            std::vector<record::Cell> row;
            for (unsigned w = 0; w < kBlock / warp(); ++w) {
                unsigned lanes = 0;
                for (unsigned l = 0; l < warp(); ++l) lanes += tree.active(w * warp() + l, s);
                activity.running += lanes > 0;
                activity.lanes += lanes;
                activity.split += lanes > 0 && lanes < warp();
                record::Cell c;
                c.text = std::to_string(lanes);
                c.tone = lanes == 0 ? 0 : lanes == warp() ? 1 : 2;
                row.push_back(std::move(c));
            }
            map.rows.push_back(std::move(row));
        }
        map.legend = {{0, message("divergence.legend.idle")},
                      {1, message("divergence.legend.whole")},
                      {2, message("divergence.legend.part")}};
        map.caption = message("divergence.caption.tree");
        return map;
    }

    /// A tree's activity as evaluated, beside what the line that adds counted.
    std::vector<Scalar> tree_row(const record::Record* r, bool sequential, const Activity& activity) {
        // Each lane that adds loads two words and stores one.
        const record::Counts line = r ? counts_at(*r, ".cu", "data[t] +=") : record::Counts{};
        const auto stores = static_cast<std::int64_t>(line[Count::shared_store_requests]);
        const auto counted = [&](Count c) {
            return r && r->counts ? Scalar(static_cast<std::int64_t>((*r->counts)[c])) : Scalar();
        };
        return {
            message(sequential ? "divergence.tree.sequential" : "divergence.tree.interleaved"),
            activity.running,
            stores ? Scalar(stores) : Scalar(),
            static_cast<double>(activity.lanes) / static_cast<double>(activity.running),
            stores ? Scalar(static_cast<double>(line[Count::shared_bytes_requested]) / 12 / static_cast<double>(stores))
                   : Scalar(),
            static_cast<std::int64_t>(activity.split),
            counted(Count::divergent_branches),
            counted(Count::instructions)};
    }

    /// The two trees of the reduction: who is active in each step, evaluated; the sums against what the tree's line
    /// counts.
    Result<void> trees(const Context& counting) {
        auto records = run_into(page_, counting, "reduce", {"interleaved_modulo", "sequential"},
                                {{"T", {"int32"}}, {"OP", {"sum"}}}, {{kBlock}});
        if (!records) return std::move(records).error();
        const Tree trees[] = {
            {"interleaved_modulo",
             {1, 2, 4, 8, 16, 32, 64, 128},
             [](unsigned t, unsigned s) { return t % (2 * s) == 0; }},
            {"sequential", {128, 64, 32, 16, 8, 4, 2, 1}, [](unsigned t, unsigned s) { return t < s; }}};
        record::Section section{message("divergence.section.trees"), {paragraph(message("divergence.text.trees"))}};
        record::Table sums;
        sums.id = "trees";
        sums.title = message("divergence.table.trees");
        sums.columns = {{message("divergence.column.tree")},
                        {message("divergence.column.warp_steps"), "", Basis::computed},
                        {message("divergence.column.warp_steps"), "", Basis::counted},
                        {message("divergence.column.mean_lanes"), "", Basis::computed},
                        {message("divergence.column.mean_lanes"), "", Basis::counted},
                        {message("divergence.column.split_steps"), "", Basis::computed},
                        {message("divergence.column.divergent_branches"), "", Basis::counted},
                        {message("divergence.column.instructions"), "", Basis::counted}};
        Activity activity[2];
        for (unsigned which = 0; which < 2; ++which) {
            section.blocks.emplace_back(tree_map(trees[which], which == 1, activity[which]));
            sums.rows.push_back(tree_row(find(*records, trees[which].name), which == 1, activity[which]));
        }
        sums.caption = message("divergence.caption.trees");
        section.blocks.emplace_back(std::move(sums));
        const std::uint64_t interleaved = activity[0].split, sequential = activity[1].split;
        page_.conclusions.push_back(
            message(sequential < interleaved ? "divergence.conclusion.trees" : "divergence.conclusion.no_trees",
                    {{"interleaved", static_cast<std::int64_t>(interleaved)},
                     {"sequential", static_cast<std::int64_t>(sequential)}}));
        page_.sections.push_back(std::move(section));
        return {};
    }

    /// The text's `x/d` on one side of a branch, beside the same without the branch.
    Result<void> division() {
        auto counting = Counting::of(context_);
        if (!counting) return std::move(counting).error();
        auto records = run_into(page_, counting->context(), "division", {}, {},
                                {{choices_.quick ? std::int64_t{1} << 16 : std::int64_t{1} << 20}});
        if (!records) return std::move(records).error();
        record::Table t;
        t.id = "division";
        t.title = message("divergence.table.division");
        t.columns = {{message("ladder.column.rung")},
                     {message("divergence.column.instructions"), "", Basis::counted},
                     {message("divergence.column.lanes"), "", Basis::counted, 4},
                     {message("divergence.column.divergent"), "%", Basis::counted},
                     {message("ladder.column.predicted"), "s", Basis::predicted}};
        for (const record::Record& r : *records) {
            if (!r.counts) continue;
            t.rows.push_back(
                {labelled("`" + r.rung + "`", ladder_text(r.experiment, "rung." + r.rung + ".title", r.title)),
                 static_cast<std::int64_t>((*r.counts)[Count::instructions]),
                 cell(ratio(&r, Count::thread_instructions, Count::instructions)),
                 cell(100 * ratio(&r, Count::divergent_branches, Count::branches)),
                 r.predicted && r.predicted->method == record::Predicted::kSimulated ? Scalar(r.predicted->seconds)
                                                                                     : Scalar()});
        }
        t.caption = message("divergence.caption.division", {{"model", counting->context().model.title}});
        const record::Record *branch = find(*records, "in_branch"), *all = find(*records, "by_all");
        if (branch && all && branch->counts && all->counts)
            page_.conclusions.push_back(
                message("divergence.conclusion.division",
                        {{"branch", static_cast<std::int64_t>((*branch->counts)[Count::instructions])},
                         {"all", static_cast<std::int64_t>((*all->counts)[Count::instructions])},
                         {"lanes", ratio(branch, Count::thread_instructions, Count::instructions)}}));
        page_.sections.push_back(
            {message("divergence.section.division"), {paragraph(message("divergence.text.division")), std::move(t)}});
        return {};
    }

    /// 1 - p^w - (1 - p)^w, and the share of warps of a run that did.
    Result<void> chance() {
        auto gcn = arch::load_model("hd7970");
        if (!gcn) return std::move(gcn).error();
        auto wide = Counting::of(context_, *gcn);
        auto narrow = Counting::of(context_);
        if (!wide) return std::move(wide).error();
        if (!narrow) return std::move(narrow).error();
        auto thousandths = axis_numbers(choices_, "P", {1, 2, 5, 10, 20, 50, 100, 200, 500, 800, 950, 990, 999});
        if (!thousandths) return std::move(thousandths).error();
        record::Plot p;
        p.id = "chance";
        p.title = message("divergence.plot.chance");
        p.x_label = message("divergence.axis.lane");
        p.y_label = message("divergence.axis.warp");
        double largest = 0;
        for (const auto& [counting, lanes] : {std::pair(&*narrow, warp()), std::pair(&*wide, 64u)}) {
            auto records = run_into(page_, counting->context(), "divergence", {"random"}, {{"P", texts(*thousandths)}},
                                    {{choices_.quick ? 1 << 15 : 1 << 18}});
            if (!records) return std::move(records).error();
            record::Series computed =
                series(message("divergence.series.computed", {{"lanes", std::int64_t{lanes}}}), Basis::computed);
            record::Series counted =
                series(message("divergence.series.counted", {{"lanes", std::int64_t{lanes}}}), Basis::counted);
            for (unsigned n = 0; n <= 100; ++n) point(computed, n / 100.0, formula(n / 100.0, lanes));
            for (std::int64_t n : *thousandths) {
                const double x = static_cast<double>(n) / 1000,
                             share =
                                 ratio(find(*records, "random", "P", n), Count::divergent_branches, Count::branches);
                point(counted, x, share);
                if (!std::isnan(share)) largest = std::max(largest, std::abs(share - formula(x, lanes)));
            }
            p.series.push_back(std::move(computed));
            p.series.push_back(std::move(counted));
        }
        p.caption = message("divergence.caption.chance");
        const double at = 0.02;
        page_.conclusions.push_back(message("divergence.conclusion.chance", {{"lane", 100 * at},
                                                                             {"warp", 100 * formula(at, 32)},
                                                                             {"wavefront", 100 * formula(at, 64)},
                                                                             {"largest", 100 * largest}}));
        page_.sections.push_back(
            {message("divergence.section.chance"), {paragraph(message("divergence.text.chance")), std::move(p)}});
        return {};
    }
    static double formula(double p, unsigned lanes) { return 1 - std::pow(p, lanes) - std::pow(1 - p, lanes); }

    const Context& context_;
    const Choices& choices_;
    record::Page page_;
};

}  // namespace

Result<record::Page> pages::divergence(const Context& context, const Choices& choices) {
    return Divergence(context, choices).run();
}

}  // namespace warpwright::lab
