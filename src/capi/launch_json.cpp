// The object starts as the JSON of a record, written by the one writer of records, and gets the fields that describe a
// single launch. Metrics whose divisor is zero become null, because JSON has no number for them.
#include "capi/launch_json.hpp"

#include "cudart/state/runtime.hpp"
#include "launch/record.hpp"
#include "predict/launch_work.hpp"
#include "predict/prediction.hpp"
#include "record/finding_fields.hpp"
#include "record/metrics.hpp"
#include "record/record.hpp"
#include "support/demangle.hpp"

namespace warpwright::capi {
namespace {

record::Record record_of(const LaunchReport& r) {
    const auto& config = r.launch->config;
    record::Record out;
    launch::describe(out, *r.launch->kernel->info, config);
    out.experiment = "launch";
    out.kernel = r.launch->kernel->name;  // as the module has it: the readable name stands beside it
    out.device = "emulated";
    if (r.error) out.error = r.error->text();
    if (!r.result) return out;
    launch::add(out, *r.result);
    if (!out.counts) return out;
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
