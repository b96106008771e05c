#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "record/record.hpp"

namespace warpwright::record {

namespace {

// Ordered, so that axes come back in the order they were written in.
using Json = nlohmann::ordered_json;

/// Line and column of a byte offset, both from 1.
Location locate(const std::string& file, const std::string& text, std::size_t byte) {
    Location at{file, 1, 1};
    for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
        at.column = text[i] == '\n' ? 1 : at.column + 1;
        at.line += text[i] == '\n';
    }
    return at;
}

/// Takes values out of a JSON tree. The first thing wrong is kept; later reads then do nothing that matters.
class Reader {
public:
    explicit Reader(const std::string& file) : file_(file) {}

    bool failed() const { return error_.has_value(); }
    const Error& error() const { return *error_; }

    void fail(const std::string& path, const std::string& what) {
        if (error_) return;
        Error error;
        error.kind = ErrorKind::input;
        error.what = fmt::format("'{}' {}", path, what);
        error.where.file = file_;
        error_ = std::move(error);
    }

    bool is_object(const Json& node, const std::string& path) {
        if (!node.is_object()) fail(path, "must be an object");
        return node.is_object();
    }

    /// The member, or null when it is missing or null.
    static const Json* member(const Json& node, const char* key) {
        const auto it = node.find(key);
        return it == node.end() || it->is_null() ? nullptr : &*it;
    }

