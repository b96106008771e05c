// What a kernel's counts say: bound, occupancy, the lines that cost most, and what holds it back.
#include <fmt/format.h>

#include <algorithm>

#include "predict/bound.hpp"
#include "predict/causes.hpp"
#include "profile/names.hpp"
#include "report/format.hpp"
#include "report/program.hpp"

namespace warpwright::report {
namespace {

using record::Count;
using record::Derived;

/// What a line costs, in issue slots and passes: a common measure, to rank lines of one kernel.
double cost(const record::Counts& c) {
    return static_cast<double>(c[Count::instructions]) + 2 * static_cast<double>(total(c, Derived::memory_sectors)) +
           2 * static_cast<double>(total(c, Derived::shared_wavefronts));
}

}  // namespace

/// What a real GPU's counters say of an average launch.
static HardwareSummary hardware_of(const KernelSummary& k) {
    HardwareSummary h;
    const auto& u = *k.use;
    using record::Hardware;
    const auto take = [&](Hardware metric) { return u.metric(std::string(record::hardware_name(metric))); };
    if (auto ns = take(Hardware::duration)) h.seconds = *ns * 1e-9;
    h.occupancy = take(Hardware::occupancy);
    h.dram_read = take(Hardware::dram_read), h.dram_written = take(Hardware::dram_written);
    h.dram_share = take(Hardware::dram_share), h.l2_share = take(Hardware::l2_share);
    h.l1_share = take(Hardware::l1_share), h.issue_share = take(Hardware::issue_share);
    return h;
}

std::string method_of(const KernelUse& use) {
    if (!use.predicted) return "bound";
    return use.predicted->launches < use.times.calls ? use.predicted->method + "; bound" : use.predicted->method;
}

std::string times_word(const Profile& profile) {
    const auto& kernels = profile.kernels;
    const bool bounds = std::none_of(kernels.begin(), kernels.end(), [](const auto& k) { return k.predicted; });
    return bounds && !kernels.empty() ? "bounds" : "predicted";
}

std::string bound_mark(const Profile& profile, const KernelUse& use) {
    return profile.measured() || use.predicted || times_word(profile) == "bounds" ? "" : " [bound]";
}

predict::Work work_of(const KernelUse& use) {
    predict::Work work;
    work.grid = use.grid, work.block = use.block;
    work.registers = use.registers;
    work.registers_source = use.registers_source.empty() ? std::string(record::kEstimated) : use.registers_source;
    work.shared = use.static_shared + use.dynamic_shared;
    work.counts = use.average_counts(), work.touched = use.average_touched();
    return work;
}

std::vector<KernelSummary> summarise(const Profile& profile, const arch::DeviceModel& model,
                                     const Selection& selection) {
    std::vector<KernelSummary> out;
    for (const auto& k : profile.kernels) {
        KernelSummary s;
        s.use = &k;
        s.name = profile::title(k);
        if (!profile::matches(k.name, selection.kernel)) continue;
        if (k.counted) {
            auto work = work_of(k);
            s.average = work.counts;
            if (profile.measured()) {
                work.registers_source = record::kByDriver;
                if (!model.name.empty()) s.occupancy = predict::occupancy_record(work, model);
                s.hardware = hardware_of(s);
            } else {
                s.bound = predict::bound(work, model);
                s.occupancy = predict::occupancy_record(work, model);
                s.intensity = predict::intensity(work, model);
            }
        }
        out.push_back(std::move(s));
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.use->times.total > b.use->times.total; });
    return out;
}

std::vector<CostlyLine> costly_lines(const KernelSummary& kernel, std::size_t most) {
    std::vector<CostlyLine> lines;
    double all = 0;
    for (const auto& [where, counts] : kernel.use->lines) {
        const double c = cost(counts);
        all += c;
        lines.push_back({where.first, where.second, counts, c});
    }
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
    if (lines.size() > most) lines.resize(most);
    for (auto& l : lines) l.share = all > 0 ? l.share / all : 0;
    return lines;
}

std::vector<record::Bottleneck> causes_of(const KernelSummary& k) {
    if (k.use->predicted) return k.use->predicted->causes;
    return predict::causes_of_shape(k.use->grid, k.use->block, k.occupancy);
}

}  // namespace warpwright::report
