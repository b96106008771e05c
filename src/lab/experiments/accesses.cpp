// The stored elements are subtracted from the counted bytes, because the formulas are about reads alone. Table and
// agreement go through the same records, so that the page's sentence and its table cannot differ.
#include "lab/experiments/accesses.hpp"

#include <cmath>
#include <set>

namespace warpwright::lab {

using record::Basis;
using record::Record;

std::optional<double> elements_read(const Record& record, double n) {
    if (!record.counts || record.error) return std::nullopt;
    return static_cast<double>((*record.counts)[record::Count::global_bytes_requested]) / 4 - n * n;
}

namespace {

/// Calls `visit` once for each variant and size that has counts, with its formula.
template <class Visit>
void each(const LadderRun& run, const std::vector<AccessFormula>& formulas, const Visit& visit) {
    std::set<std::string> seen;
    for (const ProblemView& problem : problems_of(run))
        for (const AccessFormula& formula : formulas)
            for (const Record* r : problem.records) {
                if (r->rung != formula.rung) continue;
                const auto counted = elements_read(*r, problem.extent);
                if (counted && seen.insert(problem.size + label_of(run, *r)).second)
                    visit(problem, *r, formula, *counted);
            }
}

}  // namespace

record::Table access_table(const LadderRun& run, const std::vector<AccessFormula>& formulas, std::string id) {
    record::Table table{std::move(id),
                        message("accesses.table"),
                        {{"N"},
                         {message("ladder.column.rung")},
                         {message("accesses.column.counted"), "", Basis::counted, 9},
                         {message("accesses.column.formula")},
                         {message("accesses.column.computed"), "", Basis::computed, 9},
                         {message("accesses.column.ratio"), "", Basis::counted, 4}},
                        {},
                        message("accesses.caption")};
    each(run, formulas, [&](const ProblemView& problem, const Record& r, const AccessFormula& formula, double counted) {
        const double computed = formula.elements(problem.extent, r);
        table.rows.push_back({static_cast<std::int64_t>(problem.extent), label_of(run, r),
                              static_cast<std::int64_t>(counted), formula.text,
                              static_cast<std::int64_t>(std::llround(computed)), counted / computed});
    });
    return table;
}

Agreement agreement_of(const LadderRun& run, const std::vector<AccessFormula>& formulas) {
    Agreement out;
    each(run, formulas, [&](const ProblemView& problem, const Record& r, const AccessFormula& formula, double counted) {
        ++out.all;
        out.exact += std::fabs(formula.elements(problem.extent, r) - counted) < 0.5;
    });
    return out;
}

}  // namespace warpwright::lab
