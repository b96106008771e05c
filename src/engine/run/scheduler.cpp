// Blocks and warps on host threads. A warp runs until it waits, and a block runs its warps in turn. Blocks that may
// wait for each other take turns (turns.cpp); others run to their ends, one after the other on each host thread.
#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <chrono>
#include <list>
#include <new>
#include <thread>
#include <utility>

#include "engine/run/large_stack.hpp"
#include "engine/run/scheduler.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/grid_work.hpp"
#include "engine/runtime/mbarrier.hpp"
#include "engine/runtime/texts.hpp"
#include "engine/shared/host_stack.hpp"
#include "engine/shared/self_timing.hpp"
#include "engine/shared/step_gate.hpp"
#include "engine/shared/tracing.hpp"
#include "support/cause.hpp"
#include "support/covers.hpp"
#include "support/host_time.hpp"
#include "support/thread_sanitizer.hpp"

namespace warpwright::engine {

struct Fiber {
    boost::context::fiber inside, outside;
    thread_sanitizer::Stack stack;
    KernelFunction function = nullptr;
    BlockContext* context = nullptr;
    WarpFrame* frame = nullptr;
    std::uint32_t status = 0;
    bool running = false;
    std::uintptr_t stack_low = 0;  ///< where the stack that it runs on ends
    const void* stack_high = nullptr;
};

std::shared_ptr<Fiber> make_fiber() { return std::make_shared<Fiber>(); }

namespace {

void out_of_host_memory(LaunchShared& launch) {
    launch.fail({ErrorKind::limit, "the host has no memory for as many blocks as wait for each other",
                 location(*launch.code->module, nullptr), "launch fewer or smaller blocks, or use less local memory",
                 Cause::out_of_memory});
}

thread_local Fiber* current_fiber = nullptr;

}  // namespace

std::uint32_t run_on(Fiber& fiber, KernelFunction function, BlockContext* context, WarpFrame* frame) {
    fiber.context = context;
    fiber.frame = frame;
    if (!fiber.running) {
        boost::context::protected_fixedsize_stack stacks(64 << 20);
        boost::context::stack_context stack;
        try {
            stack = stacks.allocate();
        } catch (const std::bad_alloc&) {
            out_of_host_memory(context->executor->launch);
            return static_cast<std::uint32_t>(Status::error);
        }
        fiber.running = true;
        fiber.function = function;
        // (Its last page is there to fault.)
        fiber.stack_low = reinterpret_cast<std::uintptr_t>(stack.sp) - stack.size +
                          boost::context::protected_fixedsize_stack::traits_type::page_size();
        fiber.stack_high = stack.sp;
        fiber.inside =
            boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), stacks,
                                  [&fiber](boost::context::fiber&& back) {
                                      fiber.outside = std::move(back);
                                      fiber.status = fiber.function(fiber.context, fiber.frame, 0);
                                      fiber.running = false;
                                      fiber.stack.leave();
                                      return std::move(fiber.outside);
                                  });
    }
    auto before = current_fiber;
    current_fiber = &fiber;
    fiber.stack.enter();
    {
        const OnStack own(fiber.stack_low);
        const host_time::OnCodeStack code(fiber.stack_high);
        fiber.inside = std::move(fiber.inside).resume();
    }
    current_fiber = before;
    return fiber.status;
}

extern "C" std::uint32_t ww_rt_suspend(BlockContext* context, WarpFrame*, std::uint32_t picked) {
    auto& fiber = *current_fiber;
    fiber.status = static_cast<std::uint32_t>(picked == kPickedYield ? Status::yielded : Status::waiting);
    fiber.stack.leave();
    fiber.outside = std::move(fiber.outside).resume();
    return context->executor->launch.stop ? 0 : 1;
}

/// Whether a block has run already.
bool Scheduler::leaves_out(std::uint64_t index) const {
    return launch.tracing && !launch.tracing_now && !launch.sampling && launch.tracing->has(index);
}

