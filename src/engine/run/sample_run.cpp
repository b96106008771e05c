// Runs the blocks of a sample one after the other on each host thread, so that the counts of each are known.
#include "engine/run/sample_run.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/run/block_sample.hpp"
#include "simt/passes.hpp"

namespace warpwright::engine {
namespace {

void clear(Executor& e) {
    std::fill(e.counters.begin(), e.counters.end(), 0);
    for (auto& s : e.sites) s.passes = s.excess = s.irregular_full = s.irregular_partial = s.linked = 0;
    std::fill(e.spaces.begin(), e.spaces.end(), SiteSpaces{});
}

record::Counts scaled(const record::Counts& counts, double by) {
    record::Counts out;
    for (unsigned i = 0; i < record::kCounts; ++i)
        out.values[i] = static_cast<std::uint64_t>(std::llround(static_cast<double>(counts.values[i]) * by));
    return out;
}

record::Joined scaled(const record::Joined& j, double by) {
    const auto times = [&](std::uint64_t n) { return static_cast<std::uint64_t>(std::llround(double(n) * by)); };
    return {times(j.instructions), times(j.integer), times(j.shared_requests), times(j.shared_wavefronts)};
}

}  // namespace

void sample_blocks(LaunchShared& shared, HostThreads& threads, const LaunchRequest& request,
                   launch::EmulatedResult& reply) {
    const KernelCode& code = *shared.code;
    std::uint32_t units[3];
    const std::uint64_t cluster = shared.cluster_blocks();
    std::uint64_t all = cluster;
    for (int d = 0; d < 3; ++d) units[d] = shared.grid[d] / shared.cluster[d], all *= units[d];
    const auto give_up = [&](const char* why) {
        reply.sample.emplace();
        reply.sample->blocks = reply.sample->run = all;
        reply.sample->why_all = why;
        for (unsigned w = 0; w < threads.count(); ++w) clear(threads[w]);
    };
    // Blocks that wait for others would never end if those did not run.
    if (code.takes_turns) return give_up("a loop of the kernel may wait for other blocks");
    if (shared.check) return give_up("a checked launch");
    for (const auto& f : code.module->functions)
        if (simt::device_call_of(f.name) != simt::SystemCall::none)
            return give_up("kernels of the program launch kernels");
    BlockSample sample(units, request.sample_error);
    std::map<std::size_t, Tally> tallies;  // by stratum
    std::mutex mutex;
    for (auto list = sample.next(); !list.empty() && !shared.stop; list = sample.next()) {
        std::atomic<std::size_t> next{0};
        threads.on_all([&](unsigned w) {
            auto& e = threads[w];
            for (std::size_t k; (k = next.fetch_add(1)) < list.size() && !shared.stop;) {
                clear(e);
                std::atomic<std::uint64_t> one{list[k].index};
                e.run(one, list[k].index + 1);
                const auto counts = assemble_counts(code, e.counters, e.sites, e.spaces, false);
                std::lock_guard lock(mutex);
                sample.add(list[k], counts.total);
                tallies[list[k].stratum].add(e);
            }
        });
    }
    if (shared.stop) return;  // an error, which the launch reports
    // Blocks that ran already run again with all others; memory is no worse defined than after a partial run.
    if (sample.hopeless())
        return give_up(sample.small() ? "a small grid" : "the blocks differ too much for a part to stand for all");
    record::KernelCounts out;
    for (const auto& [stratum, r] : tallies) {
        auto counts = assemble_counts(code, r.counters, r.sites, r.spaces, request.options.per_line);
        const double by = sample.scale(stratum);
        counts.total = scaled(counts.total, by), counts.joined = scaled(counts.joined, by);
        for (auto& l : counts.lines) l.counts = scaled(l.counts, by);
        out.add(counts);
    }
    reply.result.counts = std::move(out);
    reply.sample = sample.describe(cluster);
}

}  // namespace warpwright::engine
