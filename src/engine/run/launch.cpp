// One launch, in steps: the code for its shape, what all host threads share, the checkers' part, the run of its
// blocks, what came of it.
#include <algorithm>
#include <cstring>

#include "engine/codegen/jit.hpp"
#include "engine/run/better_code.hpp"
#include "engine/run/engine.hpp"
#include "engine/run/host_threads.hpp"
#include "engine/run/known_traces.hpp"
#include "engine/run/launch_turn.hpp"
#include "engine/run/sample_run.hpp"
#include "engine/run/slow_launches.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/grid_work.hpp"
#include "engine/runtime/texts.hpp"
#include "engine/shared/executor.hpp"
#include "engine/shared/self_timing.hpp"
#include "engine/shared/step_gate.hpp"
#include "engine/shared/tracing.hpp"
#include "support/bytes_of_values.hpp"
#include "support/cause.hpp"
#include "support/content_hash.hpp"
#include "support/demangle.hpp"
#include "support/elapsed.hpp"
#include "support/host_time.hpp"

namespace warpwright::engine {

namespace {

/// What may replace the code while it runs; null: nothing.
std::shared_ptr<BetterCode::Job> better_of(KernelCode& code) {
    if (!code.quick) return nullptr;
    std::lock_guard lock(code.making_whole);
    return code.quick ? code.better : nullptr;
}

/// Of the launch's time limit, after its run: at least a moment, 0 where it has no limit.
double seconds_left(const LaunchRequest& request, const launch::EmulatedResult& reply) {
    constexpr double kMoment = 0.05;
    const double limit = std::chrono::duration<double>(request.options.timeout).count();
    return limit > 0 ? std::max(kMoment, limit - reply.result.host_seconds) : 0;
}

/// How long the code of kept blocks may run other blocks too, in seconds, before code that only counts is made: about
/// what making it takes.
constexpr double kPlainPays = 0.1;

/// What a launch that was stopped ends with; none where it ran to its end.
std::optional<Error> error_of(LaunchShared& launch) {
    if (launch.timed_out && !launch.error)
        launch.error = Error{ErrorKind::fault, "the kernel did not end in time",
                             location(*launch.code->module, nullptr), "a longer --timeout", Cause::time_limit};
    return std::move(launch.error);
}

}  // namespace

/// While it lives, Engine::cancel() reaches the launch.
class Engine::Running {
public:
    Running(Engine& engine, LaunchShared& launch) : engine_(engine), launch_(launch) {
        std::lock_guard lock(engine_.running_mutex_);
        engine_.running_.push_back(&launch_);
        if (engine_.cancelled_) launch_.fail(cancelled());
    }
    ~Running() {
        std::lock_guard lock(engine_.running_mutex_);
        std::erase(engine_.running_, &launch_);
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    static Error cancelled() {
        return {ErrorKind::fault, "the kernel was stopped: its process ends", {}, "", Cause::cancelled};
    }

private:
    Engine& engine_;
    LaunchShared& launch_;
};

void Engine::cancel() {
    {
        std::lock_guard lock(running_mutex_);
        cancelled_ = true;
        for (auto* launch : running_) launch->fail(Running::cancelled());
    }
    better_->stop();  // LLVM must not be at work while the process goes down
}

Result<launch::EmulatedResult> Engine::launch(Program& program, ptx::SymbolId kernel, const LaunchRequest& request) {
    constexpr auto kMost = ParameterBlock::kBytes / 2;
    if (request.parameters.size() > kMost)
        return Error{ErrorKind::limit, "the parameters take more than " + std::to_string(kMost) + " bytes", {}, ""};
    const std::shared_lock same_checkers(checkers_mutex_);  // throughout, also for what it launches
    auto block = take_parameters();
    if (!block) return block.error();
    if (!request.parameters.empty())
        std::memcpy(reinterpret_cast<void*>(block->at()), request.parameters.data(), request.parameters.size());
    block->only_written(request.parameters.size());
    std::vector<NestedLaunch> tails;
    const Turn turn(*this, program, kernel, request);
    const auto began = std::chrono::steady_clock::now();
    auto reply = launch_one(program, kernel, request, std::move(*block), tails);
    if (!reply || tails.empty()) return reply;
    std::string output;
    std::optional<Deadline> deadline;
    if (request.options.timeout.count() > 0)
        deadline = began + by_the_clock(request.options.timeout) +
                   std::chrono::duration_cast<Deadline::duration>(
                       std::chrono::duration<double>(reply->result.compile_seconds));
    auto ok = launch_tails(program, std::move(tails), request, deadline, output, reply->tails);
    if (request.options.output) *request.options.output += output;
    reply->result.output += output;
    if (!ok) return ok.error();
    return reply;
}

Result<launch::EmulatedResult> Engine::launch_one(Program& program, ptx::SymbolId kernel, const LaunchRequest& request,
                                                  ParameterBlock parameters, std::vector<NestedLaunch>& tails) {
    const auto before = std::chrono::steady_clock::now();
    launch::EmulatedResult reply;
    auto course = take_known(program, kernel, request, reply);
    if (!course) return course.error();
    auto tracing = reply.result.trace ? std::shared_ptr<Tracing>() : begin_trace(program, kernel, request);
    if (!tracing) return tracing.error();
    std::optional<std::string> traced_as;
    if (*tracing && !(*tracing)->all && KnownTraces::may_know(request) && KnownTraces::is_known(*(*tracing)->code)) {
        if (request.options.known_course) {
            (*tracing)->launch.course = *course;
        } else {
            traced_as = KnownTraces::key_of(request, (*tracing)->places);
            auto known = known_traces_->find((*tracing)->code, *traced_as);
            if (known && is_compiled(program, kernel, request))
                reply.result.trace = std::move(known), tracing->reset();
            else if (known)
                traced_as.reset();  // it is kept already
        }
    }
    std::shared_ptr<KernelCode> code;
    if (*tracing) {
        code = (*tracing)->code;
    } else {
        auto compiled = compile(program, kernel, request);
        if (!compiled) return compiled.error();
        code = *compiled;
    }
    if (request.options.begun) *request.options.begun = true;
    reply.result.compile_seconds = seconds_since(before);

    LaunchShared launch;
    describe(launch, *code, program, request, parameters);
    if (code->times_itself) launch.times = begin_times(launch, request);
    launch.tracing = tracing->get();
    launch.tracing_now = *tracing && (*tracing)->all;
    launch.findings = &collector_;
    launch.kernel = &program.module.functions[kernel];
    GridWork nested(*this, program, request, launch, by_the_clock(request.options.timeout));
    launch.work = &nested;
    std::unique_ptr<CheckLaunch> check;
    if (checkers_) {
        check = begin_check(program, kernel, code, request);
        launch.check = check.get();
    }

    run_grid(launch, {program, kernel, request}, reply);
    reply.result.quick_code = launch.code->quick;

    if (check) end_check(*check);
    if (request.options.output) *request.options.output += launch.output;
    reply.result.output = std::move(launch.output);
    if (auto error = error_of(launch)) return *error;
    const host_time::In predicting(host_time::Work::predicting);
    if (*tracing) {
        if ((*tracing)->places.met_others()) (*tracing)->launch.course.clear();
        reply.result.trace = finish_trace(*tracing, seconds_left(request, reply));
        if (traced_as && !(*tracing)->places.met_others())
            known_traces_->keep((*tracing)->code, *traced_as, reply.result.trace);
    }
    tails = nested.take_tails();
    reply.nested = nested.take_done();
    return reply;
}

/// Where whoever asks for a trace may know the launch's time from an equal one, and does: what it has in place of the
/// trace goes into the reply. What names the launch's course is returned; empty where nothing does.
Result<std::string> Engine::take_known(Program& program, ptx::SymbolId kernel, const LaunchRequest& request,
                                       launch::EmulatedResult& reply) {
    const auto& options = request.options;
    if (!options.known_course || options.trace.blocks == 0 || !options.counters || options.linked() || checkers_ ||
        options_.hosts || !KnownTraces::may_know(request))
        return std::string();
    const auto traced = code_at_hand(program, kernel, request, true);
    if (traced && !KnownTraces::is_known(*traced)) return std::string();
    auto course = course_of(program, kernel, request);
    auto known = options.known_course(course);
    if (!known) return course;
    // For a few short launches code without a trace is not made, as in run_traced(): that which traces runs them.
    const bool pays = traced && traced->others_seconds.load() >= kPlainPays;
    auto plain = compile(program, kernel, request, false, pays ? Make::always : Make::if_kept);
    if (!plain) return plain.error();
    if (*plain) reply.result.trace = std::move(known);
    return course;
}

/// A hash of all that the course follows from, where it follows from the launch alone.
std::string Engine::course_of(Program& program, ptx::SymbolId kernel, const LaunchRequest& request) const {
    ByteWriter w;
    const auto& name = program.module.functions[kernel].name;
    w.all(program.key, name, shape_of(program, kernel, request, true), program.variables);
    if (const auto told = program.told_spills(name)) w.all(told->frame, told->stores, told->loads);
    w.all(memory_->base(), options_.multiprocessors, options_.compute_capability, options_.tolerant, options_.guarded,
          options_.schedule.kind, options_.schedule.seed, options_.most_instructions);
    // Areas are told in sectors; what is counted of the memory that a launch uses is in bytes.
    for (const auto& a : memory_->live())
        w.all(memory_->in_range(a.address) ? a.address - memory_->base() : 0, std::uint64_t{a.bytes});
    return ContentHasher()
        .add(w.bytes())
        .add(KnownTraces::key_of(request, TracePlaces(*memory_, request.parameters)))
        .digest();
}

/// The blocks to keep, and code that tells of its course; null where nothing is asked for.
Result<std::shared_ptr<Tracing>> Engine::begin_trace(Program& program, ptx::SymbolId kernel,
                                                     const LaunchRequest& request) {
    if (checkers_ || !request.options.counters) return std::shared_ptr<Tracing>();
    const launch::Extent &block = request.config.block, &cluster = request.config.cluster;
    const std::uint64_t blocks = request.config.grid.count();
    auto tracing = plan_trace(request.options.trace, blocks, {block.x, block.y, block.z, options_.lanes}, *memory_,
                              request.parameters);
    if (!tracing) return tracing;
    auto traced = compile(program, kernel, request, true);
    if (!traced) return traced.error();
    tracing->code = *traced;
    // Blocks that may wait for each other run beside each other, all of them with that code.
    tracing->all = cluster.count() > 1 || (*traced)->takes_turns;
    // (Of those that wait for each other, the first block often waits least.)
    if (cluster.count() <= 1 && blocks <= machine::kMostWeighed) tracing->widen();
    // Of those a sample would not have all that are to be kept.
    if (tracing->all && request.sample_error > 0) return std::shared_ptr<Tracing>();
    return tracing;
}

namespace {

/// What the threads have counted with the launch's code.
record::KernelCounts counts_of(const HostThreads& threads, const LaunchShared& launch, const LaunchRequest& request) {
    if (const auto* one = threads.only())
        return assemble_counts(*launch.code, one->counters, one->sites, one->spaces, request.options.per_line);
    const auto sum = threads.tally();
    return assemble_counts(*launch.code, sum.counters, sum.sites, sum.spaces, request.options.per_line);
}

}  // namespace

/// The kept blocks of a grid, and then what code the others run with: that of the kept ones, where making another would
/// take longer than it could save.
/// Where the order of blocks matters, all up to the last kept one run with its code, in their order.
void Engine::run_traced(LaunchShared& launch, HostThreads& threads, const GridRequest& of,
                        launch::EmulatedResult& reply) {
    const bool in_place = keeps_order(launch, of.request);
    const auto start = std::chrono::steady_clock::now();
    {
        const TimeLimit limit(launch, threads, of.request.options.timeout, options_.limits_of_processor);
        in_place ? threads.run_up_to_traced(launch) : threads.run_traced(launch);
    }
    reply.result.host_seconds = seconds_since(start);
    const auto kept = in_place ? launch.tracing->end() : launch.tracing->launch.sample.size(),
               others = launch.tracing->launch.blocks - kept;
    if (launch.stop || others == 0) return;
    auto& traced = *launch.tracing->code;
    const double estimate =
        reply.result.host_seconds / static_cast<double>(kept) * static_cast<double>(others) / threads.count();
    const double without = traced.others_seconds.load();
    if (without < kPlainPays - estimate && !is_compiled(of.program, of.kernel, of.request)) return;
    const auto before = std::chrono::steady_clock::now();
    auto plain = compile(of.program, of.kernel, of.request);
    reply.result.compile_seconds += seconds_since(before);
    // Where there is no time for it the others run with the code that is there.
    if (!plain && plain.error().cause == Cause::time_limit) return;
    if (!plain) return launch.fail(plain.error());
    // The counters of its sites lie elsewhere.
    launch.tracing->counted = counts_of(threads, launch, of.request);
    launch.code = plain->get();  // the program keeps it
    threads.begin_anew(launch);
}

void Engine::describe(LaunchShared& launch, KernelCode& code, const Program& program, const LaunchRequest& request,
                      const ParameterBlock& parameters) const {
    launch.code = &code;
    launch.memory = memory_.get();
    launch.sources = options_.sources.get();
    launch.compute_capability = options_.compute_capability;
    const launch::Extent &grid = request.config.grid, &cluster = request.config.cluster;
    launch.clusters = request.explicit_cluster || cluster.count() > 1;
    launch.grid[0] = grid.x, launch.grid[1] = grid.y, launch.grid[2] = grid.z;
    launch.cluster[0] = cluster.x, launch.cluster[1] = cluster.y, launch.cluster[2] = cluster.z;
    launch.dynamic_shared = request.config.dynamic_shared;
    launch.graph = request.options.graph;
    launch.device = request.options.device, launch.reach = request.options.reach;
    const launch::Extent &offset = request.config.offset, &block = request.config.block;
    launch.offset[0] = offset.x, launch.offset[1] = offset.y, launch.offset[2] = offset.z;
    launch.dimensions = grid.z > 1 || block.z > 1 ? 3 : grid.y > 1 || block.y > 1 ? 2 : 1;
    if (request.config.dimensions) launch.dimensions = request.config.dimensions;
    launch.shared_bytes = code.static_shared + request.config.dynamic_shared;
    launch.local_bytes = code.local_bytes;
    launch.params = reinterpret_cast<const std::uint8_t*>(parameters.at());
    if (request.config.cooperative) launch.grid_barrier = parameters.barrier();
    launch.variables = program.variables.data();
    launch.shared_window = windows_;
    launch.local_window = windows_ + kSharedWindows;
    launch.multiprocessors = options_.multiprocessors;
    launch.counters = request.options.counters;
    launch.most_instructions = options_.most_instructions;
    launch.schedule = options_.schedule;
    launch.pace = options_.pace;
    launch.resident = launch.pace.resident(code.options.block.threads(), launch.shared_bytes);
    launch.clock_start = clock_;
}

/// The times of a launch whose kernel times itself: its blocks share the multiprocessors and their first levels.
std::unique_ptr<SelfTiming> Engine::begin_times(const LaunchShared& launch, const LaunchRequest& request) {
    std::call_once(second_level_made_,
                   [this] { second_level_ = std::make_unique<SecondLevel>(options_.pace.latencies.l2_bytes); });
    const auto& pace = launch.pace;
    const auto& shape = launch.code->options.block;
    const std::uint64_t warps = (shape.threads() + shape.lanes - 1) / shape.lanes, sms = launch.multiprocessors;
    const auto blocks =
        std::min(launch.resident, (request.config.grid.count() + sms - 1) / std::max<std::uint64_t>(1, sms));
    const auto shared = blocks * (launch.shared_bytes + pace.reserved_shared), all = pace.latencies.l1_bytes;
    const auto l1 = !pace.latencies.l1_unified ? all : all > shared ? all - shared : 0;
    return std::make_unique<SelfTiming>(pace, warps * blocks, l1, *second_level_);
}

namespace {

/// Whether writes to shared memory may go into the log of a block: nothing reads it on after a barrier, nor asks who
/// wrote what it reads, and the stamps of single bytes, which earlier blocks may have left, are in nobody's way.
bool defers_writes(const KernelCode& code) {
    const auto reads_on = [](const CountedInst& i) {
        return i.ptx && (i.ptx->op == simt::Op::wgmma || i.ptx->op == simt::Op::cp_async_bulk ||
                         i.ptx->op == simt::Op::cp_reduce_async_bulk);
    };
    const auto narrow = [](const SiteInfo& s) {
        return (s.space == simt::Space::shared || s.space == simt::Space::generic) && s.bytes * s.count < 4;
    };
    return std::none_of(code.insts.begin(), code.insts.end(), reads_on) &&
           std::none_of(code.sites.begin(), code.sites.end(), narrow);
}

}  // namespace

std::unique_ptr<CheckLaunch> Engine::begin_check(const Program& program, ptx::SymbolId kernel,
                                                 const std::shared_ptr<KernelCode>& made,
                                                 const LaunchRequest& request) {
    const KernelCode& code = *made;
    const auto has = [&](record::Checker c) { return (checkers_ & static_cast<std::uint32_t>(c)) != 0; };
    auto check = std::make_unique<CheckLaunch>();
    check->generation = begin_generation();
    check->memory = has(record::Checker::memory);
    check->init = has(record::Checker::init);
    check->sync = has(record::Checker::sync);
    // Warps of 64 lanes have no place in the stamps.
    check->race = has(record::Checker::race) && check->generation != 0 && options_.lanes <= 32;
    check->kernel = readable(program.module.functions[kernel].name);
    check->collector = &collector_;
    check->shadow = shadow_.get();
    check->device = memory_.get();
    check->patience = options_.patience;
    check->is_host_memory = options_.is_host_memory;
    check->gate = &gate_;
    check->defers_writes = defers_writes(code);
    find_endless(*check, code);
    if (check->generation) {
        GenerationWriter writer{{check->kernel, request.config.grid.count(), request.config.block.count(), 0}, {}, {}};
        for (const auto& site : code.sites) writer.bytes.push_back(site.bytes);
        if (check->race) writer.places = places_of(made);
        std::lock_guard lock(generation_mutex_);
        writers_[check->generation] = std::move(writer);
        if (check->race) note_generation(check->generation);
    }
    return check;
}

void Engine::end_check(const CheckLaunch& check) {
    if (check.generation) end_generation(check.generation);
}

/// Host threads that run the blocks: one where they take turns.
unsigned Engine::threads_for(const LaunchShared& launch, std::uint64_t count) const {
    if (launch.code->takes_turns || launch.code->times_itself || launch.schedule.kind != Schedule::Kind::forward)
        return 1;
    return static_cast<unsigned>(std::min<std::uint64_t>(options_.threads, count));
}

/// Whether kept blocks run in their place in the order of blocks, and not before all others.
bool Engine::keeps_order(const LaunchShared& launch, const LaunchRequest& request) {
    return launch.code->ordered && request.sample_error <= 0;
}

void Engine::keep_clock(std::uint64_t latest) {
    auto before = clock_.load();
    while (before < latest && !clock_.compare_exchange_weak(before, latest)) {
    }
}

/// Runs all blocks, or a sample of them: what they took and counted goes into the reply, an error into `launch`.
void Engine::run_grid(LaunchShared& launch, const GridRequest& of, launch::EmulatedResult& reply) {
    const Running running(*this, launch);
    const SlowLaunches::Watched watched(*slow_, launch);
    const auto& request = of.request;
    const std::uint64_t cluster = launch.cluster_blocks();
    const std::uint64_t count = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2] / cluster;
    const auto many = threads_for(launch, count);
    const bool ordered = many > 1 && launch.code->ordered, in_place = keeps_order(launch, request);
    BlockOrder order;
    if (ordered && in_place) launch.order = &order;
    HostThreads threads(launch, many);
    launch.most_begun =
        launch.grid_barrier ? std::max(count, std::uint64_t{1}) : launch.multiprocessors * launch.resident;
    if (launch.check) {
        launch.check->quiet = std::vector<std::atomic<std::uint64_t>>(threads.count());
        for (auto& q : launch.check->quiet) q = CheckLaunch::kGone;  // until it starts
    }
    if (launch.tracing && !launch.tracing_now) run_traced(launch, threads, of, reply);
    // Several blocks at a time where there are very many; one at a time where blocks may wait for those before them.
    if (!launch.check && !ordered && many > 1)
        launch.at_once = std::clamp<std::uint64_t>(count / (std::uint64_t{threads.count()} * 64), 1, 32);
    const auto start = std::chrono::steady_clock::now();
    const double ran = reply.result.host_seconds;
    if (!launch.stop) {
        const BetterCode::Running better(*better_, better_of(*launch.code));
        const TimeLimit limit(launch, threads, time_left(request.options.timeout, ran), options_.limits_of_processor);
        const bool begun = launch.tracing && !launch.tracing_now;
        std::atomic<std::uint64_t> next{begun && in_place ? launch.tracing->end() : 0};
        launch.sampling = request.sample_error > 0 && request.options.counters;
        if (launch.sampling) sample_blocks(launch, threads, request, reply);
        launch.sampling = false;
        if (ordered && !in_place) {
            if (begun)
                for (const auto& kept : launch.tracing->launch.sample) order.ended(kept.index);
            launch.order = &order;
        }
        if (!reply.result.counts && !launch.stop) run_all(launch, threads, of, next, count);
        reply.result.host_seconds = ran + seconds_since(start);
    }
    if (launch.tracing && launch.code == launch.tracing->code.get())
        launch.code->others_seconds.fetch_add(reply.result.host_seconds - ran);
    keep_clock(threads.latest_clock());
    if (launch.stop) return;
    reply.result.touched = threads.touched();
    if (reply.result.counts) reply.result.touched.joined = reply.result.counts->joined;
    if (!request.options.counters || reply.result.counts) return;
    const host_time::In counts(host_time::Work::profile);
    reply.result.counts = counts_of(threads, launch, request);
    if (launch.tracing && launch.tracing->counted) reply.result.counts->add(*launch.tracing->counted);
    reply.result.touched.joined = reply.result.counts->joined;
}

}  // namespace warpwright::engine
