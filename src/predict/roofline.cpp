// The record's bytes and its FLOP give a roof each, and the one that takes longer binds. The bound is the data sheet's
// even where a measured rate exists, because a measurement may be exceeded.
#include "predict/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpwright::predict {
namespace {

/// One roof: an amount that is moved or computed, over its rate.
struct Roof {
    std::string resource;
    double amount = 0;  ///< FLOP or bytes
    double sheet = 0, measured = 0;
    const char* what = "";
};

/// "fp32" has the same name in the bounds of counts; tensor cores are named.
std::string resource_of(const std::string& unit) {
    if (unit == "fp32" || unit == "fp64" || unit == "fp16" || unit == "integer") return unit;
    return unit.starts_with("sparse_") ? "sparse tensor " + unit.substr(7) : "tensor " + unit;
}

std::string rate_text(double rate, const char* what) {
    return rate >= 1e12 ? fmt::format("{:.4g} T{}/s", rate / 1e12, what)
                        : fmt::format("{:.4g} G{}/s", rate / 1e9, what);
}

}  // namespace

void annotate_roofline(record::Record& r, const arch::DeviceModel& model) {
    std::vector<Roof> roofs;
    if (r.bytes && *r.bytes > 0)
        roofs.push_back({"DRAM", *r.bytes, model.memory.bandwidth,
                         std::max({model.ceilings.dram_read, model.ceilings.dram_write, model.ceilings.dram_copy}),
                         "B"});
    if (r.flops && *r.flops > 0 && !r.unit.empty() && r.unit != "none")
        roofs.push_back(
            {resource_of(r.unit), *r.flops, model.sheet_flops(r.unit), model.measured_flops(r.unit), "FLOP"});
    record::Bound bound;
    for (const Roof& roof : roofs) {
        if (roof.sheet > 0)
            bound.terms.push_back({roof.resource,
                                   roof.amount / roof.sheet,
                                   0,
                                   fmt::format("{:.4g} {} over {} by the data sheet", roof.amount, roof.what,
                                               rate_text(roof.sheet, roof.what)),
                                   {}});
        else
            bound.notes.push_back(fmt::format("the model has no rate for {}: the bound leaves it out", roof.resource));
    }
    if (bound.terms.empty()) return;
    std::stable_sort(bound.terms.begin(), bound.terms.end(),
                     [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    bound.seconds = bound.terms.front().seconds;
    bound.binds = bound.terms.front().resource;
    for (record::BoundTerm& t : bound.terms) t.share = t.seconds / bound.seconds;
    r.model = model.name;
    if (r.time && r.time->median_s > 0)
        for (const Roof& roof : roofs) {
            if (roof.resource != bound.binds) continue;
            const double rate = roof.measured > 0 ? roof.measured : roof.sheet;
            r.ceiling = record::Ceiling{roof.resource, rate, roof.amount / r.time->median_s / rate,
                                        roof.measured > 0 ? "measured" : "data sheet"};
        }
    r.bound = std::move(bound);
}

}  // namespace warpwright::predict
