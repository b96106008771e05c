// The columns are known only when all records have been looked at: axes, resources and stall reasons become one column
// each. A missing value is an empty field, so that every row has the same length.
#include <algorithm>

#include <fmt/format.h>

#include "record/metrics.hpp"
#include "report/escape.hpp"
#include "report/report.hpp"

namespace warpwright::report {

namespace {

using record::Record;

class Row {
public:
    void text(const std::string& value) { add(csv_field(value)); }
    void number(double value) { add(fmt::format("{}", value)); }
    void whole(std::uint64_t value) { add(fmt::format("{}", value)); }
    void truth(bool value) { add(value ? "true" : "false"); }
    void none() { add(""); }

    template <class T, class Get>
    void maybe(const std::optional<T>& from, Get get) {
        if (from)
            number(get(*from));
        else
            none();
    }
    void maybe(const std::optional<double>& value) {
        if (value)
            number(*value);
        else
            none();
    }
    void extent(const std::optional<record::Extent>& e) {
        for (int i = 0; i < 3; ++i)
            if (e)
                whole(i == 0 ? e->x : i == 1 ? e->y : e->z);
            else
                none();
    }

    std::string line() const { return line_ + "\r\n"; }

private:
    void add(const std::string& text) {
        if (!first_) line_ += ',';
        first_ = false;
        line_ += text;
    }
    std::string line_;
    bool first_ = true;
};

struct Names {
    std::vector<std::string> axes, resources, stalls;
    bool figures = false;  ///< a predicted time has some
};

Names names(const record::RecordSet& set) {
    Names out;
    const auto once = [](std::vector<std::string>& list, const std::string& value) {
        if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
    };
    for (const Record& r : set.records) {
        for (const record::Axis& axis : r.axes) once(out.axes, axis.name);
        if (r.bound)
            for (const record::BoundTerm& t : r.bound->terms) once(out.resources, t.resource);
        if (!r.predicted) continue;
        out.figures |= r.predicted->cycles.has_value();
        for (const auto& [name, value] : r.predicted->stalls) once(out.stalls, name);
    }
    // The order must not depend on which resource happened to bind first.
    std::sort(out.resources.begin(), out.resources.end());
    return out;
}

void heading(Row& row, const Names& names, bool per_line) {
    for (const char* key : {"experiment", "rung", "kernel", "library", "unit", "title"}) row.text(key);
    for (const std::string& axis : names.axes) row.text("axis_" + axis);
    for (const char* key : {"device", "model", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z",
                            "verified", "known_incorrect", "error", "left_out"})
        row.text(key);
    if (per_line) {
        row.text("file");
        row.text("line");
        if (!names.stalls.empty()) row.text("predicted_share");
        for (const std::string& name : names.stalls) row.text("stall_" + name);
    } else {
        for (const char* key :
             {"max_absolute_error", "max_relative_error", "problem_flops", "problem_bytes",   "time_median_s",
              "time_min_s",         "time_spread",        "time_samples",  "time_cache",      "clock_mhz",
              "throttle",           "quantity",           "quantity_best", "quantity_spread", "quantity_unit",
              "quantity_sheet",     "speedup_first",      "speedup_cpu",   "speedup_vendor",  "ceiling",
              "ceiling_share",      "ceiling_source",     "predicted_s",   "bound_s",         "bound_binds",
              "bound_estimated"})
            row.text(key);
        for (const std::string& resource : names.resources) row.text("bound_" + resource + "_s");
        for (const char* key :
             {"registers", "registers_source", "shared_bytes", "occupancy", "occupancy_limiter", "waves",
              "wave_utilisation", "cgma", "flop_per_byte_requested", "flop_per_dram_byte", "emulation_s", "compile_s"})
            row.text(key);
    }
    if (!per_line && names.figures) {
        row.text("predicted_method");
        for (const record::FigureInfo& f : record::figures()) row.text("predicted_" + std::string(f.key));
        row.text("cause"), row.text("cause_share");
        for (const std::string& name : names.stalls) row.text("stall_" + name);
    }
    for (const record::CountName& name : record::count_names()) row.text(std::string(name.key));
}

void identity(Row& row, const Names& names, const Record& r) {
    row.text(r.experiment);
    row.text(r.rung);
    row.text(r.kernel);
    row.text(r.library);
    row.text(r.unit);
    row.text(r.title);
    for (const std::string& name : names.axes) {
        const auto it = std::find_if(r.axes.begin(), r.axes.end(), [&](const auto& a) { return a.name == name; });
        if (it == r.axes.end())
            row.none();
        else if (const auto* value = std::get_if<double>(&it->value))
            row.number(*value);
        else
            row.text(it->text());
    }
    row.text(r.device);
    row.text(r.model);
    row.extent(r.grid);
    row.extent(r.block);
    if (r.verified)
        row.truth(*r.verified);
    else
        row.none();
    row.truth(r.known_incorrect);
    row.text(r.error.value_or(""));
    row.text(r.left_out.value_or(""));
}

/// Where warps stood: all of it, in the order of the heading.
void stalls(Row& row, const Names& names, const std::map<std::string, double>& of) {
    for (const std::string& name : names.stalls) {
        const auto at = of.find(name);
        row.maybe(at == of.end() ? std::nullopt : std::optional(at->second));
    }
}

void results(Row& row, const Names& names, const Record& r) {
    row.maybe(r.verification, [](const auto& v) { return v.max_absolute_error; });
    row.maybe(r.verification, [](const auto& v) { return v.max_relative_error; });
    row.maybe(r.flops);
    row.maybe(r.bytes);
    row.maybe(r.time, [](const auto& t) { return t.median_s; });
    row.maybe(r.time, [](const auto& t) { return t.min_s; });
    row.maybe(r.time, [](const auto& t) { return t.spread; });
    row.maybe(r.time, [](const auto& t) { return t.samples; });
    row.text(r.time ? r.time->cache : "");
    row.maybe(r.time ? r.time->clock_mhz : std::nullopt);
    std::string throttle;
    if (r.time)
        for (const std::string& reason : r.time->throttle) throttle += (throttle.empty() ? "" : "; ") + reason;
    row.text(throttle);
    row.maybe(r.quantity, [](const auto& q) { return q.median; });
    row.maybe(r.quantity, [](const auto& q) { return q.best; });
    row.maybe(r.quantity, [](const auto& q) { return q.spread; });
    row.text(r.quantity ? r.quantity->unit : "");
    row.maybe(r.quantity ? r.quantity->sheet : std::nullopt);
    row.maybe(r.speedup ? r.speedup->first : std::nullopt);
    row.maybe(r.speedup ? r.speedup->cpu : std::nullopt);
    row.maybe(r.speedup ? r.speedup->vendor : std::nullopt);
    row.maybe(r.ceiling, [](const auto& c) { return c.rate; });
    row.maybe(r.ceiling, [](const auto& c) { return c.share; });
    row.text(r.ceiling ? r.ceiling->source : "");
    row.maybe(r.predicted, [](const auto& p) { return p.seconds; });
    row.maybe(r.bound, [](const auto& b) { return b.seconds; });
    row.text(r.bound ? r.bound->binds : "");
    if (r.bound)
        row.truth(r.bound->estimated);
    else
        row.none();
    for (const std::string& resource : names.resources) {
        std::optional<double> seconds;
        if (r.bound)
            for (const record::BoundTerm& t : r.bound->terms)
                if (t.resource == resource) seconds = t.seconds;
        row.maybe(seconds);
    }
    row.maybe(r.occupancy, [](const auto& o) { return o.registers; });
    row.text(r.occupancy ? r.occupancy->registers_source : "");
    row.maybe(r.occupancy, [](const auto& o) { return double(o.shared); });
    row.maybe(r.occupancy, [](const auto& o) { return o.fraction; });
    row.text(r.occupancy ? r.occupancy->limiter : "");
    row.maybe(r.occupancy, [](const auto& o) { return o.waves; });
    row.maybe(r.occupancy, [](const auto& o) { return o.wave_utilisation; });
    const record::Intensity intensity = r.intensity.value_or(record::Intensity{});
    row.maybe(intensity.cgma);
    row.maybe(intensity.per_byte);
    row.maybe(intensity.per_dram_byte);
    row.maybe(r.emulation_s);
    row.maybe(r.compile_s);
    if (!names.figures) return;
    const record::Predicted p = r.predicted.value_or(record::Predicted{});
    row.text(p.method);
    for (const record::FigureInfo& f : record::figures()) row.maybe(p.*f.value);
    row.text(p.causes.empty() ? std::string() : p.causes.front().cause);
    row.maybe(p.causes.empty() ? std::nullopt : std::optional(p.causes.front().share));
    stalls(row, names, p.stalls);
}

/// A row for each line that has counts, and for each at which warps stood.
std::string line_rows(const Record& r, const Names& names) {
    std::string out;
    double all = 0;
    if (r.predicted)
        for (const auto& [name, value] : r.predicted->stalls) all += value;
    const auto add = [&](const std::string& file, unsigned line, const record::Counts* counts) {
        Row row;
        identity(row, names, r);
        row.text(file);
        row.whole(line);
        if (!names.stalls.empty()) {
            const record::PredictedLine* stood = r.predicted ? r.predicted->line(file, line) : nullptr;
            double own = 0;
            if (stood)
                for (const auto& [name, value] : stood->stalls) own += value;
            row.maybe(stood && all > 0 ? std::optional(own / all) : std::nullopt);
            stalls(row, names, stood ? stood->stalls : std::map<std::string, double>{});
        }
        for (const record::CountName& name : record::count_names())
            if (counts)
                row.whole((*counts)[name.count]);
            else
                row.none();
        out += row.line();
    };
    for (const record::LineCounts& line : r.lines) add(line.file, line.line, &line.counts);
    if (r.predicted)
        for (const record::PredictedLine& line : r.predicted->lines)
            if (std::none_of(r.lines.begin(), r.lines.end(),
                             [&](const auto& l) { return l.line == line.line && l.file == line.file; }))
                add(line.file, line.line, nullptr);
    return out;
}

}  // namespace

std::string csv(const record::RecordSet& set, bool per_line) {
    const Names all = names(set);
    Row head;
    heading(head, all, per_line);
    std::string out = head.line();
    for (const Record& r : set.records) {
        if (per_line) {
            out += line_rows(r, all);
            continue;
        }
        Row row;
        identity(row, all, r);
        results(row, all, r);
        for (const record::CountName& name : record::count_names())
            if (r.counts)
                row.whole((*r.counts)[name.count]);
            else
                row.none();
        out += row.line();
    }
    return out;
}

}  // namespace warpwright::report