inline std::uint32_t Scheduler::run_warp(BlockContext* context, WarpFrame* frame) {
    context->chain_at = frame;
    const auto status = launch.code->function.load(std::memory_order_relaxed)(context, frame, frame->resume);
    return status == static_cast<std::uint32_t>(Status::split) ? run_split(context, context->chain_at) : status;
}

/// A warp diverged where the code has no masked copy: from now on the kernel runs its complete code.
std::uint32_t Scheduler::run_split(BlockContext* context, WarpFrame* frame) {
    auto whole = launch.code->make_whole(*launch.code);
    if (!whole) {
        launch.fail(whole.error());
        return static_cast<std::uint32_t>(Status::error);
    }
    return (*whole)(context, frame, frame->resume);
}

std::uint32_t Scheduler::call(ResidentBlock& block, std::size_t w) {
    const auto& code = *launch.code;
    auto* f = block.frame(w, code.frame_bytes);
    const auto status =
        code.on_fibers ? run_on(*block.fibers[w], code.function, &block.context, f) : run_warp(&block.context, f);
    if (!block.did.empty()) weigh(block, w);
    if (keeps_clocks_) note_pace(f);
    return status;
}

void Scheduler::weigh(ResidentBlock& block, std::size_t warp, std::size_t from, std::size_t to) {
    if (weights_.empty())
        for (const auto& b : launch.tracing->code->machine->blocks) weights_.push_back(b.counted);
    std::uint64_t all = 0;
    for (std::size_t b = 0; b < std::min<std::size_t>(weights_.size(), launch.code->blocks); ++b)
        all += (counters[b * kBlockCounters] + counters[b * kBlockCounters + 1]) * weights_[b];
    for (std::size_t w = from; w < to; ++w) {
        const auto chained = std::exchange(block.frame(w, launch.code->frame_bytes)->chained, 0);
        if (w != warp) block.did[w] += chained, weighed_ += chained;
    }
    block.did[warp] += all - weighed_;
    weighed_ = all;
}

void Scheduler::keep_work(const ResidentBlock& block) {
    if (block.did.empty()) return;
    auto& work = launch.tracing->launch.work[block.index];
    work = {};
    for (const auto n : block.did) work.most = std::max(work.most, n), work.all += n;
}

bool Scheduler::try_prepare(ResidentBlock& block, std::uint64_t index) {
    try {
        prepare(block, index);
        return true;
    } catch (const std::bad_alloc&) {
        out_of_host_memory(launch);
        return false;
    }
}

/// At a barrier the times of a block's warps meet: the latest goes for all.
void Scheduler::meet(ResidentBlock& block) {
    const auto frame_bytes = launch.code->frame_bytes;
    std::uint64_t latest = 0;
    for (std::size_t w = 0; w < block.states.size(); ++w)
        if (block.states[w] != WarpState::done) latest = std::max(latest, block.frame(w, frame_bytes)->ticks);
    for (std::size_t w = 0; w < block.states.size(); ++w)
        if (block.states[w] != WarpState::done) block.frame(w, frame_bytes)->ticks = latest + launch.times->barrier();
}

