// The JSON of a comparison. A measured time, a predicted one and a bound have keys of their own, so that no reader can
// mistake one for another.
#include <nlohmann/json.hpp>

#include "store/compare.hpp"

namespace warpwright::store {

std::string to_json(const Comparison& comparison) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const Difference& d : comparison.differences) {
        Json axes = Json::object();
        for (const record::Axis& axis : d.axes) std::visit([&](const auto& v) { axes[axis.name] = v; }, axis.value);
        Json one = {{"experiment", d.experiment},
                    {"name", d.name},
                    {"axes", std::move(axes)},
                    {"device", d.device},
                    {"verdict", verdict_name(d.verdict)}};
        // For a time only its own kind's keys: measured and predicted never share one.
        if (d.a_s) one[d.bound ? "a_bound_s" : d.predicted ? "a_predicted_s" : "a_median_s"] = *d.a_s;
        if (d.b_s) one[d.bound ? "b_bound_s" : d.predicted ? "b_predicted_s" : "b_median_s"] = *d.b_s;
        if (d.ratio) one["ratio"] = *d.ratio, one["noise"] = d.noise;
        Json counts = Json::object();
        for (const CountDifference& c : d.counts) counts[std::string(record::count_key(c.count))] = {c.a, c.b};
        if (!counts.empty()) one["counts"] = std::move(counts);
        if (d.sampled) one["sampled"] = true;
        if (d.launches_differ()) one["launches"] = {d.a_launches, d.b_launches};
        if (d.causes_differ()) one["causes"] = {d.a_cause, d.b_cause};
        if (!d.remark.empty()) one["remark"] = d.remark;
        list.push_back(std::move(one));
    }
    Json root = {{"schema", record::kSchema}, {"differences", std::move(list)}};
    if (comparison.findings_compared)
        root["findings"] = {{"new", comparison.new_findings}, {"gone", comparison.gone_findings}};
    return root.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace warpwright::store
