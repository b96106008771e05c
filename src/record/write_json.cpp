#include <nlohmann/json.hpp>

#include "record/metrics.hpp"
#include "record/record.hpp"

namespace warpwright::record {

namespace {

using Json = nlohmann::ordered_json;

Json to(const Extent& e) { return Json::array({e.x, e.y, e.z}); }

Json to(const Axis& a) {
    return std::visit([](const auto& v) { return Json(v); }, a.value);
}

Json to(const Time& t) {
    Json out = {{"median_s", t.median_s}, {"min_s", t.min_s}, {"spread", t.spread}, {"samples", t.samples}};
    if (!t.cache.empty()) out["cache"] = t.cache;
    if (t.clock_mhz) out["clock_mhz"] = *t.clock_mhz;
    if (t.memory_clock_mhz) out["memory_clock_mhz"] = *t.memory_clock_mhz;
    if (t.power_w) out["power_w"] = *t.power_w;
    // Empty where the device was watched and nothing held it down.
    if (t.clock_mhz || !t.throttle.empty()) out["throttle"] = t.throttle;
    return out;
}

Json to(const Quantity& q) {
    Json out = {{"median", q.median}, {"best", q.best}, {"spread", q.spread}, {"samples", q.samples}, {"unit", q.unit}};
    if (q.sheet) out["sheet"] = *q.sheet;
    return out;
}

Json to(const Speedup& s) {
    Json out = Json::object();
    if (s.first) out["first"] = *s.first;
    if (s.cpu) out["cpu"] = *s.cpu;
    if (s.vendor) out["vendor"] = *s.vendor;
    return out;
}

Json to(const Predicted& p) { return {{"seconds", p.seconds}, {"method", p.method}}; }

Json to(const Bound& b) {
    Json terms = Json::array();
    for (const BoundTerm& t : b.terms) {
        Json term = {{"resource", t.resource}, {"seconds", t.seconds}, {"share", t.share}, {"basis", t.basis}};
        if (t.upper_seconds) term["upper_seconds"] = *t.upper_seconds;
        terms.push_back(std::move(term));
    }
    return {
        {"seconds", b.seconds}, {"binds", b.binds}, {"estimated", b.estimated}, {"terms", terms}, {"notes", b.notes}};
}

Json to(const Ceiling& c) {
    return {{"resource", c.resource}, {"rate", c.rate}, {"share", c.share}, {"source", c.source}};
}

Json to(const OccupancyRecord& o) {
    return {{"registers", o.registers},
            {"registers_estimated", o.registers_estimated},
            {"shared", o.shared},
            {"blocks", o.blocks},
            {"warps", o.warps},
            {"fraction", o.fraction},
            {"limiter", o.limiter},
            {"waves", o.waves},
            {"wave_utilisation", o.wave_utilisation}};
}

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

Json to(const Intensity& i) {
    return {{"cgma", or_null(i.cgma)}, {"per_byte", or_null(i.per_byte)}, {"per_dram_byte", or_null(i.per_dram_byte)}};
}

Json to(const Verification& v) {
    return {{"elements", v.elements},
            {"mismatches", v.mismatches},
            {"max_absolute_error", v.max_absolute_error},
            {"max_relative_error", v.max_relative_error},
            {"tolerance", v.tolerance},
            {"reference", v.reference},
            {"method", v.method},
            {"first_mismatch", v.first_mismatch}};
}

Json to(const Counts& c) {
    Json out = Json::object();
    for (const CountName& name : count_names()) out[std::string(name.key)] = c[name.count];
    return out;
}

Json to(const Record& r) {
    Json out = {{"experiment", r.experiment}};
    if (!r.rung.empty()) out["rung"] = r.rung;
    if (!r.kernel.empty()) out["kernel"] = r.kernel;
    if (!r.library.empty()) out["library"] = r.library;
    if (!r.unit.empty()) out["unit"] = r.unit;
    if (!r.title.empty()) out["title"] = r.title;
    if (!r.change.empty()) out["change"] = r.change;
    Json axes = Json::object();
    for (const Axis& axis : r.axes) axes[axis.name] = to(axis);
    out["axes"] = std::move(axes);
    out["device"] = r.device;
    out["model"] = r.model.empty() ? Json() : Json(r.model);
    out["grid"] = r.grid ? to(*r.grid) : Json();
    out["block"] = r.block ? to(*r.block) : Json();
    out["verified"] = or_null(r.verified);
    out["known_incorrect"] = r.known_incorrect;
    out["error"] = or_null(r.error);
    if (r.left_out) out["left_out"] = *r.left_out;
    const auto optional = [&](const char* key, const auto& value) {
        if (value) out[key] = to(*value);
    };
    optional("verification", r.verification);
    if (r.flops) out["flops"] = *r.flops;
    if (r.bytes) out["bytes"] = *r.bytes;
    optional("time", r.time);
    optional("quantity", r.quantity);
    optional("speedup", r.speedup);
    optional("predicted", r.predicted);
    optional("bound", r.bound);
    optional("ceiling", r.ceiling);
    optional("occupancy", r.occupancy);
    optional("intensity", r.intensity);
    if (r.emulation_s) out["emulation_s"] = *r.emulation_s;
    if (r.compile_s) out["compile_s"] = *r.compile_s;
    optional("counts", r.counts);
    if (!r.lines.empty()) {
        Json lines = Json::array();
        for (const LineCounts& line : r.lines)
            lines.push_back({{"file", line.file}, {"line", line.line}, {"counts", to(line.counts)}});
        out["lines"] = std::move(lines);
    }
    if (!r.notes.empty()) out["notes"] = r.notes;
    return out;
}

Json to(const Environment& e) {
    Json environment = {{"version", e.version},           {"date", e.date},     {"cpu", e.cpu},    {"target", e.target},
                        {"host_threads", e.host_threads}, {"device", e.device}, {"model", e.model}};
    if (!e.device_name.empty()) environment["device_name"] = e.device_name;
    if (!e.driver.empty()) environment["driver"] = e.driver;
    if (e.clock_mhz > 0) environment["clock_mhz"] = e.clock_mhz;
    if (e.memory_clock_mhz > 0) environment["memory_clock_mhz"] = e.memory_clock_mhz;
    return environment;
}

template <class T>
std::string line(const T& value) {
    return to(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string to_json(const Record& record) { return line(record); }
std::string to_json(const Environment& environment) { return line(environment); }

std::string to_json(const RecordSet& set) {
    Json records = Json::array();
    for (const Record& r : set.records) records.push_back(to(r));
    Json root = {{"schema", kSchema}, {"environment", to(set.environment)}, {"records", std::move(records)}};
    if (!set.incomplete.empty()) root["incomplete"] = set.incomplete;
    return root.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace warpwright::record
