// What a kernel's counts say: bound, occupancy, the lines that cost most and what to change about them.
#include <fmt/format.h>

#include <algorithm>

#include "predict/bound.hpp"
#include "profile/names.hpp"
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

std::string advice_for(const record::Counts& c) {
    const auto loads = c[Count::global_load_requests], stores = c[Count::global_store_requests],
               atomics = c[Count::global_atomic_requests];
    const double per_load = value(c, Derived::global_load_sectors_per_request).value_or(0),
                 per_store = value(c, Derived::global_store_sectors_per_request).value_or(0);
    if (loads && per_load > 16.5)
        return fmt::format(
            "{:.1f} sectors per load request: neighbouring threads read far apart; let threadIdx.x run along the "
            "contiguous dimension, or bring the data through shared memory",
            per_load);
    if (stores && per_store > 16.5)
        return fmt::format(
            "{:.1f} sectors per store request: neighbouring threads write far apart; let threadIdx.x run along the "
            "contiguous dimension, or transpose through shared memory",
            per_store);
    const auto conflicts = total(c, Derived::shared_excess_wavefronts);
    const auto shared = c[Count::shared_load_requests] + c[Count::shared_store_requests];
    if (conflicts > shared / 2)
        return fmt::format(
            "{:.1f} wavefronts per request to shared memory: pad the row by one element, or swizzle the index, so that "
            "the words of a warp fall into different banks",
            1 + (shared ? static_cast<double>(conflicts) / static_cast<double>(shared) : 0));
    if (atomics && value(c, Derived::global_atomic_sectors_per_request) < 4.0 &&
        c[Count::thread_instructions] > 16 * c[Count::instructions])
        return "atomics of a warp meet in few words: add up in the warp (shuffles, or __reduce_add_sync) or in shared "
               "memory first";
    if (total(c, Derived::local_requests) > 0)
        return "local memory: an array that is indexed at run time, or spilled registers; unroll the loop that indexes "
               "it, or keep it in shared memory";
    if (c[Count::divergent_branches] * 4 > c[Count::branches] && c[Count::divergent_branches] > 0)
        return fmt::format(
            "{:.0f} % of the branches split their warp: let whole warps take the same way, or turn the branch into a "
            "select",
            100 * value(c, Derived::branch_divergence).value_or(0));
    if (loads && per_load > 4.5 && per_load <= 16.5)
        return fmt::format(
            "{:.1f} sectors per load request; neighbouring elements of 4 bytes need 4: check the alignment and the "
            "stride, unless the elements are wider",
            per_load);
    if (loads + stores > 0)
        return "no sector is wasted: read less (keep values in registers or in shared memory), or let each thread move "
               "more at once (float4)";
    if (c[Count::mix_special] * 4 > c[Count::instructions])
        return "special functions: fast forms (__expf, rsqrtf), or fewer of them";
    if (c[Count::mix_integer] * 2 > c[Count::instructions])
        return "mostly index arithmetic: hoist it out of the loop, or let the compiler see constants";
    if (c[Count::barriers] > 0) return "barriers: let a block do more between two of them";
    if (shared > 0)
        return "shared memory without conflicts: keep values in registers, or hand them on within a warp by shuffles";
    if (c[Count::branches] * 4 > c[Count::instructions])
        return "counting and branching: unroll the loop (#pragma unroll), or do more in each turn of it";
    if ((c[Count::mix_fp32] + c[Count::mix_fp64]) * 4 > c[Count::instructions])
        return "arithmetic: fewer instructions (fused multiply-adds, unrolled loops, tensor cores where they fit)";
    return "";
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

static predict::Work work_of(const KernelUse& use) {
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

std::string kernel_advice(const KernelSummary& k) {
    const auto& o = k.occupancy;
    const auto threads = k.use->block.count();
    if (threads % 32 != 0)
        return fmt::format("blocks of {} threads leave {} lanes of the last warp idle: take a multiple of 32", threads,
                           32 - threads % 32);
    if (mostly_start(k))
        return fmt::format("{:.0f} % of its time is what any launch takes: let one launch do more work",
                           100 * *k.use->predicted->start_seconds / k.use->predicted->seconds);
    if (o.waves > 0 && o.waves < 0.5)
        return fmt::format(
            "the device could hold {:.3g} times as many blocks at once: take more blocks, or run several kernels at "
            "the same time",
            1 / o.waves);
    if (o.fraction > 0 && o.fraction < 0.25)
        return fmt::format("{:.0f} % occupancy, limited by {}: blocks that need less of it let more warps hide latency",
                           100 * o.fraction, o.limiter);
    return "";
}

}  // namespace warpwright::report