bool Scheduler::release_barriers(ResidentBlock& block) {
    const auto& code = *launch.code;
    bool any = false;
    if (!std::exchange(block.any_arrived, false)) return any;
    for (unsigned id = 0; id < 16; ++id) {
        auto& b = block.barriers[id];
        if (b.arrived == 0) continue;
        block.any_arrived = true;
        std::uint32_t wanted = b.wanted;
        if (wanted == 0)
            for (std::size_t w = 0; w < block.states.size(); ++w)
                wanted += static_cast<std::uint32_t>(__builtin_popcountll(block.frame(w, code.frame_bytes)->live));
        if (b.arrived < wanted) continue;
        any = true;
        for (std::size_t w = 0; w < block.states.size(); ++w) {
            auto* f = block.frame(w, code.frame_bytes);
            bool mine = false;
            if (block.states[w] == WarpState::barrier) {
                if (f->barrier_id != id) continue;
                f->barrier_result = b.holding;
                f->barrier_total = b.arrived;
                mine = true;
            } else if (block.states[w] != WarpState::done && block.states[w] != WarpState::failed) {
                // Groups of lanes may wait at several barriers: another group may wait at one of those released just
                // now.
                for (std::uint32_t k = 0; k < f->waits; ++k) {
                    auto& wait = f->wait[k];
                    if (wait.barrier != id || wait.released) continue;
                    wait.holding = b.holding;
                    wait.total = b.arrived;
                    wait.released = mine = true;
                }
            }
            if (mine) block.states[w] = WarpState::ready;
        }
        if (launch.times) meet(block);
        const bool counted = b.wanted != 0;
        b = {};
        if (block.check) check_released(block, id, counted);
    }
    return any;
}

namespace {

/// While it lives, generated code may go from warp to warp.
class Chained {
public:
    explicit Chained(BlockContext& context) : context_(context) {}
    ~Chained() { context_.chain_end = context_.chain_first = context_.chain_ends = nullptr; }
    Chained(const Chained&) = delete;
    Chained& operator=(const Chained&) = delete;

private:
    BlockContext& context_;
};

}  // namespace

/// The number of warps, the first ones of the block, from each of which the code went on where it had ended.
std::size_t Scheduler::note_ended(ResidentBlock& block) {
    if (!block.context.chain_ends) return 0;
    const std::size_t ended = block.context.chain_ends->warp;
    if (ended == 0) return 0;
    std::fill_n(block.states.begin(), ended, WarpState::done);
    block.context.chain_end = block.context.chain_ends = nullptr;
    return ended;
}

/// The usual block: every warp runs to __syncthreads() or its end, again and again. No arrivals are counted: when each
/// warp has returned once, all are at the barrier. False when some warp did anything else; the states then say what.
bool Scheduler::in_step(ResidentBlock& block) {
    const auto warps = block.states.size();
    const auto& code = *launch.code;
    if (code.on_fibers || launch.schedule.kind != Schedule::Kind::forward) return false;
    // Generated code goes from warp to warp by itself, unless somebody looks at each of them, or one has ended.
    bool chains = !keeps_clocks_;
    const Chained chained(block.context);
    for (;;) {
        bool alive = false;
        block.context.chain_end = chains ? block.frame(warps - 1, code.frame_bytes) : nullptr;
        // It begins with the first: where it comes to the last one, all wait.
        if (chains && !launch.times && !block.check) block.context.chain_first = block.frame(0, code.frame_bytes);
        // What each warp does is told where it waits, not where it ends.
        block.context.chain_ends = block.did.empty() ? block.context.chain_first : nullptr;
        for (std::size_t w = 0; w < warps; ++w) {
            if (block.states[w] == WarpState::done) continue;
            auto* f = block.frame(w, code.frame_bytes);
            const auto status = static_cast<Status>(run_warp(&block.context, f));
            block.context.chain_first = nullptr;
            const auto ended = note_ended(block);
            if (ended != 0) chains = false;
            if (block.context.chain_at != f) {
                w = block.context.chain_at->warp;
                alive |= ended < w;
            }
            if (!block.did.empty()) chains ? weigh(block, w, 0, warps) : weigh(block, w);
            if (keeps_clocks_) note_pace(f);
            if (status == Status::barrier_all) {
                alive = true;
                continue;
            }
            if (status == Status::done) {
                block.states[w] = WarpState::done;
                chains = false;
                block.context.chain_end = block.context.chain_ends = nullptr;
                continue;
            }
            // The warps before this one stand at barrier 0; those after it have yet to run.
            for (std::size_t k = 0; k < w; ++k)
                if (block.states[k] != WarpState::done) arrive(block, k, Status::barrier_all);
            arrive(block, w, status);
            return false;
        }
        if (keeps_clocks_) end_pass(block);
        if (!alive) return true;
        if (launch.times) meet(block);
        if (block.check) check_full_barrier(block);
    }
}

