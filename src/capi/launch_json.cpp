#include "capi/launch_json.hpp"

#include "cudart/state/runtime.hpp"
#include "predict/launch_work.hpp"
#include "predict/prediction.hpp"
#include "record/finding_fields.hpp"
#include "record/metrics.hpp"
#include "record/record.hpp"
#include "support/demangle.hpp"

namespace warpwright::capi {
namespace {

record::Extent extent(const device::Dim3& d) { return {d.x, d.y, d.z}; }

record::Record record_of(const LaunchReport& r) {
    const auto& config = r.launch->config;
    record::Record out;
    out.experiment = "launch";
    out.kernel = r.launch->kernel->name;
    out.device = "emulated";
    out.grid = extent(config.grid);
    out.block = extent(config.block);
    if (r.error) out.error = r.error->text();
    if (!r.result) return out;
    out.emulation_s = r.result->host_seconds;
    out.compile_s = r.result->compile_seconds;
    if (!r.result->counts) return out;
    out.counts = r.result->counts->total;
    out.lines = r.result->counts->lines;
    const auto& model = cudart::Runtime::get().model();
    predict::annotate(out, predict::launch_work(*r.launch->kernel->info, config, *r.result), model);
    if (!r.timed) return out;
    if (r.timed->predicted) out.predicted = r.timed->predicted;
    if (out.unpredicted.empty()) out.unpredicted = r.timed->unpredicted;
    return out;
}

/// Every derived metric; null where its divisor is zero.
Json derived(const record::Counts& counts) {
    Json out = Json::object();
    for (unsigned k = 0; k < record::kDerived; ++k) {
        const auto metric = static_cast<record::Derived>(k);
        const std::string key(record::info(metric).key);
        const auto value = record::value(counts, metric);
        if (record::is_sum(metric))
            out[key] = record::total(counts, metric);
        else
            out[key] = value ? Json(*value) : Json();
    }
    return out;
}

}  // namespace

Json launch_json(const LaunchReport& r) {
    // The record's own writer is the one place that knows its keys.
    const record::Record record = record_of(r);
    Json out = Json::parse(record::to_json(record));
    std::string name = demangle(r.launch->kernel->name);
    out["signature"] = name;
    if (const auto& c = r.launch->config; c.dynamic_shared) out["dynamic_shared"] = c.dynamic_shared;
    if (record.counts) out["derived"] = derived(*record.counts);
    if (r.from_device) out["from_device"] = true;
    if (!r.output.empty()) out["output"] = r.output;
    if (!r.findings.empty()) out["findings"] = record::JsonWriter<nlohmann::json>::write(r.findings);
    if (r.error) out["fault"] = error_json(*r.error);
    return out;
}

}  // namespace warpwright::capi
