// A profile as CSV: a row for each kernel and each kind of copy.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/escape.hpp"
#include "report/program.hpp"

namespace warpwright::report {

std::string program_csv(const Profile& p, const arch::DeviceModel& model, const Selection& selection) {
    std::string out = fmt::format(
        "kind,name,grid,block,calls,time_{}_s,average_s,min_s,max_s,bytes,{},bound_by,occupancy,registers,shared",
        p.measured() ? "measured" : "predicted", p.measured() ? "device" : "model");
    for (const record::CountName& name : record::count_names()) out += "," + std::string(name.key);
    // A real GPU's own counters, and how many launches all of them are of.
    std::set<std::string> metrics;
    for (const auto& k : p.kernels)
        for (const auto& [name, sum] : k.metrics) metrics.insert(name);
    if (p.measured()) out += ",launches_counted";
    const bool predicted = std::any_of(p.kernels.begin(), p.kernels.end(), [](const auto& k) { return k.predicted; });
    if (!p.measured()) out += ",time_method";
    if (predicted)
        for (const record::FigureInfo& f : record::figures()) out += ",predicted_" + std::string(f.key);
    for (const auto& name : metrics) out += "," + csv_field(name);
    out += "\r\n";
    const std::string& where = p.measured() ? p.device : model.name;
    const std::string empty(record::count_names().size(), ',');
    auto times = [](const profile::Times& t) {
        return fmt::format("{},{:.9g},{:.9g},{:.9g},{:.9g}", t.calls, t.total, t.average(), t.min, t.max);
    };
    for (const auto& k : summarise(p, model, selection)) {
        const auto& u = *k.use;
        out += fmt::format("kernel,{},{}x{}x{},{}x{}x{},{},,{},{},{:.4g},{},{}", csv_field(k.name), u.grid.x, u.grid.y,
                           u.grid.z, u.block.x, u.block.y, u.block.z, times(u.times), csv_field(where),
                           csv_field(k.bound.binds), k.occupancy.fraction, u.registers,
                           u.static_shared + u.dynamic_shared);
        for (const record::CountName& name : record::count_names())
            out += "," + (p.knows(name.count) && (u.counted || !p.measured()) ? std::to_string(u.counts[name.count])
                                                                              : std::string());
        if (p.measured()) out += "," + std::to_string(u.counted);
        if (!p.measured()) out += "," + csv_field(method_of(u));
        for (const record::FigureInfo& f : record::figures())
            if (predicted)
                out += u.predicted && *u.predicted.*f.value ? fmt::format(",{:.9g}", *(*u.predicted.*f.value)) : ",";
        for (const auto& name : metrics) {
            auto at = u.metrics.find(name);
            out += "," + (at == u.metrics.end() ? std::string() : fmt::format("{:.9g}", at->second));
        }
        out += "\r\n";
    }
    for (const auto& c : p.copies)
        out += fmt::format(
            "copy,{},,,{},{},{},,,,{}\r\n", csv_field(c.name), times(c.times), c.bytes, csv_field(where),
            empty +
                std::string((p.measured() ? 1 + metrics.size() : 1) + (predicted ? record::figures().size() : 0), ','));
    return out;
}

}  // namespace warpwright::report