/// Records how a warp returned. False when the launch has ended.
bool Scheduler::arrive(ResidentBlock& block, std::size_t w, Status status) {
    const auto& code = *launch.code;
    auto* f = block.frame(w, code.frame_bytes);
    switch (status) {
        case Status::done:
            block.states[w] = WarpState::done;
            return true;
        case Status::waiting:
            block.states[w] = WarpState::waiting;
            return true;
        case Status::yielded:
            block.states[w] = WarpState::yielded;
            return true;
        case Status::phase:
            block.states[w] = WarpState::phase;
            return true;
        case Status::split:  // run_warp() has dealt with it
        case Status::error:
            // A fault stops the launch. If it has not stopped, the code itself is wrong, and that must never pass as a
            // success.
            if (!launch.stop && !failed)
                launch.fail({ErrorKind::internal, "compiled code gave up without a reason",
                             location(*code.module, nullptr), "please report this"});
            block.states[w] = WarpState::failed;
            return false;
        case Status::barrier_all:
            f->barrier_id = f->barrier_count = 0;
            [[fallthrough]];
        case Status::barrier:
            break;
    }
    block.states[w] = WarpState::barrier;
    if (f->barrier_id >= 16) {
        launch.fail({ErrorKind::fault, "barrier number " + std::to_string(f->barrier_id) + " is not one of 0 to 15",
                     location(*code.module, code.barriers[f->barrier_site]), "", Cause::barrier});
        block.states[w] = WarpState::failed;
        return false;
    }
    auto& b = block.barriers[f->barrier_id];
    block.any_arrived = true;
    b.arrived += static_cast<std::uint32_t>(__builtin_popcountll(f->initial));
    b.holding += static_cast<std::uint32_t>(__builtin_popcountll(f->barrier_true));
    f->barrier_true = 0;
    if (f->barrier_count) b.wanted = f->barrier_count;
    if (block.check) check_arrive(block, f->barrier_id, *f, f->live, true, f->barrier_site);
    return true;
}

Scheduler::Outcome Scheduler::step(ResidentBlock& block) {
    const std::uint64_t most = launch.most_instructions, before = launch.executed;
    const auto left = static_cast<std::int64_t>(most - std::min(most, before));
    block.context.instructions_left = left;
    if (launch.check) launch.check->gate->enter();
    const auto outcome = go_on(block);
    if (launch.check) launch.check->gate->leave();
    if (most == 0) return outcome;
    // The sum decides, in whatever order blocks run; a loop that passes the limit has been named by then. With several
    // threads it depends on their order which block that is, and whether a loop is named at all.
    const auto spent = static_cast<std::uint64_t>(left - block.context.instructions_left);
    if (covers(0, most, launch.executed.fetch_add(spent), spent) || launch.stop || failed) return outcome;
    launch.fail({ErrorKind::fault, "the kernel executed more than " + std::to_string(most) + " instructions of warps",
                 location(*launch.code->module, nullptr), "let its threads do less", Cause::time_limit});
    return Outcome::stopped;
}

bool Scheduler::run_work(ResidentBlock& block, bool over) {
    const bool any = block.work && !block.work->items.empty();
    if (any) launch.work->run(*block.work);
    if (over) block.work.reset();
    return any;
}

