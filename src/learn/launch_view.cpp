// Least times are sums over the launches of an exercise; what binds is told of the longest of them.
#include "learn/launch_view.hpp"

#include <algorithm>

#include "record/counts.hpp"

namespace warpwright::learn {

void LaunchView::add(record::LaunchPicture picture) {
    for (auto& one : picture.accesses) accesses.push_back(std::move(one));
    if (picture.warps.cycles > course.cycles) course = std::move(picture.warps);
}

void LaunchView::add(const predict::Work& work, const std::vector<arch::DeviceModel>& on) {
    for (const arch::DeviceModel& m : on) {
        auto it = std::find_if(models.begin(), models.end(), [&](const OnModel& one) { return one.name == m.name; });
        if (it == models.end()) it = models.insert(models.end(), OnModel{m.name, "", 0, "", 0, 0});
        if (!it->why.empty()) continue;
        it->why = predict::why_impossible(work, m);
        if (!it->why.empty()) continue;
        const record::Bound bound = predict::bound(work, m);
        it->seconds += bound.seconds;
        if (bound.seconds < it->longest) continue;
        it->longest = bound.seconds, it->binds = bound.binds;
        it->occupancy = predict::occupancy_record(work, m).fraction;
    }
}

std::optional<Roofline> roofline_of(const record::Record& counted, const arch::DeviceModel& model) {
    if (!counted.predicted || !counted.counts) return std::nullopt;
    const auto& p = *counted.predicted;
    Roofline out{model.dram_bandwidth(), model.flops_f32(), 0, 0, p.seconds};
    out.operations = static_cast<double>((*counted.counts)[record::Count::flops]);
    out.bytes = p.dram_read.value_or(0) + p.dram_written.value_or(0);
    if (out.bandwidth <= 0 || out.peak <= 0 || out.seconds <= 0) return std::nullopt;
    return out;
}

}  // namespace warpwright::learn
