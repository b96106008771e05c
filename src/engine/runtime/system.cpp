// System services for kernels: printf, assert, malloc, clocks; and the faults that end a kernel.
#include <algorithm>
#include <cstring>

#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/lane_bytes.hpp"
#include "engine/runtime/texts.hpp"
#include "engine/shared/bad_index.hpp"
#include "engine/shared/executor.hpp"
#include "engine/shared/host_stack.hpp"
#include "engine/shared/self_timing.hpp"
#include "ptx/place.hpp"
#include "simt/ir.hpp"

namespace warpwright::engine {

/// That a printed byte counts for (LaunchShared::most_instructions).
constexpr std::size_t kInstructionsForByte = 20;

namespace {

/// A kernel's text is read up to this many bytes.
constexpr std::uint64_t kMostText = std::uint64_t{1} << 20;

}  // namespace

HostView host_view(BlockContext* c, std::uint64_t address) {
    auto& launch = c->executor->launch;
    if (address - c->shared_window < c->shared_size)
        return {c->shared + (address - c->shared_window), c->shared_size - (address - c->shared_window)};
    if (auto a = launch.find(address))
        return {reinterpret_cast<std::uint8_t*>(address), a->from(address), a->allows(address, 0, true)};
    return {};
}

std::string text_at(BlockContext* c, std::uint64_t address) {
    if (address == 0) return "(null)";
    auto v = host_view(c, address);
    const auto* text = reinterpret_cast<const char*>(v.at);
    return v.bytes ? std::string(text, strnlen(text, std::min(v.bytes, kMostText))) : std::string();
}

namespace {

/// Where a launch was when it had to end.
const char* still_in(bool at_call) { return at_call ? " is still at this call" : " is still in this loop"; }

/// A lane's local memory is not contiguous: words of all lanes are interleaved.
template <class Each>
bool local_bytes(BlockContext* c, WarpFrame* f, unsigned lane, std::uint64_t address, unsigned bytes, Each&& each) {
    const unsigned lanes = c->executor->launch.code->options.block.lanes;
    const auto at = address - c->local_window;
    if (!covers(0, f->local_size, at, bytes)) return false;
    for (unsigned k = 0; k < bytes; ++k) each(k, f->local[((at + k) >> 2) * 4 * lanes + 4 * lane + ((at + k) & 3)]);
    return true;
}

}  // namespace

bool read_lane(BlockContext* c, WarpFrame* f, unsigned lane, std::uint64_t address, void* to, unsigned bytes) {
    auto* out = static_cast<std::uint8_t*>(to);
    if (address - c->local_window < kWindowBytes)
        return local_bytes(c, f, lane, address, bytes, [&](unsigned k, std::uint8_t& b) { out[k] = b; });
    auto v = host_view(c, address);
    if (v.bytes < bytes) return false;
    std::memcpy(to, v.at, bytes);
    return true;
}

bool write_lane(BlockContext* c, WarpFrame* f, unsigned lane, std::uint64_t address, const void* from, unsigned bytes) {
    const auto* in = static_cast<const std::uint8_t*>(from);
    if (address - c->local_window < kWindowBytes)
        return local_bytes(c, f, lane, address, bytes, [&](unsigned k, std::uint8_t& b) { b = in[k]; });
    auto v = host_view(c, address);
    if (v.bytes < bytes || !v.writable) return false;
    std::memcpy(v.at, from, bytes);
    if (c->check) {
        if (address - c->shared_window < c->shared_size) {
            if (auto& shared = checked(c).shared) shared->set_written(address - c->shared_window, bytes);
        } else if (launch_of(c).shadow->covers(address, bytes)) {
            launch_of(c).shadow->set_written(address, bytes);
        }
    }
    return true;
}

void forget_sites(Executor& executor, std::uint64_t address) {
    for (auto& s : executor.sites) {
        s.order = nullptr;
        if (s.base == address) s.base = executor.launch.memory->nowhere(), s.limit = 0;
        if (s.found == address) s.found_bytes = 0;
    }
}

Location block_location(const KernelCode& code, std::uint32_t block) {
    const auto* inst = block < code.block_line.size() ? code.block_line[block] : nullptr;
    if (!inst && block < code.block_end.size()) inst = code.block_end[block];
    return location(*code.module, inst);
}

void fail_at(BlockContext* c, std::uint32_t block, Cause cause, std::string what, std::string hint) {
    auto& launch = c->executor->launch;
    launch.fail({ErrorKind::fault, std::move(what), block_location(*launch.code, block), std::move(hint), cause});
}

extern "C" {

std::uint32_t ww_rt_system_call(BlockContext* c, WarpFrame* f, std::uint32_t which, std::uint32_t block,
                                std::uint64_t mask, const std::uint64_t* in, std::uint64_t* out) {
    if (!wait_for_order(c)) return 0;
    auto& launch = c->executor->launch;
    const unsigned lanes = launch.code->options.block.lanes;
    auto argument = [&](unsigned k, unsigned lane) { return in[k * lanes + lane]; };
    for (auto rest = mask; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(rest));
        if (launch.stop) {
            ww_rt_stopped(c, f, block);
            return 0;
        }
        switch (static_cast<simt::SystemCall>(which)) {
            case simt::SystemCall::print: {
                const auto text = print_text(c, f, l, argument(0, l), argument(1, l));
                // A text of any length is one instruction's work: with a limit of instructions it counts for more.
                c->instructions_left -= static_cast<std::int64_t>(kInstructionsForByte * text.size());
                launch.print(text);
                out[l] = text.size();
                break;
            }
            case simt::SystemCall::assert_fail: {
                auto file = text_at(c, argument(1, l));
                launch.fail({ErrorKind::fault,
                             "assertion '" + text_at(c, argument(0, l)) + "' failed in " + text_at(c, argument(3, l)) +
                                 ", " + thread_text(*c, *f, l),
                             {file, static_cast<unsigned>(argument(2, l) & 0xffffffffu), 0},
                             "",
                             Cause::assertion});
                return 0;
            }
            case simt::SystemCall::allocate: {
                auto a = launch.memory->allocate(argument(0, l), MemoryUse::heap);
                if (a && launch.reach != ~std::uint64_t{0})
                    launch.memory->set_owner(*a, {static_cast<std::uint8_t>(launch.device)});
                out[l] = a ? *a : 0;
                break;
            }
            case simt::SystemCall::release:
                if (auto r = launch.memory->release_heap(argument(0, l)); !r) {
                    fail_at(c, block, Cause::invalid_free,
                            "free of an address that no kernel has allocated, by " + thread_text(*c, *f, l),
                            "free() takes what malloc() of a kernel gave");
                    return 0;
                }
                forget_sites(*c->executor, argument(0, l));
                break;
            case simt::SystemCall::none:
                return 0;
            default:
                if (!device_call(c, f, which, block, l, in + l, lanes, out[l])) return 0;
                break;
        }
    }
    return 1;
}

/// At the end of a loop or, with kAtCall in `block`, at a call, where the launch is to end, or somebody asks where it
/// is. 0: the warp ends.
std::uint32_t ww_rt_stopped(BlockContext* c, WarpFrame*, std::uint32_t block) {
    auto& launch = c->executor->launch;
    const bool at_call = (block & kAtCall) != 0;
    block &= ~kAtCall;
    const auto of_block = block_text(*c);
    if (!launch.stop) {
        launch.stop.look = 0;
        if (launch.stop) launch.stop.look = 1;  // it was to end at this moment
        if (launch.asked_where && !launch.code->takes_turns)
            launch.tell_where(of_block + (at_call ? " is at the call at " : " is in the loop at ") +
                              block_location(*launch.code, block).text());
        return 1;
    }
    if (launch.timed_out)
        fail_at(c, block, Cause::time_limit, "the kernel did not end in time: " + of_block + still_in(at_call),
                "use a longer --timeout if the kernel needs that long");
    return 0;
}

/// The same where the launch has executed more instructions than it may.
void ww_rt_spent(BlockContext* c, WarpFrame*, std::uint32_t block) {
    const bool at_call = (block & kAtCall) != 0;
    fail_at(c, block & ~kAtCall, Cause::time_limit,
            "the kernel executed more than " + std::to_string(c->executor->launch.most_instructions) +
                " instructions of warps, and " + block_text(*c) + still_in(at_call),
            at_call ? "check the condition that should end the recursion, or the loop around the call"
                    : "check the condition that should end the loop: does its variable change?");
}

/// A warp has gone once through a loop that has no way out.
std::uint32_t ww_rt_endless(BlockContext* c, WarpFrame* f, std::uint32_t block) {
    auto& launch = c->executor->launch;
    launch.fail(
        {ErrorKind::fault, "endless loop: nothing leaves it, and " + thread_text(*c, *f, 0) + " or its warp is in it",
         block_location(*launch.code, block), "check the condition that should end the loop: does its variable change?",
         Cause::deadlock},
        record::FindingKind::deadlock);
    return 0;
}

void ww_rt_trap(BlockContext* c, WarpFrame* f, std::uint32_t block) {
    fail_at(c, block, Cause::trap, "trap executed by " + thread_text(*c, *f, 0) + " or its warp");
}

/// A call through a pointer that is no function; or, with kBadIndex in `block`, a multiway branch whose index is beyond
/// its targets, of the lanes `what`.
void ww_rt_bad_call(BlockContext* c, WarpFrame* f, std::uint32_t block, std::uint64_t what) {
    if (!(block & kBadIndex))
        return fail_at(c, block, Cause::illegal_instruction, "call through a pointer that is not a function");
    block &= ~kBadIndex;
    const auto& code = *c->executor->launch.code;
    const auto* inst = block < code.block_end.size() ? code.block_end[block] : nullptr;
    c->executor->launch.fail({ErrorKind::fault,
                              "brx.idx: the index is beyond the list of targets, in " +
                                  thread_text(*c, *f, static_cast<unsigned>(__builtin_ctzll(what))),
                              location(*code.module, inst), "", Cause::invalid_operand});
}

std::uint32_t ww_rt_enter(BlockContext* c, WarpFrame* f, std::uint32_t block, std::uint64_t stack) {
    // The callee's frame on the host's stack is no larger than kMostHostFrame, and it may call the runtime.
    constexpr auto kNeeded = kMostHostFrame + kRuntimeStack;
    if (++f->depth > 2000 || host_stack_left() < kNeeded || !covers(0, f->local_size, stack, 4096)) {
        fail_at(c, block, Cause::stack_overflow,
                "calls nested too deep (" + std::to_string(f->depth) + " deep, " + std::to_string(stack) +
                    " bytes of stack per thread): endless recursion?");
        return 0;
    }
    f->rotate = 0;  // the callee has its own pending masks
    if (c->executor->launch.stop) return 0;
    return 1;
}
void ww_rt_left(BlockContext*, WarpFrame* f) {
    --f->depth;
    f->rotate = 0;
}

void ww_rt_sleep(BlockContext*, WarpFrame*) {}

std::uint64_t ww_rt_clock(BlockContext* c, WarpFrame* f, std::uint64_t instructions, std::uint64_t trips) {
    auto& executor = *c->executor;
    const auto& launch = executor.launch;
    const auto own =
        launch.times ? f->ticks / kTicks : warp_cycles(launch.pace, f->executed - instructions, f->trips - trips);
    const auto now = launch.clock_start + executor.current->clock + own;
    executor.latest_clock = std::max(executor.latest_clock, now);
    return now;
}

/// Nanoseconds: since 1970, as on a GPU, but from a fixed day.
std::uint64_t ww_rt_globaltimer(BlockContext* c, WarpFrame* f, std::uint64_t instructions, std::uint64_t trips) {
    constexpr std::uint64_t kBegin = 1'700'000'000'000'000'000u;
    const auto cycles = static_cast<double>(ww_rt_clock(c, f, instructions, trips));
    return kBegin + static_cast<std::uint64_t>(cycles * (1e9 / c->executor->launch.pace.hertz));
}

/// The barrier of a cooperative grid, in two halves: the toolkit's grid groups ask for it.
std::uint32_t ww_rt_envreg(BlockContext* c, std::uint32_t which) {
    return static_cast<std::uint32_t>(c->executor->launch.grid_barrier >> (which == 1 ? 32 : 0));
}
}

}  // namespace warpwright::engine
