// Blocks of one grid on several hosts. A grid begins here, until it is known what is left of it; where that is worth
// it, other hosts get the memory as it is then, and take blocks as this one's threads do. What they changed comes back
// as bytes, what they counted as sums. Blocks of a host that failed, or that wrote what others wrote, run here once
// more.
#include <algorithm>
#include <chrono>

#include "engine/run/alone.hpp"
#include "engine/run/changes.hpp"
#include "engine/run/engine.hpp"
#include "engine/run/host_threads.hpp"
#include "engine/runtime/grid_work.hpp"
#include "engine/shared/executor.hpp"
#include "engine/shared/self_timing.hpp"
#include "engine/shared/tracing.hpp"
#include "support/elapsed.hpp"

namespace warpwright::engine {

namespace {

/// How long a grid runs before it is known what it takes, in seconds.
constexpr double kLook = 0.1;

/// Whether the launching thread begins alone, by what blocks of this code took before.
bool begins_alone(const LaunchShared& launch, const HostThreads& threads, std::uint64_t blocks) {
    const double each = launch.code->block_seconds.load(std::memory_order_relaxed);
    return threads.count() > 1 && each >= 0 && each * static_cast<double>(blocks) < kAlone && !launch.check &&
           !launch.tracing && !launch.code->reads_clock;
}

/// The launching thread alone runs blocks from `next` on, while what they take leaves room for more; the seconds it
/// took.
double run_alone(LaunchShared& launch, HostThreads& threads, std::atomic<std::uint64_t>& next, std::uint64_t count) {
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t first = next.load();
    double seconds = 0;
    while (next < count && !launch.stop) {
        const std::uint64_t at = next.load(), some = next_alone(at - first, seconds, count - at);
        if (some == 0) break;
        std::atomic<std::uint64_t> from{at};
        threads[0].run(from, at + some);
        next = at + some;
        seconds = seconds_since(start);
    }
    return seconds;
}

/// All blocks from `next` on, on this host's threads. Where they prove to take longer than before, the other threads
/// join the first one between its blocks.
void run_here(LaunchShared& launch, HostThreads& threads, std::atomic<std::uint64_t>& next, std::uint64_t count) {
    const auto first = next.load();
    if (threads.count() == 1 || first >= count) return threads.on_all([&](unsigned w) { threads[w].run(next, count); });
    double seconds = begins_alone(launch, threads, count - first) ? run_alone(launch, threads, next, count) : 0;
    if (next < count && !launch.stop) {
        std::vector<double> took(threads.count());
        threads.on_all([&](unsigned w) {
            const auto start = std::chrono::steady_clock::now();
            threads[w].run(next, count);
            took[w] = seconds_since(start);
        });
        for (const double each : took) seconds += each;
    }
    // Blocks that a trace has kept are left out: what the others took says nothing of each.
    if (!launch.stop && !launch.tracing)
        launch.code->block_seconds.store(seconds / static_cast<double>(count - first), std::memory_order_relaxed);
}

/// Runs a stretch of blocks on all threads.
void run_range(HostThreads& threads, const BlockRange& range) {
    std::atomic<std::uint64_t> next{range.first};
    threads.on_all([&](unsigned w) { threads[w].run(next, range.last); });
}

/// What is left is handed out in ever smaller stretches, so that all hosts end at about the same time.
NextBlocks hand_out(std::atomic<std::uint64_t>& next, std::uint64_t count, std::uint64_t hosts, std::uint64_t least) {
    return [&next, count, hosts, least]() -> std::optional<BlockRange> {
        constexpr std::uint64_t kParts = 3;
        const auto at = next.load();
        if (at >= count) return std::nullopt;
        const auto many = std::max(least, (count - at) / (kParts * hosts));
        const auto first = next.fetch_add(many);
        if (first >= count) return std::nullopt;
        return BlockRange{first, std::min(first + many, count)};
    };
}

}  // namespace

/// Why no other host may run blocks of the launch; empty: they may.
std::string Engine::why_whole(const LaunchShared& launch) const {
    const auto& code = *launch.code;
    if (launch.check) return "it is checked";
    if (code.takes_turns || launch.grid_barrier) return "its blocks may wait for each other";
    if (code.times_itself || code.reads_clock) return "it reads clocks";
    if (code.ordered)
        return "the order of its blocks matters (sums of floats or results of atomics in global memory, printing)";
    if (launch.tracing_now) return "it has clusters, of which some are kept for the prediction";
    if (launch.reach != ~std::uint64_t{0}) return "it may reach the memory of several devices";
    if (launch.most_instructions) return "the number of its instructions has a limit";
    if (launch.schedule.kind != Schedule::Kind::forward) return "its blocks have an order of their own";
    if (memory_->guarded()) return "its memory is guarded";
    if (code.textures) return "it uses textures or surfaces";
    for (const auto& a : memory_->live())
        if (!memory_->in_range(a.address)) return "the program has given the device memory of its own";
    return {};
}

/// All blocks from `next` on: here, or with other hosts where the grid is worth it.
void Engine::run_all(LaunchShared& launch, HostThreads& threads, const GridRequest& of,
                     std::atomic<std::uint64_t>& next, std::uint64_t count) {
    const auto rest = [&] { run_here(launch, threads, next, count); };
    if (!options_.hosts || options_.hosts->count() == 0 || launch.sampling) return rest();
    const auto why = why_whole(launch);
    const auto first = next.load();
    const auto start = std::chrono::steady_clock::now();
    // The first blocks tell what the others take; where every grid is to be shared, nobody asks.
    const double worth = options_.hosts->worth(), look = worth > 0 ? kLook : 0;
    std::uint64_t many = threads.count();
    for (double took = 0; took < look && next < count && !launch.stop && why.empty(); took = seconds_since(start)) {
        const auto from = next.load(), end = std::min(count, from + many);
        run_range(threads, {from, end});
        next = end;
        many *= 2;
    }
    const auto done = next.load() - first;
    if (launch.stop || next >= count) return;
    const auto& name = launch.kernel->name;
    if (!why.empty()) {
        rest();
        if (seconds_since(start) >= worth) options_.hosts->ran(name, why);
        return;
    }
    const double left = seconds_since(start) / static_cast<double>(std::max<std::uint64_t>(1, done)) *
                        static_cast<double>(count - next);
    if (left < worth) return rest();
    share(launch, threads, of, next, count);
}

void Engine::share(LaunchShared& launch, HostThreads& threads, const GridRequest& of, std::atomic<std::uint64_t>& next,
                   std::uint64_t count) {
    auto& hosts = *options_.hosts;
    const auto& name = launch.kernel->name;
    const auto rest = [&] { threads.on_all([&](unsigned w) { threads[w].run(next, count); }); };
    const SharedGrid grid{of.program, of.program.module.functions[of.kernel].name, of.request,
                          reinterpret_cast<std::uint64_t>(launch.params),
                          hand_out(next, count, hosts.count() + 1, launch.at_once)};
    if (!hosts.begin(grid, *memory_)) return rest();
    rest();
    auto parts = hosts.end([&] { return launch.stop != 0; });
    if (launch.stop) return;
    std::vector<BlockRange> again;
    bool met = false, lost = false;
    const auto how = combining(*launch.code);
    auto touched = threads.touched_memory();
    for (const auto& p : parts)
        if (p.done) touched.add(p.done->touched);
    for (const auto& p : parts) {
        if (p.done && take_over(p.changes, *memory_, touched, how)) {
            threads.add(*p.done);
            for (const auto& [index, work] : p.done->work)
                if (launch.tracing && index < launch.tracing->launch.work.size())
                    launch.tracing->launch.work[index] = work;
            continue;
        }
        (p.done ? met : lost) = true;
        again.insert(again.end(), p.ranges.begin(), p.ranges.end());
    }
    for (const auto& range : again)
        if (!launch.stop) run_range(threads, range);
    hosts.ran(name, met ? "blocks of several hosts wrote the same bytes" : lost ? "a host did not do its blocks" : "");
}

Result<BlocksDone> Engine::run_blocks(Program& program, ptx::SymbolId kernel, const LaunchRequest& request,
                                      std::uint64_t parameters, const NextBlocks& next) {
    auto tracing = begin_trace(program, kernel, request);
    if (!tracing) return tracing.error();
    auto compiled = compile(program, kernel, request);
    if (!compiled) return compiled.error();
    LaunchShared launch;
    describe(launch, **compiled, program, request, ParameterBlock(parameters));
    launch.tracing = tracing->get();
    launch.findings = &collector_;
    launch.kernel = &program.module.functions[kernel];
    GridWork nested(*this, program, request, launch, request.options.timeout);
    launch.work = &nested;
    HostThreads threads(launch, threads_for(launch, ~std::uint64_t{0}));
    BlocksDone out;
    {
        const TimeLimit limit(launch, threads, request.options.timeout, options_.limits_of_processor);
        for (auto range = next(); range && !launch.stop; range = next()) {
            launch.at_once = std::clamp<std::uint64_t>((range->last - range->first) / (threads.count() * 16), 1, 32);
            run_range(threads, *range);
            if (!launch.tracing || launch.tracing->launch.work.empty()) continue;
            for (auto b = range->first; b < range->last; ++b)
                if (!launch.tracing->has(b)) out.work.emplace_back(b, launch.tracing->launch.work[b]);
        }
    }
    if (launch.stop)
        return launch.error ? std::move(*launch.error) : Error{ErrorKind::fault, "the blocks were stopped", {}, ""};
    auto sum = threads.tally();
    out.counters = std::move(sum.counters), out.sites = std::move(sum.sites), out.spaces = std::move(sum.spaces);
    out.touched = threads.touched_memory();
    return out;
}

}  // namespace warpwright::engine
