// Tables and plots are built from records alone, and a column that has no value in any row is dropped. A speed-up
// appears only between times of the same kind, never between a measured and a predicted one.
#include "lab/page/ladder_page.hpp"

#include <algorithm>
#include <cmath>

#include "lab/page/sentence_figures.hpp"
#include "ladder/cpu.hpp"

namespace warpwright::lab {

using record::Basis;
using record::Column;
using record::Plot;
using record::Record;
using record::Scalar;
using record::Section;
using record::Series;
using record::Table;

namespace {

Scalar number(const std::optional<double>& value) { return value ? Scalar{*value} : Scalar{}; }

Text result_text(const Record& r) {
    if (r.error) return message("ladder.result.error");
    if (!fits_model(r)) return message("ladder.result.does_not_fit");
    if (r.known_incorrect) return message(r.verified == true ? "ladder.result.lucky" : "ladder.result.known_wrong");
    if (!r.verified) return message("ladder.result.unverified");
    return message(*r.verified ? "ladder.result.right" : "ladder.result.wrong");
}

/// The speed-up over another record; absent where there is none, or one time is measured and the other predicted.
std::optional<double> over(const Record* other, const Record& r) {
    if (!other || other == &r) return std::nullopt;
    return times_faster(*other, r);
}

/// A column that stays only if a row has something in it.
struct Maybe {
    Column column;
    std::vector<Scalar> cells;
};

}  // namespace

void add(Section& section, Plot plot) {
    std::erase_if(plot.series, [](const Series& s) { return s.x.empty(); });
    if (!plot.series.empty()) section.blocks.emplace_back(std::move(plot));
}

void add(Section& section, Table table) {
    if (!table.rows.empty()) section.blocks.emplace_back(std::move(table));
}

void add_cpu_rows(Section& section, const LadderRun& run) {
    Text list;
    for (const Record& r : run.set.records) {
        if (r.device != "cpu" || !r.time) continue;
        ladder::Variables sizes;
        for (const record::Axis& axis : r.axes)
            if (const auto value = axis_of(r, axis.name)) sizes[axis.name] = *value;
        for (const ladder::Rung& rung : run.ladder.rungs) {
            if (rung.name != r.rung) continue;
            const ladder::CpuRows rows = ladder::cpu_rows(run.ladder.reference, rung.cpu, sizes);
            if (!rows.part()) continue;
            list += (list.empty() ? "" : "; ") +
                    message("ladder.cpu_rows.one", {{"rung", r.rung}, {"timed", rows.timed}, {"all", rows.all}});
        }
    }
    if (!list.empty())
        section.blocks.emplace_back(
            record::Paragraph{message("ladder.cpu_rows.note", {{"list", list}}), record::Paragraph::Kind::note});
}

/// The columns of the table of rungs, in the order of `rung_cells`.
std::vector<Maybe> rung_columns(const LadderRun& run) {
    const Basis own = run.real ? Basis::measured : Basis::predicted;
    std::vector<Maybe> columns;
    const auto column = [&](const char* key, std::string unit = {}, std::optional<Basis> basis = {},
                            bool heat = false) {
        columns.push_back({Column{message(key), std::move(unit), basis, 3, heat}, {}});
    };
    column("ladder.column.rung");
    column("ladder.column.problem");
    column("ladder.column.variant");
    column("ladder.column.time", "s", Basis::measured);
    column("ladder.column.spread", "%", Basis::measured);
    column("ladder.column.predicted", "s", Basis::predicted);
    column("ladder.column.least", "s", Basis::predicted);
    column("ladder.column.rate", "FLOP/s", Basis::measured);
    column("ladder.column.rate", "FLOP/s", Basis::predicted);
    column("ladder.column.rate_at_best", "FLOP/s", Basis::predicted);
    column("ladder.column.over_first", "", own);
    column("ladder.column.over_cpu", "", own);
    column("ladder.column.over_vendor", "", Basis::measured);
    column("ladder.column.share", "%", own, true);
    column("ladder.column.binds");
    column("ladder.column.occupancy", "%", Basis::computed);
    column("ladder.column.result");
    return columns;
}

/// What the rungs of a problem are compared with.
struct Comparison {
    const Record *first, *cpu, *vendor;
};

Comparison comparison_of(const ProblemView& problem) {
    Comparison c{first_kernel(problem), cpu_record(problem), nullptr};
    for (const Record* r : best_variants(problem))
        if (!r->library.empty() && is_right(*r) && (!c.vendor || seconds_of(*r)->value < seconds_of(*c.vendor)->value))
            c.vendor = r;
    return c;
}

/// A rung's cells, empty where a column does not apply. `unit` becomes that of the rate.
std::vector<Scalar> rung_cells(const LadderRun& run, const Record& r, const Scalar& problem, const Comparison& with,
                               const char*& unit) {
    const auto time = seconds_of(r);
    const bool measured = time && time->basis == Basis::measured;
    const auto rate = rate_of(run, r);
    if (rate) unit = rate->unit;
    const auto ceiling = r.device == "cpu" ? std::nullopt : ceiling_of(run, r);
    const bool gpu = r.device != "cpu";
    // At best a bound reaches all of a ceiling: beside shares of predicted times it would look like the best.
    const auto first = with.first ? seconds_of(*with.first) : std::nullopt;
    const bool bound_alone = time && time->bound && first && !first->bound;
    const Scalar none;
    return {
        r.name(),
        problem,
        variant_of(run, r).empty() ? none : Scalar{variant_of(run, r)},
        measured ? Scalar{time->value} : none,
        run.real && r.time ? Scalar{100 * r.time->spread} : none,
        time && !measured && !time->bound ? Scalar{time->value} : none,
        !run.real && r.bound && r.bound->seconds > 0 && fits_model(r) ? Scalar{r.bound->seconds} : none,
        rate && measured ? Scalar{rate->value} : none,
        rate && !measured && !time->bound ? Scalar{rate->value} : none,
        rate && time->bound ? Scalar{rate->value} : none,
        gpu && time ? number(&r == with.first ? std::optional<double>(1) : over(with.first, r)) : none,
        gpu ? number(over(with.cpu, r)) : none,
        gpu && r.library.empty() ? number(over(with.vendor, r)) : none,
        ceiling && !bound_alone ? Scalar{100 * ceiling->share} : none,
        r.bound && !r.bound->binds.empty() && fits_model(r) ? Scalar{name_text(r.bound->binds)} : none,
        r.occupancy ? Scalar{100 * r.occupancy->fraction} : none,
        result_text(r),
    };
}

Table rung_table(const LadderRun& run, std::span<const ProblemView> problems, std::string id) {
    std::vector<Maybe> columns = rung_columns(run);
    const char* unit = "FLOP/s";
    for (const ProblemView& problem : problems) {
        const Comparison with = comparison_of(problem);
        const Scalar axes = problem.axes.empty() || problems.size() < 2 ? Scalar{} : Scalar{problem.axes};
        for (const Record* r : problem.records) {
            if (r->left_out) continue;
            const std::vector<Scalar> cells = rung_cells(run, *r, axes, with, unit);
            for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
        }
    }
    std::erase_if(columns, [](const Maybe& c) {
        return std::all_of(c.cells.begin(), c.cells.end(),
                           [](const Scalar& s) { return std::holds_alternative<std::monostate>(s); });
    });
    Table table{std::move(id),
                message("ladder.table.rungs", {{"problem", problems.empty() ? "" : problems.front().size}}),
                {},
                {}};
    for (Maybe& c : columns) {
        if (c.column.unit == "FLOP/s") c.column.unit = unit;
        table.columns.push_back(std::move(c.column));
    }
    table.rows.resize(columns.empty() ? 0 : columns.front().cells.size());
    for (std::size_t row = 0; row < table.rows.size(); ++row)
        for (Maybe& c : columns) table.rows[row].push_back(std::move(c.cells[row]));
    if (!run.real) table.caption = message("ladder.caption." + times_word(run), {{"model", run.model.title}});
    return table;
}

Plot rung_plot(const LadderRun& run, const ProblemView& problem, std::string id) {
    Plot plot{std::move(id),
              message("ladder.plot.rungs", {{"problem", problem.text()}}),
              Plot::Kind::bar,
              message("ladder.column.rung"),
              message("ladder.axis.time"),
              false,
              true,
              {},
              {}};
    plot.y_unit = "s";
    Series measured{message("ladder.series.measured"), {}, {}, {}, Basis::measured};
    Series predicted{message("ladder.series.predicted"), {}, {}, {}, Basis::predicted};
    Series bound{message("ladder.series.bound"), {}, {}, {}, Basis::predicted};
    for (const Record* r : best_variants(problem)) {
        const auto time = seconds_of(*r);
        Series& series = time->basis == Basis::measured ? measured : time->bound ? bound : predicted;
        series.x.push_back(static_cast<double>(plot.categories.size()));
        series.y.push_back(time->value);
        if (run.real && time->basis == Basis::measured)
            series.spread.push_back(r->time ? r->time->spread * time->value : 0);
        plot.categories.push_back(label_of(run, *r));
    }
    plot.series = {std::move(measured), std::move(predicted), std::move(bound)};
    std::erase_if(plot.series, [](const Series& s) { return s.x.empty(); });
    return plot;
}

Plot size_plot(const LadderRun& run, std::span<const ProblemView> problems, std::string id) {
    Plot plot{std::move(id),
              message("ladder.plot.sizes"),
              Plot::Kind::line,
              extent_name(run),
              message("ladder.axis.rate"),
              true,
              true,
              {},
              {}};
    const bool axes = std::any_of(problems.begin(), problems.end(),
                                  [&](const ProblemView& p) { return p.axes != problems.front().axes; });
    for (const ProblemView& problem : problems)
        for (const Record* r : best_variants(problem)) {
            const auto rate = rate_of(run, *r);
            if (!rate || problem.extent <= 0) continue;
            plot.y_unit = rate->unit;
            const std::string name = axes ? r->rung + ", " + problem.axes : r->rung;
            auto at =
                std::find_if(plot.series.begin(), plot.series.end(), [&](const Series& s) { return s.name == name; });
            if (at == plot.series.end()) at = plot.series.insert(at, Series{name, {}, {}, {}, seconds_of(*r)->basis});
            at->x.push_back(problem.extent);
            at->y.push_back(rate->value);
        }
    return plot;
}

Plot axis_plot(const LadderRun& run, const ProblemView& problem, const std::string& axis, std::string id) {
    Plot plot{std::move(id),
              message("ladder.plot.axis", {{"axis", axis}, {"problem", problem.text()}}),
              Plot::Kind::line,
              axis,
              message("ladder.axis.time"),
              true,
              true,
              {},
              {}};
    plot.y_unit = "s";
    (void)run;
    for (const Record* r : problem.records) {
        const auto value = axis_of(*r, axis);
        const auto time = seconds_of(*r);
        if (!value || !time || r->error || !is_kernel(*r)) continue;
        if (*value <= 0) plot.x_log = false;
        auto at =
            std::find_if(plot.series.begin(), plot.series.end(), [&](const Series& s) { return s.name == r->rung; });
        if (at == plot.series.end()) at = plot.series.insert(at, Series{r->rung, {}, {}, {}, time->basis});
        const auto same = std::find(at->x.begin(), at->x.end(), *value);
        if (same == at->x.end()) {
            at->x.push_back(*value);
            at->y.push_back(time->value);
        } else {
            double& y = at->y[static_cast<std::size_t>(same - at->x.begin())];
            y = std::min(y, time->value);
        }
    }
    std::erase_if(plot.series, [](const Series& s) { return s.x.size() < 2; });
    return plot;
}

Table step_table(const LadderRun& run, const ProblemView& problem, std::string id) {
    const Basis own = run.real ? Basis::measured : Basis::predicted;
    Table table{std::move(id),
                message("ladder.table.steps", {{"problem", problem.text()}}),
                {{message("ladder.column.rung")},
                 {message("ladder.column.against")},
                 {message("ladder.column.faster"), "", own},
                 {message("ladder.column.count")},
                 {message("ladder.column.before"), "", Basis::counted},
                 {message("ladder.column.after"), "", Basis::counted},
                 {message("ladder.column.factor"), "", Basis::counted}},
                {},
                message("ladder.caption.steps")};
    const Record* before = nullptr;
    for (const Record* r : best_variants(problem)) {
        if (!is_kernel(*r) || !r->counts) continue;
        if (before) {
            bool first = true;
            for (const Change& c : changes(*before->counts, *r->counts, 4)) {
                const Scalar none;
                table.rows.push_back(
                    {first ? Scalar{label_of(run, *r)} : none, first ? Scalar{label_of(run, *before)} : none,
                     first ? number(over(before, *r)) : none, "`" + std::string(record::count_key(c.count)) + "`",
                     static_cast<std::int64_t>(c.before), static_cast<std::int64_t>(c.after),
                     c.before ? Scalar{static_cast<double>(c.after) / static_cast<double>(c.before)} : none});
                first = false;
            }
        }
        before = r;
    }
    return table;
}

Table bound_table(const LadderRun& run, const ProblemView& problem, std::string id) {
    Table table{std::move(id),
                message("ladder.table.bounds", {{"problem", problem.text()}}),
                {{message("ladder.column.rung")}},
                {},
                message("ladder.caption.bounds")};
    std::vector<std::string> resources;
    std::vector<const Record*> rungs;
    for (const Record* r : best_variants(problem)) {
        if (!r->counts || !r->bound || r->bound->terms.empty()) continue;
        rungs.push_back(r);
        for (const record::BoundTerm& term : r->bound->terms)
            if (std::find(resources.begin(), resources.end(), term.resource) == resources.end())
                resources.push_back(term.resource);
    }
    for (const std::string& resource : resources)
        table.columns.push_back({name_text(resource), "%", Basis::predicted, 3, true});
    for (const Record* r : rungs) {
        std::vector<Scalar> row{label_of(run, *r)};
        for (const std::string& resource : resources) {
            const auto& terms = r->bound->terms;
            const auto term =
                std::find_if(terms.begin(), terms.end(), [&](const auto& t) { return t.resource == resource; });
            row.push_back(term == terms.end() ? Scalar{} : Scalar{100 * term->share});
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace warpwright::lab
