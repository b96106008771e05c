// What a kernel's counts say: bound, occupancy, the lines that cost most and what to change about them.
#include <fmt/format.h>

#include <algorithm>

#include "predict/bound.hpp"
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

constexpr double kWorthAdvice = 0.1;

Text advice_for(const record::Counts& c) {
    const auto loads = c[Count::global_load_requests], stores = c[Count::global_store_requests],
               atomics = c[Count::global_atomic_requests];
    const double per_load = value(c, Derived::global_load_sectors_per_request).value_or(0),
                 per_store = value(c, Derived::global_store_sectors_per_request).value_or(0);
    if (loads && per_load > 16.5)
        return message("advice.load_sectors", {{"x", Figure{fmt::format("{:.1f}", per_load)}}});
    if (stores && per_store > 16.5)
        return message("advice.store_sectors", {{"x", Figure{fmt::format("{:.1f}", per_store)}}});
    const auto conflicts = total(c, Derived::shared_excess_wavefronts);
    const auto shared = c[Count::shared_load_requests] + c[Count::shared_store_requests];
    if (conflicts > shared / 2)
        return message(
            "advice.wavefronts",
            {{"x", Figure{fmt::format(
                       "{:.1f}", 1 + (shared ? static_cast<double>(conflicts) / static_cast<double>(shared) : 0))}}});
    if (atomics && value(c, Derived::global_atomic_sectors_per_request) < 4.0 &&
        c[Count::thread_instructions] > 16 * c[Count::instructions])
        return message("advice.atomics");
    if (total(c, Derived::local_requests) > 0) return message("advice.local");
    if (c[Count::divergent_branches] * 4 > c[Count::branches] && c[Count::divergent_branches] > 0)
        return message("advice.divergence",
                       {{"x", Figure{fmt::format("{:.0f}", 100 * value(c, Derived::branch_divergence).value_or(0))}}});
    if (loads && per_load > 4.5 && per_load <= 16.5)
        return message("advice.alignment", {{"x", Figure{fmt::format("{:.1f}", per_load)}}});
    if (loads + stores > 0) return message("advice.no_waste");
    if (c[Count::mix_special] * 4 > c[Count::instructions]) return message("advice.special");
    if (c[Count::mix_integer] * 2 > c[Count::instructions]) return message("advice.integer");
    if (c[Count::barriers] > 0) return message("advice.barriers");
    if (shared > 0) return message("advice.shared");
    if (c[Count::branches] * 4 > c[Count::instructions]) return message("advice.branches");
    if ((c[Count::mix_fp32] + c[Count::mix_fp64]) * 4 > c[Count::instructions]) return message("advice.arithmetic");
    return {};
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
        lines.push_back({where.first, where.second, counts, c, ""});
    }
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
    if (lines.size() > most) lines.resize(most);
    for (auto& l : lines) {
        l.share = all > 0 ? l.share / all : 0;
        // What costs little is not worth a change.
        if (l.share >= kWorthAdvice || &l == &lines.front()) l.advice = advice_for(l.counts);
    }
    return lines;
}

bool mostly_start(const KernelSummary& k) {
    const auto& p = k.use->predicted;
    return p && p->start_seconds && p->seconds > 0 && *p->start_seconds > p->seconds / 2;
}

Text kernel_advice(const KernelSummary& k) {
    const auto& o = k.occupancy;
    const auto threads = k.use->block.count();
    if (threads % 32 != 0)
        return message("advice.idle_lanes", {{"n", figure_of(threads)}, {"m", figure_of(32 - threads % 32)}});
    if (mostly_start(k))
        return message(
            "advice.start",
            {{"x", Figure{fmt::format("{:.0f}", 100 * *k.use->predicted->start_seconds / k.use->predicted->seconds)}}});
    if (o.waves > 0 && o.waves < 0.5) return message("advice.more_blocks", {{"x", Figure{short_number(1 / o.waves)}}});
    if (o.fraction > 0 && o.fraction < 0.25)
        return message("advice.occupancy",
                       {{"x", Figure{fmt::format("{:.0f}", 100 * o.fraction)}}, {"limiter", name_text(o.limiter)}});
    return {};
}

}  // namespace warpwright::report
