#include "report/columns.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/format.hpp"

namespace warpwright::report {

namespace {

using record::Count;
using record::Counts;
using record::Record;

Cell number(std::string text) { return {std::move(text), Style::normal}; }

Cell count(std::uint64_t value, const TableOptions& o) { return number(o.exact ? grouped(value) : si(double(value))); }

/// a / b with two digits after the point; missing where nothing was counted.
Cell ratio(std::uint64_t a, std::uint64_t b) {
    if (b == 0) return {};
    return number(fmt::format("{:.2f}", double(a) / double(b)));
}

template <Count kCount>
Cell one_count(const Record& r, const TableOptions& o) {
    return r.counts ? count((*r.counts)[kCount], o) : Cell{};
}

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

std::string extent(const record::Extent& e) {
    if (e.z != 1) return fmt::format("{}x{}x{}", e.x, e.y, e.z);
    if (e.y != 1) return fmt::format("{}x{}", e.x, e.y);
    return fmt::format("{}", e.x);
}

Cell grid(const Record& r, const TableOptions&) { return r.grid ? number(extent(*r.grid)) : Cell{}; }
Cell block(const Record& r, const TableOptions&) { return r.block ? number(extent(*r.block)) : Cell{}; }

Cell load_sectors(const Record& r, const TableOptions&) {
    if (!r.counts) return {};
    return ratio((*r.counts)[Count::global_load_sectors], (*r.counts)[Count::global_load_requests]);
}

Cell store_sectors(const Record& r, const TableOptions&) {
    if (!r.counts) return {};
    return ratio((*r.counts)[Count::global_store_sectors], (*r.counts)[Count::global_store_requests]);
}

std::uint64_t shared_requests(const Counts& c) {
    return c[Count::shared_load_requests] + c[Count::shared_store_requests] + c[Count::shared_atomic_requests];
}

Cell wavefronts(const Record& r, const TableOptions& o) {
    if (!r.counts || shared_requests(*r.counts) == 0) return {};
    const Counts& c = *r.counts;
    return count(
        c[Count::shared_load_wavefronts] + c[Count::shared_store_wavefronts] + c[Count::shared_atomic_wavefronts], o);
}

Cell marked(std::uint64_t value, const TableOptions& o) {
    Cell cell = count(value, o);
    if (value > 0) cell.style = Style::warn;
    return cell;
}

Cell conflicts(const Record& r, const TableOptions& o) {
    if (!r.counts || shared_requests(*r.counts) == 0) return {};
    const Counts& c = *r.counts;
    return marked(c[Count::shared_load_bank_conflicts] + c[Count::shared_store_bank_conflicts] +
                      c[Count::shared_atomic_bank_conflicts],
                  o);
}

Cell excess(const Record& r, const TableOptions& o) {
    if (!r.counts || shared_requests(*r.counts) == 0) return {};
    const Counts& c = *r.counts;
    return marked(c[Count::shared_load_excess_wavefronts] + c[Count::shared_store_excess_wavefronts], o);
}

Cell divergence(const Record& r, const TableOptions&) {
    if (!r.counts || (*r.counts)[Count::branches] == 0) return {};
    const double share = double((*r.counts)[Count::divergent_branches]) / double((*r.counts)[Count::branches]);
    return {percent(share), share > 0.1 ? Style::warn : Style::normal};
}

Cell lanes(const Record& r, const TableOptions&) {
    if (!r.counts) return {};
    return ratio((*r.counts)[Count::thread_instructions], (*r.counts)[Count::instructions]);
}

Cell sectors(const Record& r, const TableOptions& o) {
    if (!r.counts) return {};
    const Counts& c = *r.counts;
    return count(c[Count::global_load_sectors] + c[Count::global_store_sectors] + c[Count::global_atomic_sectors], o);
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

Cell max_error(const Record& r, const TableOptions&) {
    if (!r.verification) return {};
    const double e = r.verification->max_relative_error;
    return number(std::isnan(e) ? "nan" : fmt::format("{:.1e}", e));
}

Cell emulation(const Record& r, const TableOptions& o) {
    return r.emulation_s ? number(seconds(*r.emulation_s, o.unicode)) : Cell{};
}

constexpr Origin none = Origin::none, counted = Origin::counted, model = Origin::model, measured = Origin::measured;

constexpr Column kColumns[] = {
    {"rung", "rung", "the rung's name, or the kernel's", none, true, 100, rung},
    {"kernel", "kernel", "the kernel's name", none, true, 0, kernel},
    {"device", "device", "where it ran", none, true, 35, device},
    {"grid", "grid", "blocks", none, false, 0, grid},
    {"block", "block", "threads of a block", none, false, 0, block},
    {"verified", "verified", "result against the higher-precision reference", none, true, 99, verified},
    {"error", "max err", "largest relative error against the reference", none, false, 0, max_error},
    {"instructions", "instr.", "warp instructions (PTX)", counted, false, 90, one_count<Count::instructions>},
    {"thread_instructions", "thr. instr.", "thread instructions", counted, false, 0,
     one_count<Count::thread_instructions>},
    {"lanes", "lanes", "lanes active per warp instruction", counted, false, 30, lanes},
    {"load_sectors", "ld sec/req", "32-byte sectors per global load request", counted, false, 88, load_sectors},
    {"store_sectors", "st sec/req", "32-byte sectors per global store request", counted, false, 55, store_sectors},
    {"sectors", "sectors", "32-byte sectors of all global requests", counted, false, 0, sectors},
    {"bytes", "requested", "bytes requested from global memory", counted, false, 0, bytes_requested},
    {"wavefronts", "wavefr.", "shared-memory wavefronts", counted, false, 50, wavefronts},
    {"conflicts", "conflicts", "wavefronts beyond one a request (the hardware counter's definition)", counted, false, 0,
     conflicts},
    {"excess", "excess", "shared wavefronts beyond the access width's ideal: avoidable bank conflicts", counted, false,
     85, excess},
    {"divergence", "diverg.", "divergent branches of all branches", counted, false, 80, divergence},
    {"barriers", "barriers", "block barriers, per warp", counted, false, 0, one_count<Count::barriers>},
    {"flops", "FLOP", "floating-point operations counted", counted, false, 0, one_count<Count::flops>},
    {"cgma", "FLOP/acc", "compute to global memory access: FLOP per 4-byte access", counted, false, 87, cgma},
    {"dram_intensity", "FLOP/B", "FLOP per byte of DRAM traffic assumed in the bound", model, false, 0, dram_intensity},
    {"occupancy", "occup.", "resident warps of the most a multiprocessor holds", model, false, 45, occupancy},
    {"waves", "waves", "blocks of the grid over blocks resident on the device", model, false, 0, waves},
    {"bound", "bound", "least time on the device model", model, false, 95, bound},
    {"binds", "binds", "the resource that sets the bound", model, true, 94, binds},
    {"predicted", "time", "time predicted by the model", Origin::predicted, false, 92, predicted},
    {"sheet", "model has", "the device model's figure for what was measured", model, false, 96, sheet},
    {"time", "median", "median time", measured, false, 98, time},
    {"value", "value", "median of a measured figure of the device", measured, false, 97, value},
    {"of_sheet", "of it", "the measured figure over the device model's", measured, false, 60, of_sheet},
    {"spread", "spread", "half the interquartile range over the median", measured, false, 40, spread},
    {"gflops", "GFLOP/s", "the problem's FLOP over the median time", measured, false, 70, gflops},
    {"gbytes", "GB/s", "the problem's bytes over the median time", measured, false, 65, gbytes},
    {"speedup", "vs first", "times faster than the first rung on the device", measured, false, 75, speedup},
    {"speedup_cpu", "vs CPU", "times faster than the fastest rung on the CPU", measured, false, 60, speedup_cpu},
    {"emulation", "host time", "wall time of the emulation itself: no GPU's time", none, false, 0, emulation},
};

}  // namespace

std::span<const Column> all_columns() { return kColumns; }

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
    for (const Column& c : kColumns) out.emplace_back(c.key, c.about);
    return out;
}

Result<void> check_columns(const std::vector<std::string>& columns) {
    for (const std::string& name : columns) {
        bool known = false;
        std::vector<std::string_view> keys;
        for (const Column& c : kColumns) {
            keys.push_back(c.key);
            known |= c.key == name;
        }
        if (known) continue;
        Error error;
        error.kind = ErrorKind::usage;
        error.what = fmt::format("there is no column '{}'", safe(name));
        error.hint = fmt::format("columns: {}", fmt::join(keys, ", "));
        return error;
    }
    return {};
}

}  // namespace warpwright::report