Scheduler::Outcome Scheduler::go_on(ResidentBlock& block) {
    const auto warps = block.states.size();
    current = &block;
    if (block.fresh) {
        block.fresh = false;
        ++ran_;
        if (in_step(block)) return Outcome::finished;
        for (auto s : block.states)
            if (s == WarpState::failed) return Outcome::stopped;
    }
    for (;;) {
        bool ran = false;
        std::size_t done = 0, yielded = 0;
        for (std::size_t k = 0; k < warps; ++k) {
            const auto w = warp_at(block, k);
            if (block.states[w] == WarpState::done) ++done;
            if (block.states[w] == WarpState::yielded) ++yielded;
            if ((block.states[w] == WarpState::phase || block.states[w] == WarpState::waiting) &&
                phases_over(*block.frame(w, launch.code->frame_bytes), block.states[w] == WarpState::phase))
                block.states[w] = WarpState::ready;
            if (block.states[w] != WarpState::ready) continue;
            ran = true;
            ++ran_;
            if (keeps_clocks_) fetch_ahead(block, k + 1);
            if (!arrive(block, w, static_cast<Status>(call(block, w)))) return Outcome::stopped;
            if (block.states[w] == WarpState::done) ++done;
            if (block.states[w] == WarpState::yielded) ++yielded;
        }
        if (keeps_clocks_) end_pass(block);
        if (release_barriers(block)) continue;
        if (ran && yielded == 0) {
            if (done == warps) return Outcome::finished;
            continue;
        }
        if (done == warps) return Outcome::finished;
        if (launch.stop) return Outcome::stopped;
        if (yielded) {
            for (auto& s : block.states)
                if (s == WarpState::yielded) s = WarpState::ready;
            return Outcome::parked;
        }
        return Outcome::stuck;
    }
}

/// The time limit passed while a block yielded: names the loop in which it is.
void Scheduler::name_loops(const ResidentBlock& block) {
    for (std::size_t w = 0; w < block.states.size(); ++w)
        if (block.states[w] == WarpState::yielded || block.states[w] == WarpState::ready) {
            auto* f = const_cast<ResidentBlock&>(block).frame(w, launch.code->frame_bytes);
            if (f->spin) ww_rt_stopped(const_cast<BlockContext*>(&block.context), f, f->spun_at);
        }
}

/// Warps inside a call unwind by themselves: compiled code cannot be unwound from outside.
void Scheduler::unwind(ResidentBlock& block) {
    for (std::size_t w = 0; w < block.fibers.size(); ++w)
        if (block.fibers[w]->running) {
            launch.stop = 1;
            current = &block;
            call(block, w);
        }
}

void Scheduler::run(std::atomic<std::uint64_t>& next, std::uint64_t count) {
    if (!may_need_large_stack() || host_stack_left() >= kLargeStack / 2) return run_here(next, count);
    const auto where = location(*launch.code->module, nullptr);
    // On a stack of its own a kernel waits for this grid, which it has launched.
    if (on_own_stack())
        launch.fail(
            {ErrorKind::fault, "grids that wait for grids are nested too deep", where, "", Cause::stack_overflow});
    else if (!on_large_stack([&] { run_here(next, count); }))
        launch.fail({ErrorKind::limit, "the host has no memory for a thread's stack", where,
                     "let the process have more memory, or fewer threads", Cause::out_of_memory});
}

/// Whether the code is quick, or may be so once lanes have come apart.
bool Scheduler::may_need_large_stack() const {
    if (launch.code->on_fibers) return false;            // each warp has a stack of its own
    return launch.code->gives_up || launch.code->quick;  // in this order: it becomes quick first
}

void Scheduler::run_here(std::atomic<std::uint64_t>& next, std::uint64_t count) {
    const guard::Running named(launch.kernel->name);
    const host_time::In work(launch.cluster_blocks() == 1 && keeps_clocks_ ? host_time::Work::turns
                                                                           : host_time::Work::blocks);
    const host_time::OnCodeStack code(__builtin_frame_address(0));
    auto* const before = std::exchange(executor_here(), this);
    at = 0;
    if (launch.cluster_blocks() != 1)
        run_clusters(next, count);
    else if (keeps_clocks_)
        run_in_turns(next, count);
    else
        run_blocks(next, count);
    settle();
    at = ~std::uint64_t{0};
    executor_here() = before;
}

