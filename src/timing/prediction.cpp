// One multiprocessor is simulated with a sample of its blocks, and its cycles are scaled to the grid: by the later part
// of the sample where blocks come in turn, by the multiprocessor with most to do where all run at once.
#include "timing/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "arch/occupancy.hpp"
#include "machine/footprint.hpp"
#include "machine/mix.hpp"
#include "support/cause.hpp"
#include "timing/unequal_blocks.hpp"

namespace warpwright::timing {

namespace {

/// Times that a multiprocessor's places are filled by a sample: the first filling has the caches cold and all warps
/// in step, those after it are as the rest of the grid.
constexpr std::uint32_t kFillings = 3;
/// Sizes that shared memory can be set to, of a first level that holds both (KiB).
constexpr double kCarveOuts[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

double l1_left(const arch::DeviceModel& m, double shared_in_use) {
    const double all = static_cast<double>(m.cache.l1);
    if (!m.cache.l1_unified) return all;
    for (const double kib : kCarveOuts)
        if (kib * 1024 >= shared_in_use) return std::max(all - kib * 1024, 0.0);
    return std::max(all - shared_in_use, 0.0);
}

/// The blocks of one multiprocessor, of which a sample is simulated.
struct BlocksOfOne {
    double all = 0, sampled = 0;
    unsigned resident = 1;

    /// Whether the later part of the sample tells how the rest goes on: what is between the middle of the first
    /// filling's ends and that of the last one's.
    bool has_later_part() const { return all > sampled && sampled > resident; }
    std::size_t from() const { return resident / 2; }
    std::size_t to() const {
        const auto n = static_cast<std::size_t>(sampled);
        return n - 1 - std::min<std::size_t>(resident / 2, n - 2 - from());
    }
    /// The cycles of all, from the sample's and those of its later part: what that took per block goes on for the rest.
    double cycles_of_all(double cycles, double of_later_part) const {
        if (all <= sampled) return cycles;
        const double rest = all - sampled;
        if (sampled <= resident) return cycles * all / sampled;
        const double per_block = of_later_part / static_cast<double>(to() - from());
        return cycles + rest * std::max(per_block, cycles / sampled / 4);
    }
};

double cycles_of_all_blocks(const SimulationResult& result, const BlocksOfOne& blocks) {
    if (!blocks.has_later_part()) return blocks.cycles_of_all(result.cycles, 0);
    std::vector<double> ended = result.ended;
    std::sort(ended.begin(), ended.end());
    return blocks.cycles_of_all(result.cycles, ended[blocks.to()] - ended[blocks.from()]);
}

/// The least that cycles_of_all_blocks() will tell.
double least_of_all_blocks(const LeastCourse& least, const BlocksOfOne& blocks) {
    double later = 0;
    if (blocks.has_later_part() && blocks.from() < least.known.size())
        later = std::max(0.0, least.ended[blocks.to()] - least.known[blocks.from()]);
    return blocks.cycles_of_all(least.cycles, later);
}

/// How long blocks begin with what each of them waits for: instructions, and its first accesses.
double beginning(double cycles, const Parameters& p) {
    return std::min(cycles / 2, p.fetch_latency + p.memory_latency);
}

/// Where all blocks run at once, the launch ends with the multiprocessor that has most to do: its cycles, from those of
/// the sample's. Where warps mostly wait, they go with the longest warp of a block; else with all that is issued. What
/// a block begins with takes the same time in each.
double cycles_of_the_busiest(const SimulationResult& result, const machine::LaunchTrace& trace, const Parameters& p) {
    std::uint64_t most = 0, most_sampled = 0, all = 0;
    std::vector<std::uint64_t> of(trace.stride);
    for (std::size_t b = 0; b < trace.work.size(); ++b) {
        const auto& w = trace.work[b];
        most = std::max(most, w.most);
        if (b % trace.stride == trace.first) most_sampled = std::max(most_sampled, w.most);
        all = std::max(all, of[b % trace.stride] += w.all);
    }
    if (most_sampled == 0 || of[trace.first] == 0) return result.cycles;
    const double issued = std::min(1.0, result.issues / (result.cycles * p.schedulers / p.issue_interval));
    const double longest = double(most) / double(most_sampled), busiest = double(all) / double(of[trace.first]);
    const double ratio = longest + issued * (busiest - longest);
    const double begin = beginning(result.cycles, p);
    return begin + (result.cycles - begin) * ratio;
}

/// Where blocks come in turn and have unequal work: the launch's cycles, from `equal`, those of blocks with equal work.
/// What a unit of work takes is the sample's; a block that is left alone does not wait for its turn any more. What the
/// sample itself took longer, because the same is true of its blocks, is in its cycles already. No more is taken than
/// follows from the sample's cycles and both lengths alone: a few long blocks say little of how short ones go on.
double cycles_of_unequal(double equal, const SimulationResult& result, const machine::LaunchTrace& trace,
                         unsigned resident, unsigned multiprocessors, const Parameters& p) {
    double waited = 0, all = 0, cycles = 0, done = 0, begins = 0;
    for (unsigned k = 0; k < kStalls; ++k) all += result.warp_cycles[k];
    for (const auto stall : {Stall::not_selected, Stall::math_pipe_throttle, Stall::lg_throttle, Stall::mio_throttle})
        waited += result.warp_cycles[static_cast<std::size_t>(stall)];
    for (std::size_t k = 0; k < trace.sample.size(); ++k) {
        const double took = result.ended[k] - result.began[k], begin = beginning(took, p);
        cycles += took - begin, begins += begin;
        done += static_cast<double>(trace.work[trace.sample[k].index].most);
    }
    if (!(done > 0) || !(all > 0)) return equal;
    Places places{multiprocessors, std::max(1u, resident)};
    places.crowded = cycles / done;
    places.alone = std::max(places.crowded / places.resident, places.crowded * (1 - waited / all));
    const double begin = begins / static_cast<double>(trace.sample.size()) / places.crowded;
    std::vector<double> work, sampled;
    for (const auto& w : trace.work) work.push_back(begin + static_cast<double>(w.most));
    for (const auto& b : trace.sample) sampled.push_back(work[b.index]);
    const double longer = unequal_over_equal(work, places), of_all = cycles_of_blocks(work, places);
    places.multiprocessors = 1;
    const double from_sample = result.cycles * of_all / std::max(1.0, cycles_of_blocks(sampled, places));
    return std::min(equal * std::max(1.0, longer / unequal_over_equal(sampled, places)), std::max(equal, from_sample));
}

/// What takes two times that go on beside each other: the longer one, and some more where they are equally long, since
/// neither of them leaves the other alone (by 33 rungs of copies and transposes on an H100: 6 % at most).
double beside(double a, double b) {
    constexpr double kNorm = 12;
    const double most = std::max(a, b);
    return most > 0 ? most * std::pow(1 + std::pow(std::min(a, b) / most, kNorm), 1 / kNorm) : most;
}

/// The cycles of the block of the sample that took longest.
double longest_block(const SimulationResult& result) {
    double most = 0;
    for (std::size_t k = 0; k < result.ended.size(); ++k) most = std::max(most, result.ended[k] - result.began[k]);
    return most;
}

/// The parameters where so many multiprocessors are at work as the launch has blocks for: the launch ends with the one
/// that has the longest way to the second level and to memory.
Parameters at_work(Parameters p, const LaunchShape& shape, const arch::DeviceModel& m) {
    constexpr double kMany = 6;  // multiprocessors, as a power of two, from which on one has the longest way
    const double active = std::clamp(static_cast<double>(shape.blocks), 1.0, double(m.sm.multiprocessors));
    const double way = 1 + p.farther * std::min(1.0, std::log2(active) / kMany);
    p.l2_latency *= way, p.memory_latency *= way, p.atomic_latency *= way;
    p.start_seconds += p.start_each * active / p.clock;
    return p;
}

/// By source line, sorted: what warps cost at its instructions, over `issues`.
std::vector<LineStalls> by_line(const SimulationResult& result, const machine::Code& code) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::array<double, kStalls>> sums;
    std::size_t at = 0;
    const auto add = [&](const machine::Block& block) {
        for (std::size_t k = 0; k < block.ops.size() && at + k < result.by_slot.size(); ++k) {
            const simt::Details* ptx = block.ops[k].ptx;
            auto& sum = sums[ptx ? std::pair(ptx->source.file, ptx->source.line) : std::pair(0u, 0u)];
            for (unsigned s = 0; s < kStalls; ++s) sum[s] += result.by_slot[at + k][s];
        }
        at += block.slots;
    };
    for (const auto& block : code.blocks) add(block);
    for (const auto& unrolled : code.unrolled) add(unrolled.body);
    for (const auto& region : code.regions) add(region.body);
    std::vector<LineStalls> out;
    for (auto& [where, cycles] : sums) {
        for (double& c : cycles) c = result.issues > 0 ? c / result.issues : 0;
        if (std::any_of(cycles.begin(), cycles.end(), [](double c) { return c > 0; }))
            out.push_back({where.first, where.second, cycles});
    }
    return out;
}

/// Issued instructions by class.
std::array<double, machine::kMixes> by_class(const SimulationResult& result, const machine::Code& code) {
    std::array<double, machine::kMixes> sums{};
    std::size_t at = 0;
    const auto add = [&](const machine::Block& block) {
        for (std::size_t k = 0; k < block.ops.size() && at + k < result.by_slot.size(); ++k) {
            const machine::Op& op = block.ops[k];
            const double issues = result.by_slot[at + k][static_cast<std::size_t>(Stall::selected)];
            if (!(issues > 0) || op.issues == 0) continue;
            const auto mix = machine::mix_of(op);
            for (unsigned m = 0; m < machine::kMixes; ++m) sums[m] += issues * mix[m] / op.issues;
        }
        at += block.slots;
    };
    for (const auto& block : code.blocks) add(block);
    for (const auto& unrolled : code.unrolled) add(unrolled.body);
    for (const auto& region : code.regions) add(region.body);
    return sums;
}

}  // namespace

Error no_time(std::string why) { return Error{ErrorKind::limit, "no time is predicted: " + std::move(why), {}, ""}; }

std::uint32_t blocks_to_trace(const LaunchShape& shape, const arch::DeviceModel& m) {
    const auto o = arch::occupancy(m, shape.registers, shape.shared, shape.threads);
    return std::max(4u, kFillings * std::max(1u, o.blocks));
}

Result<Prediction> predict(const machine::LaunchTrace& trace, const LaunchShape& shape, const arch::DeviceModel& m,
                           WarpLog* log, double enough) {
    const auto o = arch::occupancy(m, shape.registers, shape.shared, shape.threads);
    if (m.sm.multiprocessors == 0) return no_time(m.name + " does not say how many multiprocessors it has");
    if (o.blocks == 0) return no_time("no block of the launch fits on a multiprocessor of " + m.name);
    if (trace.sample.empty() || !trace.code) return no_time("the launch kept no trace");
    if (trace.beyond) return no_time("the launch uses more memory than its trace can number");
    const Parameters p = at_work(parameters(m), shape, m);
    const double blocks = static_cast<double>(shape.blocks), sms = m.sm.multiprocessors;
    const double of_one = blocks > 4 * sms * o.blocks ? blocks / sms : std::ceil(blocks / sms);
    const double sampled = static_cast<double>(trace.sample.size());

    // What the sample is of the whole work: by instructions where they are known, for blocks differ.
    double share = sampled / blocks;
    double heavier = 1;
    if (const double counted = machine::counted_in(trace); shape.instructions > 0 && counted > 0) {
        heavier = shape.instructions * share / counted;
        share = std::min(1.0, counted / shape.instructions);
    }
    const double in_use = static_cast<double>(o.shared_per_block) * std::min<double>(o.blocks, of_one);
    const double active = std::min(blocks, sms);
    const SmConditions conditions{o.blocks, l1_left(m, in_use), active, share, active * sampled / blocks / share};
    const BlocksOfOne of_multiprocessor{of_one * heavier, sampled, o.blocks};
    const bool weighed = trace.work.size() == shape.blocks && trace.stride == sms, at_once = blocks <= sms * o.blocks;
    // Whatever is taken into account below makes the time longer than this; sums may be rounded otherwise.
    constexpr double kRounding = 1 + 1e-6;
    const auto is_enough = [&](const LeastCourse& least) {
        const double cycles = weighed && at_once ? least.cycles : least_of_all_blocks(least, of_multiprocessor);
        return p.start_seconds + cycles / p.clock > enough * kRounding;
    };
    const SimulationResult result =
        simulate(p, trace, conditions, log, std::isfinite(enough) ? Enough(is_enough) : Enough());
    if (result.enough) {
        Prediction beyond;
        beyond.beyond = true, beyond.seconds = std::numeric_limits<double>::infinity();
        return beyond;
    }
    if (result.stopped) {
        Error over = no_time("the launch's time limit was over before the simulation was");
        over.cause = Cause::time_limit;
        return over;
    }

    Prediction out;
    out.simulated = share;
    out.part = of_one > sampled;
    out.start_seconds = p.start_seconds;
    out.cycles =
        weighed && at_once ? cycles_of_the_busiest(result, trace, p) : cycles_of_all_blocks(result, of_multiprocessor);
    if (weighed && !at_once)
        out.cycles = std::max(cycles_of_unequal(out.cycles, result, trace, o.blocks, m.sm.multiprocessors, p),
                              longest_block(result));
    out.cycles = std::max({out.cycles, result.atomic_cycles, result.memory_cycles});
    if (shape.in_a_row) out.cycles = beside(out.cycles, p.memory_latency + result.memory_cycles_in_a_row);
    out.seconds = p.start_seconds + out.cycles / p.clock;
    if (!std::isfinite(out.seconds))
        return no_time(m.name + " lacks the rate of an instruction that the kernel executes");
    out.issue = result.active > 0 ? result.issues / (result.active * p.schedulers / p.issue_interval) : 0;
    const Traffic& t = result.traffic;
    out.l1_hit = t.l1_lookups > 0 ? t.l1_hits / t.l1_lookups : 0;
    const double own = p.l2_lookups_of_launch * share;
    out.l2_hit = t.l2_lookups + own > 0 ? (t.l2_hits + own) / (t.l2_lookups + own) : 0;
    out.dram_read = (t.dram_reads + (shape.in_a_row ? t.later_reads : 0)) * 32 / share;
    out.dram_written = (t.dram_writes + (shape.in_a_row ? t.later_writes : 0)) * 32 / share;
    out.machine_instructions = result.issues / share;
    out.mix = by_class(result, *trace.code);
    for (double& n : out.mix) n /= share;
    out.occupancy = result.active > 0 ? result.resident_cycles / result.active / m.limits.warps_per_sm : 0;
    for (unsigned k = 0; k < kStalls; ++k)
        out.stalls[k] = result.issues > 0 ? result.warp_cycles[k] / result.issues : 0;
    out.lines = by_line(result, *trace.code);
    return out;
}

}  // namespace warpwright::timing
