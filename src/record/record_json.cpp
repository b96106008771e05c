// Schema 1 of docs/records.md: each type lists its members once, for writing and for reading.
#include "record/json_fields.hpp"

namespace warpwright::record {

namespace {

// Ordered, so that axes come back in the order they were written in.
using Json = nlohmann::ordered_json;
using Writer = JsonWriter<Json>;
using Reader = JsonReader<Json>;

}  // namespace

static void put(Json& out, const std::vector<Axis>& axes) {
    out = Json::object();
    for (const Axis& axis : axes) std::visit([&](const auto& v) { out[axis.name] = v; }, axis.value);
}

static void take(Reader& r, const Json& node, const std::string& path, std::vector<Axis>& axes) {
    if (!node.is_object()) return r.fail(path, "must be an object");
    for (const auto& [name, item] : node.items()) {
        if (item.is_number_integer() && (!item.is_number_unsigned() || item.get<std::uint64_t>() <= INT64_MAX))
            axes.push_back({name, item.get<std::int64_t>()});
        else if (item.is_number())
            axes.push_back({name, item.get<double>()});
        else if (item.is_string())
            axes.push_back({name, item.get<std::string>()});
        else
            r.fail(path + '.' + name, "must be a number or a string");
    }
}

template <class V>
void fields(V& v, Time& t) {
    v("median_s", t.median_s), v("min_s", t.min_s), v("spread", t.spread), v("samples", t.samples);
    v.when(t.timed_share.has_value(), "timed_share", t.timed_share);
    v.skip("cache", t.cache);
    v.when(t.clock_mhz.has_value(), "clock_mhz", t.clock_mhz);
    v.when(t.memory_clock_mhz.has_value(), "memory_clock_mhz", t.memory_clock_mhz);
    v.when(t.power_w.has_value(), "power_w", t.power_w);
    // Empty if the device was monitored and nothing limited it.
    v.when(t.clock_mhz || !t.throttle.empty(), "throttle", t.throttle);
}
template <class V>
void fields(V& v, Quantity& q) {
    v("median", q.median), v("best", q.best), v("spread", q.spread), v("samples", q.samples), v("unit", q.unit);
    v.skip("sheet", q.sheet);
}
template <class V>
void fields(V& v, Speedup& s) {
    v.skip("first", s.first), v.skip("cpu", s.cpu), v.skip("vendor", s.vendor);
}
template <class V>
void fields(V& v, BoundTerm& t) {
    v("resource", t.resource), v("seconds", t.seconds), v("share", t.share), v("basis", t.basis);
    v.skip("upper_seconds", t.upper_seconds);
}
template <class V>
void fields(V& v, Bound& b) {
    v("seconds", b.seconds), v("binds", b.binds), v("estimated", b.estimated), v("terms", b.terms);
    v("notes", b.notes);
}
template <class V>
void fields(V& v, Ceiling& c) {
    v("resource", c.resource), v("rate", c.rate), v("share", c.share), v("source", c.source);
}
template <class V>
void fields(V& v, OccupancyRecord& o) {
    bool estimated = o.registers_estimated();
    v("registers", o.registers), v("registers_estimated", estimated), v("shared", o.shared);
    v.skip("registers_source", o.registers_source);
    // Records of earlier versions say only whether they are estimated.
    if (estimated && o.registers_source.empty()) o.registers_source = kEstimated;
    v("blocks", o.blocks), v("warps", o.warps), v("fraction", o.fraction), v("limiter", o.limiter);
    v("waves", o.waves), v("wave_utilisation", o.wave_utilisation);
}
template <class V>
void fields(V& v, Intensity& i) {
    v.null("cgma", i.cgma), v.null("per_byte", i.per_byte), v.null("per_dram_byte", i.per_dram_byte);
}
template <class V>
void fields(V& v, Verification& x) {
    v("elements", x.elements), v("mismatches", x.mismatches), v("max_absolute_error", x.max_absolute_error);
    v("max_relative_error", x.max_relative_error), v("tolerance", x.tolerance), v("reference", x.reference);
    v("method", x.method), v("first_mismatch", x.first_mismatch);
}
template <class V>
void fields(V& v, Record& r) {
    v("experiment", r.experiment), v.skip("rung", r.rung), v.skip("kernel", r.kernel), v.skip("library", r.library);
    v.skip("unit", r.unit), v.skip("title", r.title), v.skip("change", r.change), v("axes", r.axes);
    v("device", r.device), v.null("model", r.model), v.null("grid", r.grid), v.null("block", r.block);
    v.null("verified", r.verified), v("known_incorrect", r.known_incorrect), v.null("error", r.error);
    v.skip("left_out", r.left_out), v.skip("verification", r.verification), v.skip("flops", r.flops);
    v.skip("bytes", r.bytes), v.skip("time", r.time), v.skip("quantity", r.quantity), v.skip("speedup", r.speedup);
    v.skip("predicted", r.predicted), causes_field(v, r.predicted), v.skip("unpredicted", r.unpredicted);
    v.skip("bound", r.bound), v.skip("ceiling", r.ceiling);
    v.skip("occupancy", r.occupancy), v.skip("intensity", r.intensity), v.skip("emulation_s", r.emulation_s);
    v.skip("compile_s", r.compile_s), v.skip("host_code", r.host_code), v.skip("counts", r.counts),
        v.skip("counts_half_width_95", r.counts_error), v.skip("lines", r.lines), v.skip("notes", r.notes);
}
template <class V>
void fields(V& v, Environment& e) {
    v("version", e.version), v("date", e.date), v("cpu", e.cpu), v("target", e.target);
    v("host_threads", e.host_threads), v("device", e.device), v("model", e.model);
    v.skip("device_name", e.device_name), v.skip("driver", e.driver);
    v.skip("clock_mhz", e.clock_mhz), v.skip("memory_clock_mhz", e.memory_clock_mhz);
}
template <class V>
void fields(V& v, RecordSet& s) {
    v("environment", s.environment), v("records", s.records), v.skip("incomplete", s.incomplete);
}

namespace {

template <class T>
std::string line(const T& value) {
    return Writer::write(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Line and column of a byte offset, both from 1.
Location locate(const std::string& file, const std::string& text, std::size_t byte) {
    Location at{file, 1, 1};
    for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
        at.column = text[i] == '\n' ? 1 : at.column + 1;
        at.line += text[i] == '\n';
    }
    return at;
}

}  // namespace

std::string to_json(const Record& record) { return line(record); }
std::string to_json(const Environment& environment) { return line(environment); }

std::string to_json(const RecordSet& set) {
    Writer root;
    root.out["schema"] = kSchema;
    fields(root, const_cast<RecordSet&>(set));  // a writer only reads
    return root.out.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<RecordSet> from_json(const std::string& text, const std::string& file) {
    Error error;
    error.kind = ErrorKind::input;
    Json root;
    try {
        root = Json::parse(text);
    } catch (const Json::parse_error& e) {
        error.what = "not JSON";
        error.where = locate(file, text, e.byte);
        return error;
    } catch (const Json::exception& e) {
        // For example a number beyond the range of a double; the parser does not say where.
        return Error{ErrorKind::input, std::string("not JSON that can be read: ") + e.what(), Location{file, 0, 0}, ""};
    }
    JsonProblem problem;
    Reader reader(root, "", problem);
    RecordSet out;
    if (root.is_object()) {
        std::uint32_t schema = 0;
        reader("schema", schema);
        if (schema != kSchema) reader.fail("schema", "must be " + std::to_string(kSchema));
        fields(reader, out);
    }
    if (!problem.any()) return out;
    error.what = "'" + problem.path + "' " + problem.what;
    error.where.file = file;
    return error;
}

}  // namespace warpwright::record