/// After an error: waits until all earlier blocks have ended, one of which may fail too, and stops the launch. Blocks
/// that never end are waited for only so long.
void Scheduler::settle() {
    constexpr std::chrono::milliseconds kLook{1}, kPatience{1000};
    if (!failed || !launch.others) return;
    const auto mine = current->number;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    const auto earlier = [&](const Executor* e) { return e != this && e->at < mine && !e->failed; };
    while (!launch.stop && std::chrono::steady_clock::now() < end &&
           std::any_of(launch.others->begin(), launch.others->end(), earlier))
        std::this_thread::sleep_for(kLook);
    launch.stop = 1;
}

/// The blocks that a host thread takes from the grid, some at a time.
class Scheduler::Share {
public:
    Share(const Scheduler& of, std::atomic<std::uint64_t>& next, std::uint64_t count)
        : of_(of), next_(next), count_(count) {}

    /// The next block; absent where this piece has none left, or the grid has none.
    std::optional<std::uint64_t> take() {
        if (mine_ == end_) {
            mine_ = next_.fetch_add(of_.launch.at_once, std::memory_order_relaxed);
            end_ = std::min(mine_ + of_.launch.at_once, count_);
        }
        while (mine_ < end_ && of_.leaves_out(mine_)) ++mine_;
        if (mine_ > of_.launch.failed) mine_ = end_ = count_;  // only earlier ones can change what came of it
        if (mine_ < end_) return mine_++;
        more_ = mine_ < count_;
        return std::nullopt;
    }
    bool more() const { return more_; }

private:
    const Scheduler& of_;
    std::atomic<std::uint64_t>& next_;
    std::uint64_t count_, mine_ = 0, end_ = 0;
    bool more_ = true;
};

/// Blocks none of which has to wait for another. Its own warps may wait for each other, and it for grids that it
/// launched.
void Scheduler::run_blocks(std::atomic<std::uint64_t>& next, std::uint64_t count) {
    std::list<std::unique_ptr<ResidentBlock>> parked;  // mostly none
    Share share(*this, next, count);
    ProgressWatch watch(launch, worker);
    bool over = false;
    while (!launch.stop && !over) {
        std::unique_ptr<ResidentBlock> block;
        if (parked.empty()) {
            const auto index = share.take();
            if (!index && !share.more()) return;
            if (!index) continue;
            at.store(*index, std::memory_order_relaxed);
            block = fresh();
            if (!try_prepare(*block, *index)) break;
        } else {
            block = std::move(parked.front());
            parked.pop_front();
        }
        switch (step(*block)) {
            case Outcome::finished:
                watch.worked(*block);
                end_block(*block);
                spare_.push_back(std::move(block));
                break;
            case Outcome::parked:
                if (run_work(*block, false)) watch.worked(*block);
                if (++block->turns % kTurnsToLook == 0) over = watch.stepped_aside(*block, true, 0);
                parked.push_back(std::move(block));
                break;
            case Outcome::stuck:
                deadlock(*block);
                [[fallthrough]];
            case Outcome::stopped:
                // The block is kept: fibers on it must not be destroyed while they report an error.
                parked.push_back(std::move(block));
                over = true;
                break;
        }
    }
    settle();
    for (const auto& block : parked) name_loops(*block);
    for (const auto& block : parked) unwind(*block);
}

std::unique_ptr<ResidentBlock> Scheduler::fresh() {
    if (spare_.empty()) return std::make_unique<ResidentBlock>();
    auto block = std::move(spare_.back());
    spare_.pop_back();
    return block;
}

void Scheduler::end_block(ResidentBlock& block) {
    keep_work(block);
    run_work(block, true);
    if (launch.order) launch.order->ended(block.number);
}

}  // namespace warpwright::engine
