// One table has each column with its heading, meaning, origin and weight, and a small function makes its cell. Metrics
// without a column of their own get one from the list of metrics, so that every key can be chosen.
#include "report/columns.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arch/model.hpp"
#include "report/format.hpp"
#include "support/closest.hpp"

namespace warpwright::report {

namespace {

using record::Count;
using record::Derived;
using record::Record;

Cell number(std::string text) { return {std::move(text), Style::normal}; }

Cell count(std::uint64_t value, const TableOptions& o) { return number(o.exact ? grouped(value) : si(double(value))); }

Cell verified(const Record& r, const TableOptions&) {
    if (r.error) return {"error", Style::bad};
    if (r.left_out) return {"left out", Style::dim};
    if (!r.verified) return {};
    if (*r.verified) return {"yes", Style::good};
    return r.known_incorrect ? Cell{"no, known", Style::warn} : Cell{"NO", Style::bad};
}

Cell rung(const Record& r, const TableOptions&) {
    return r.name().empty() ? Cell{} : Cell{safe(r.name()), Style::bold};
}

Cell kernel(const Record& r, const TableOptions&) {
    return r.kernel.empty() ? Cell{} : Cell{safe(r.kernel), Style::normal};
}

Cell device(const Record& r, const TableOptions&) {
    return r.device.empty() ? Cell{} : Cell{safe(r.device), Style::normal};
}

Cell device_model(const Record& r, const TableOptions&) {
    return r.model.empty() ? Cell{} : Cell{safe(r.model), Style::normal};
}

Cell grid(const Record& r, const TableOptions&) { return r.grid ? number(extent(*r.grid)) : Cell{}; }
Cell block(const Record& r, const TableOptions&) { return r.block ? number(extent(*r.block)) : Cell{}; }

/// The value of a count, or of what is derived from counts; missing where there is nothing to divide by.
Cell metric_cell(const Record& r, const record::Metric& metric, const TableOptions& o) {
    if (!r.counts) return {};
    if (const Count* one = std::get_if<Count>(&metric)) return count((*r.counts)[*one], o);
    const Derived derived = std::get<Derived>(metric);
    if (is_sum(derived)) return count(total(*r.counts, derived), o);
    const std::optional<double> quotient = value(*r.counts, derived);
    if (!quotient) return {};
    return number(record::info(derived).unit == "share" ? percent(*quotient) : fmt::format("{:.2f}", *quotient));
}

/// Transactions of whole lines instead of sectors; of a device that moves sectors there are none.
Cell lines_cell(const Record& r, Derived per_request) {
    const unsigned line = line_bytes(r);
    if (!r.counts || line == 0) return {};
    const std::optional<double> sectors = value(*r.counts, per_request);
    return sectors ? number(fmt::format("{:.2f}", *sectors * 32 / line)) : Cell{};
}

Cell load_lines(const Record& r, const TableOptions&) {
    return lines_cell(r, Derived::global_load_sectors_per_request);
}

Cell store_lines(const Record& r, const TableOptions&) {
    return lines_cell(r, Derived::global_store_sectors_per_request);
}

/// Nothing to say of shared memory where nobody uses it.
Cell of_shared(const Record& r, const TableOptions& o, Derived derived) {
    if (!r.counts || total(*r.counts, Derived::shared_requests) == 0) return {};
    return metric_cell(r, derived, o);
}

Cell wavefronts(const Record& r, const TableOptions& o) { return of_shared(r, o, Derived::shared_wavefronts); }

Cell of_shared_marked(const Record& r, const TableOptions& o, Derived derived) {
    Cell cell = of_shared(r, o, derived);
    if (!cell.missing() && total(*r.counts, derived) > 0) cell.style = Style::warn;
    return cell;
}

Cell conflicts(const Record& r, const TableOptions& o) {
    return of_shared_marked(r, o, Derived::shared_bank_conflicts);
}

Cell excess(const Record& r, const TableOptions& o) {
    return of_shared_marked(r, o, Derived::shared_excess_wavefronts);
}

Cell divergence(const Record& r, const TableOptions& o) {
    Cell cell = metric_cell(r, Derived::branch_divergence, o);
    if (!cell.missing() && *value(*r.counts, Derived::branch_divergence) > 0.1) cell.style = Style::warn;
    return cell;
}

Cell bytes_requested(const Record& r, const TableOptions& o) {
    if (!r.counts) return {};
    const std::uint64_t value = (*r.counts)[Count::global_bytes_requested];
    return number(o.exact ? grouped(value) : bytes(double(value)));
}

Cell cgma(const Record& r, const TableOptions&) {
    return r.intensity && r.intensity->cgma ? number(plain(*r.intensity->cgma)) : Cell{};
}

Cell dram_intensity(const Record& r, const TableOptions&) {
    return r.intensity && r.intensity->per_dram_byte ? number(plain(*r.intensity->per_dram_byte)) : Cell{};
}

Cell occupancy(const Record& r, const TableOptions&) {
    return r.occupancy ? number(percent(r.occupancy->fraction)) : Cell{};
}

Cell waves(const Record& r, const TableOptions&) {
    return r.occupancy && r.occupancy->waves > 0 ? number(plain(r.occupancy->waves)) : Cell{};
}

Cell bound(const Record& r, const TableOptions& o) {
    return r.bound && !r.bound->binds.empty() ? number(seconds(r.bound->seconds, o.unicode)) : Cell{};
}

Cell binds(const Record& r, const TableOptions&) {
    if (!r.bound || r.bound->binds.empty()) return {};
    // An estimate must not look like a certainty.
    return {safe(r.bound->binds) + (r.bound->estimated ? " (est.)" : ""), Style::normal};
}

Cell predicted(const Record& r, const TableOptions& o) {
    return r.predicted ? number(seconds(r.predicted->seconds, o.unicode)) : Cell{};
}

Cell time(const Record& r, const TableOptions& o) {
    return r.time ? Cell{seconds(r.time->median_s, o.unicode), Style::bold} : Cell{};
}

Cell spread(const Record& r, const TableOptions&) {
    if (r.quantity) return number(percent(r.quantity->spread));
    return r.time ? number(percent(r.time->spread)) : Cell{};
}

std::string with_unit(double value, const std::string& unit, const TableOptions& o) {
    if (unit == "s") return seconds(value, o.unicode);
    if (unit == "cycles") return plain(value) + " cycles";
    const std::string number = si(value);
    return number + (number.find(' ') == std::string::npos ? " " : "") + safe(unit);
}

Cell value(const Record& r, const TableOptions& o) {
    return r.quantity ? Cell{with_unit(r.quantity->median, r.quantity->unit, o), Style::bold} : Cell{};
}

Cell sheet(const Record& r, const TableOptions& o) {
    return r.quantity && r.quantity->sheet ? number(with_unit(*r.quantity->sheet, r.quantity->unit, o)) : Cell{};
}

Cell of_sheet(const Record& r, const TableOptions&) {
    if (!r.quantity || !r.quantity->sheet || !(*r.quantity->sheet > 0)) return {};
    return number(percent(r.quantity->median / *r.quantity->sheet));
}

Cell rate(const std::optional<double>& amount, const Record& r) {
    if (!r.time || !amount || !(r.time->median_s > 0)) return {};
    return number(plain(*amount / r.time->median_s / 1e9));
}

Cell gflops(const Record& r, const TableOptions&) { return rate(r.flops, r); }
Cell gbytes(const Record& r, const TableOptions&) { return rate(r.bytes, r); }

Cell times(const std::optional<double>& factor) { return factor ? number(fmt::format("{}x", plain(*factor))) : Cell{}; }

Cell speedup(const Record& r, const TableOptions&) { return r.speedup ? times(r.speedup->first) : Cell{}; }
Cell speedup_cpu(const Record& r, const TableOptions&) { return r.speedup ? times(r.speedup->cpu) : Cell{}; }

Cell speedup_vendor(const Record& r, const TableOptions&) {
    if (!r.speedup || !r.speedup->vendor) return {};
    Cell cell = times(r.speedup->vendor);
    if (r.library.empty() && *r.speedup->vendor >= 1) cell.style = Style::good;
    return cell;
}

/// Only where something was timed: the bound alone is the model's.
Cell of_bound(const Record& r, const TableOptions&) {
    if (!r.time || !r.bound || !(r.time->median_s > 0) || r.bound->binds.empty()) return {};
    return number(percent(r.bound->seconds / r.time->median_s));
}

/// By the data sheet it would be what of_bound says.
Cell ceiling(const Record& r, const TableOptions&) {
    return r.ceiling && r.ceiling->source == "measured" ? number(percent(r.ceiling->share)) : Cell{};
}

Cell library(const Record& r, const TableOptions&) {
    return r.library.empty() ? Cell{} : Cell{safe(r.library), Style::normal};
}

Cell unit(const Record& r, const TableOptions&) { return r.unit.empty() ? Cell{} : Cell{safe(r.unit), Style::normal}; }

Cell max_error(const Record& r, const TableOptions&) {
    if (!r.verification) return {};
    const double e = r.verification->max_relative_error;
    return number(std::isnan(e) ? "nan" : fmt::format("{:.1e}", e));
}

Cell emulation(const Record& r, const TableOptions& o) {
    return r.emulation_s ? number(seconds(*r.emulation_s, o.unicode)) : Cell{};
}

constexpr Origin none = Origin::none, counted = Origin::counted, model = Origin::model, measured = Origin::measured;

/// A metric's column; its words are those of record/metrics.inc.
template <class M>
Column of(std::string_view key, std::string_view heading, M metric, int weight, Column::Maker maker = {}) {
    return {key, heading, record::info(metric).meaning, counted, false, weight, maker, metric};
}

// clang-format off
const Column kColumns[] = {
    {"rung", "rung", "the rung's name, or the kernel's", none, true, 100, rung},
    {"kernel", "kernel", "the kernel's name", none, true, 0, kernel},
    {"library", "library", "the vendor's library that was called", none, true, 0, library},
    {"unit", "unit", "whose rate bounds the arithmetic", none, true, 0, unit},
    {"device", "device", "where it ran", none, true, 35, device},
    {"model", "on", "the device model", none, true, 98, device_model},
    {"grid", "grid", "blocks", none, false, 0, grid},
    {"block", "block", "threads of a block", none, false, 0, block},
    {"verified", "verified", "result against the higher-precision reference", none, true, 99, verified},
    {"error", "max err", "largest relative error against the reference", none, false, 0, max_error},
    of("instructions", "instr.", Count::instructions, 90),
    of("thread_instructions", "thr. instr.", Count::thread_instructions, 0),
    of("lanes", "lanes", Derived::lanes_per_instruction, 30),
    of("load_sectors", "ld sec/req", Derived::global_load_sectors_per_request, 88),
    of("store_sectors", "st sec/req", Derived::global_store_sectors_per_request, 55),
    {"load_lines", "ld line/req", "whole lines that a load request moves, on devices that move lines and not sectors",
     counted, false, 88, load_lines},
    {"store_lines", "st line/req", "the same of stores", counted, false, 55, store_lines},
    of("sectors", "sectors", Derived::global_sectors, 0),
    of("bytes", "requested", Count::global_bytes_requested, 0, bytes_requested),
    of("wavefronts", "wavefr.", Derived::shared_wavefronts, 50, wavefronts),
    of("conflicts", "conflicts", Derived::shared_bank_conflicts, 0, conflicts),
    of("excess", "excess", Derived::shared_excess_wavefronts, 85, excess),
    of("divergence", "diverg.", Derived::branch_divergence, 80, divergence),
    of("barriers", "barriers", Count::barriers, 0),
    of("flops", "FLOP", Count::flops, 0),
    {"cgma", "FLOP/acc", "compute to global memory access: FLOP per 4-byte access", counted, false, 87, cgma},
    {"dram_intensity", "FLOP/B", "FLOP per byte of DRAM traffic assumed in the bound", model, false, 0, dram_intensity},
    {"occupancy", "occup.", "resident warps of the most a multiprocessor holds", model, false, 45, occupancy},
    {"waves", "waves", "blocks of the grid over blocks resident on the device", model, false, 0, waves},
    {"bound", "bound", "least time on the device model", model, false, 95, bound},
    {"binds", "binds", "the resource that sets the bound", model, true, 94, binds},
    {"predicted", "time", "time predicted by the model (docs/timing.md)", Origin::predicted, false, 97, predicted},
    {"sheet", "model has", "the device model's figure for what was measured", model, false, 96, sheet},
    {"time", "median", "median time", measured, false, 98, time},
    {"value", "value", "median of a measured figure of the device", measured, false, 97, value},
    {"of_sheet", "of it", "the measured figure over the device model's", measured, false, 60, of_sheet},
    {"spread", "spread", "half the interquartile range over the median", measured, false, 40, spread},
    {"gflops", "GFLOP/s", "the problem's FLOP over the median time", measured, false, 79, gflops},
    {"gbytes", "GB/s", "the problem's bytes over the median time", measured, false, 65, gbytes},
    {"speedup", "vs first", "times faster than the first rung on the device", measured, false, 75, speedup},
    {"speedup_vendor", "vs vendor", "times faster than the fastest of the vendor's libraries", measured, false, 78,
     speedup_vendor},
    {"of_bound", "of bound", "the bound over the median time: 100 % cannot be passed", measured, false, 77, of_bound},
    {"of_ceiling", "of ceil.", "share of the measured ceiling of what binds", measured, false, 72, ceiling},
    {"speedup_cpu", "vs CPU", "times faster than the fastest rung on the CPU", measured, false, 60, speedup_cpu},
    {"emulation", "host time", "wall time of the emulation itself: no GPU's time", none, false, 0, emulation},
};
// clang-format on

/// The columns above, and one for each key that none of them is called.
std::vector<Column> with_every_metric() {
    std::vector<Column> out(std::begin(kColumns), std::end(kColumns));
    const auto add = [&out](std::string_view key, auto metric) {
        if (std::none_of(out.begin(), out.end(), [&](const Column& c) { return c.key == key; }))
            out.push_back(of(key, key, metric, 0));
    };
    for (const record::CountName& name : record::count_names()) add(name.key, name.count);
    for (unsigned k = 0; k < record::kDerived; ++k) {
        const auto derived = static_cast<Derived>(k);
        add(record::info(derived).key, derived);
    }
    return out;
}

}  // namespace

unsigned line_bytes(const Record& record) {
    thread_local std::map<std::string, unsigned> known;
    const auto [at, fresh] = known.try_emplace(record.model, 0);
    if (fresh && !record.model.empty())
        if (const auto model = arch::load_model(record.model)) {
            const unsigned bytes = arch::transaction_bytes(model->coalescing);
            at->second = bytes > 32 ? bytes : 0;
        }
    return at->second;
}

std::string extent(const record::Extent& e) {
    if (e.z != 1) return fmt::format("{}x{}x{}", e.x, e.y, e.z);
    if (e.y != 1) return fmt::format("{}x{}", e.x, e.y);
    return fmt::format("{}", e.x);
}

Cell Column::cell(const Record& record, const TableOptions& options) const {
    return maker ? maker(record, options) : metric_cell(record, metric, options);
}

std::span<const Column> all_columns() {
    static const std::vector<Column> columns = with_every_metric();
    return columns;
}

std::string_view origin_heading(Origin origin) {
    switch (origin) {
        case Origin::none:
            return "";
        case Origin::counted:
            return "counted";
        case Origin::model:
            return "model";
        case Origin::predicted:
            return "predicted";
        case Origin::measured:
            return "measured";
    }
    return "";
}

record::Record as_record(const record::LineCounts& line) {
    Record out;
    out.counts = line.counts;
    return out;
}

std::vector<std::pair<std::string, std::string>> column_names() {
    std::vector<std::pair<std::string, std::string>> out;
    for (const Column& c : all_columns()) out.emplace_back(c.key, c.about);
    return out;
}

Result<void> check_columns(const std::vector<std::string>& columns) {
    for (const std::string& name : columns) {
        const auto all = all_columns();
        if (std::any_of(all.begin(), all.end(), [&](const Column& c) { return c.key == name; })) continue;
        std::vector<std::string_view> keys;
        for (const Column& c : kColumns) keys.push_back(c.key);
        std::vector<std::string> known;
        for (const Column& c : all) known.emplace_back(c.key);
        const std::string guess = did_you_mean(name, known);
        Error error;
        error.kind = ErrorKind::usage;
        error.what = fmt::format("there is no column '{}'", safe(name));
        error.hint = fmt::format("{}{}columns: {}; and every key of docs/counters.md", guess, guess.empty() ? "" : " ",
                                 fmt::join(keys, ", "));
        return error;
    }
    return {};
}

}  // namespace warpwright::report