    void value(const Json& node, const std::string& path, std::string& out) {
        if (!node.is_string()) return fail(path, "must be a string");
        out = node.get<std::string>();
    }
    void value(const Json& node, const std::string& path, bool& out) {
        if (!node.is_boolean()) return fail(path, "must be true or false");
        out = node.get<bool>();
    }
    void value(const Json& node, const std::string& path, double& out) {
        if (!node.is_number()) return fail(path, "must be a number");
        out = node.get<double>();
    }
    template <class T>
        requires std::is_unsigned_v<T>
    void value(const Json& node, const std::string& path, T& out) {
        if (!node.is_number_unsigned() || node.get<std::uint64_t>() > std::numeric_limits<T>::max())
            return fail(path, "must be a whole number, not negative and in range");
        out = node.get<T>();
    }
    void value(const Json& node, const std::string& path, Extent& out) {
        if (!node.is_array() || node.size() != 3) return fail(path, "must be three numbers");
        value(node[0], path, out.x);
        value(node[1], path, out.y);
        value(node[2], path, out.z);
    }
    void value(const Json& node, const std::string& path, std::vector<std::string>& out) {
        if (!node.is_array()) return fail(path, "must be a list of strings");
        for (const Json& item : node) value(item, path, out.emplace_back());
    }
    void value(const Json& node, const std::string& path, Time& out) {
        if (!is_object(node, path)) return;
        get(node, path, "median_s", out.median_s);
        get(node, path, "min_s", out.min_s);
        get(node, path, "spread", out.spread);
        get(node, path, "samples", out.samples);
        get(node, path, "cache", out.cache);
        get(node, path, "clock_mhz", out.clock_mhz);
        get(node, path, "memory_clock_mhz", out.memory_clock_mhz);
        get(node, path, "power_w", out.power_w);
        get(node, path, "throttle", out.throttle);
    }
    void value(const Json& node, const std::string& path, Quantity& out) {
        if (!is_object(node, path)) return;
        get(node, path, "median", out.median);
        get(node, path, "best", out.best);
        get(node, path, "spread", out.spread);
        get(node, path, "samples", out.samples);
        get(node, path, "unit", out.unit);
        get(node, path, "sheet", out.sheet);
    }
    void value(const Json& node, const std::string& path, Speedup& out) {
        if (!is_object(node, path)) return;
        get(node, path, "first", out.first);
        get(node, path, "cpu", out.cpu);
        get(node, path, "vendor", out.vendor);
    }
    void value(const Json& node, const std::string& path, Predicted& out) {
        if (!is_object(node, path)) return;
        get(node, path, "seconds", out.seconds);
        get(node, path, "method", out.method);
    }
    void value(const Json& node, const std::string& path, BoundTerm& out) {
        if (!is_object(node, path)) return;
        get(node, path, "resource", out.resource);
        get(node, path, "seconds", out.seconds);
        get(node, path, "share", out.share);
        get(node, path, "basis", out.basis);
        get(node, path, "upper_seconds", out.upper_seconds);
    }
    void value(const Json& node, const std::string& path, Bound& out) {
        if (!is_object(node, path)) return;
        get(node, path, "seconds", out.seconds);
        get(node, path, "binds", out.binds);
        get(node, path, "estimated", out.estimated);
        get(node, path, "terms", out.terms);
        get(node, path, "notes", out.notes);
    }
    void value(const Json& node, const std::string& path, Ceiling& out) {
        if (!is_object(node, path)) return;
        get(node, path, "resource", out.resource);
        get(node, path, "rate", out.rate);
        get(node, path, "share", out.share);
        get(node, path, "source", out.source);
    }
    void value(const Json& node, const std::string& path, OccupancyRecord& out) {
        if (!is_object(node, path)) return;
        get(node, path, "registers", out.registers);
        get(node, path, "registers_estimated", out.registers_estimated);
        get(node, path, "shared", out.shared);
        get(node, path, "blocks", out.blocks);
        get(node, path, "warps", out.warps);
        get(node, path, "fraction", out.fraction);
        get(node, path, "limiter", out.limiter);
        get(node, path, "waves", out.waves);
        get(node, path, "wave_utilisation", out.wave_utilisation);
    }
    void value(const Json& node, const std::string& path, Intensity& out) {
        if (!is_object(node, path)) return;
        get(node, path, "cgma", out.cgma);
        get(node, path, "per_byte", out.per_byte);
        get(node, path, "per_dram_byte", out.per_dram_byte);
    }
    void value(const Json& node, const std::string& path, Verification& out) {
        if (!is_object(node, path)) return;
        get(node, path, "elements", out.elements);
        get(node, path, "mismatches", out.mismatches);
        get(node, path, "max_absolute_error", out.max_absolute_error);
        get(node, path, "max_relative_error", out.max_relative_error);
        get(node, path, "tolerance", out.tolerance);
        get(node, path, "reference", out.reference);
        get(node, path, "method", out.method);
        get(node, path, "first_mismatch", out.first_mismatch);
    }
    void value(const Json& node, const std::string& path, Counts& out) {
        if (!is_object(node, path)) return;
        for (unsigned i = 0; i < kCounts; ++i) get(node, path, std::string(count_key(Count(i))).c_str(), out.values[i]);
    }
    void value(const Json& node, const std::string& path, LineCounts& out) {
        if (!is_object(node, path)) return;
        get(node, path, "file", out.file);
        get(node, path, "line", out.line);
        get(node, path, "counts", out.counts);
    }
    void value(const Json& node, const std::string& path, Record& out) {
        if (!is_object(node, path)) return;
        get(node, path, "experiment", out.experiment);
        get(node, path, "rung", out.rung);
        get(node, path, "kernel", out.kernel);
        get(node, path, "library", out.library);
        get(node, path, "unit", out.unit);
        get(node, path, "title", out.title);
        get(node, path, "change", out.change);
        if (const Json* axes = member(node, "axes"); axes && is_object(*axes, path + ".axes"))
            for (const auto& [name, item] : axes->items()) axis(item, path + ".axes." + name, name, out.axes);
        get(node, path, "device", out.device);
        get(node, path, "model", out.model);
        get(node, path, "grid", out.grid);
        get(node, path, "block", out.block);
        get(node, path, "verified", out.verified);
        get(node, path, "known_incorrect", out.known_incorrect);
        get(node, path, "error", out.error);
        get(node, path, "left_out", out.left_out);
        get(node, path, "verification", out.verification);
        get(node, path, "flops", out.flops);
        get(node, path, "bytes", out.bytes);
        get(node, path, "time", out.time);
        get(node, path, "quantity", out.quantity);
        get(node, path, "speedup", out.speedup);
        get(node, path, "predicted", out.predicted);
        get(node, path, "bound", out.bound);
        get(node, path, "ceiling", out.ceiling);
        get(node, path, "occupancy", out.occupancy);
        get(node, path, "intensity", out.intensity);
        get(node, path, "emulation_s", out.emulation_s);
        get(node, path, "compile_s", out.compile_s);
        get(node, path, "counts", out.counts);
        get(node, path, "lines", out.lines);
        get(node, path, "notes", out.notes);
    }
    void value(const Json& node, const std::string& path, Environment& out) {
        if (!is_object(node, path)) return;
        get(node, path, "version", out.version);
        get(node, path, "date", out.date);
        get(node, path, "cpu", out.cpu);
        get(node, path, "target", out.target);
        get(node, path, "host_threads", out.host_threads);
        get(node, path, "device", out.device);
        get(node, path, "model", out.model);
        get(node, path, "device_name", out.device_name);
        get(node, path, "driver", out.driver);
        if (const Json* clock = member(node, "clock_mhz")) value(*clock, path + ".clock_mhz", out.clock_mhz);
        if (const Json* clock = member(node, "memory_clock_mhz"))
            value(*clock, path + ".memory_clock_mhz", out.memory_clock_mhz);
    }
    template <class T>
    void value(const Json& node, const std::string& path, std::optional<T>& out) {
        value(node, path, out.emplace());
    }
    template <class T>
    void value(const Json& node, const std::string& path, std::vector<T>& out) {
        if (!node.is_array()) return fail(path, "must be a list");
        for (std::size_t i = 0; i < node.size() && !failed(); ++i)
            value(node[i], fmt::format("{}[{}]", path, i), out.emplace_back());
    }

    /// A member that may be missing or null, and then leaves `out` as it was; a number that is null was not finite
    /// when it was written, and must not come back as 0.
    template <class T>
    void get(const Json& node, const std::string& path, const char* key, T& out) {
        if constexpr (std::is_same_v<T, double>)
            if (const auto it = node.find(key); it != node.end() && it->is_null())
                out = std::numeric_limits<double>::quiet_NaN();
        if (const Json* found = member(node, key)) value(*found, path.empty() ? key : path + '.' + key, out);
    }

private:
    void axis(const Json& node, const std::string& path, const std::string& name, std::vector<Axis>& out) {
        if (node.is_number_integer() && (!node.is_number_unsigned() || node.get<std::uint64_t>() <= INT64_MAX))
            out.push_back({name, node.get<std::int64_t>()});
        else if (node.is_number())
            out.push_back({name, node.get<double>()});
        else if (node.is_string())
            out.push_back({name, node.get<std::string>()});
        else
            fail(path, "must be a number or a string");
    }

    const std::string& file_;
    std::optional<Error> error_;
};

}  // namespace

Result<RecordSet> from_json(const std::string& text, const std::string& file) {
    Json root;
    try {
        root = Json::parse(text);
    } catch (const Json::parse_error& e) {
        Error error;
        error.kind = ErrorKind::input;
        error.what = "not JSON";
        error.where = locate(file, text, e.byte);
        return error;
    }
    Reader reader(file);
    RecordSet out;
    std::uint32_t schema = 0;
    if (reader.is_object(root, "the document")) {
        reader.get(root, "", "schema", schema);
        if (schema != kSchema) reader.fail("schema", fmt::format("must be {}", kSchema));
        reader.get(root, "", "environment", out.environment);
        reader.get(root, "", "records", out.records);
        reader.get(root, "", "incomplete", out.incomplete);
    }
    if (reader.failed()) return reader.error();
    return out;
}

}  // namespace warpwright::record
