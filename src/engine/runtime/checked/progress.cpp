// Finds launches that never end. A kernel is deterministic: if the state of its threads and all memory repeats, it
// repeats for ever. This is tested for blocks that yield because they wait for memory to change, and for blocks that
// reach their barriers again and again.
#include <algorithm>
#include <bit>

#include "engine/runtime/block_state.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/texts.hpp"
#include "support/cause.hpp"

namespace warpwright::engine {

using record::FindingKind;

namespace {

/// Rounds without a change before a verdict: lanes that spin take turns within a warp, and some turns lie rounds apart.
constexpr std::uint64_t kQuietRounds = 16;
/// The number of barriers after which a block's state is first compared, and the longest loop that is looked for.
constexpr std::uint64_t kFirstLook = 1024, kLongestLoop = 64;

}  // namespace

void find_endless(CheckLaunch& launch, const KernelCode& code) {
    launch.can_judge = !code.on_fibers && !code.reads_clock;
    launch.spins = std::find(code.yields.begin(), code.yields.end(), std::uint8_t{1}) != code.yields.end();
}

void check_repeats(ResidentBlock& block) {
    auto& b = *block.check;
    auto& launch = launch_of(&block.context);
    if (!launch.sync || !launch.can_judge || launch.spins) return;
    const auto n = ++b.barriers, power = std::bit_floor(n);
    if (n < kFirstLook || n - power > kLongestLoop) return;
    const auto now = state_of(block);
    if (n == power) {
        b.reference = now;
        b.reference_changes = b.global_changes;
        return;
    }
    if (now != b.reference || b.reference_changes != b.global_changes) return;
    if (std::chrono::steady_clock::now() - launch.began < launch.patience) return;
    const auto& code = *block.context.executor->launch.code;
    const simt::Details* at = nullptr;
    for (std::size_t w = 0; w < block.states.size() && !at; ++w) {
        const auto* f = block.frame(w, code.frame_bytes);
        if (f->live && f->barrier_site < code.barriers.size()) at = code.barriers[f->barrier_site];
    }
    const auto& c = block.context;
    block.context.executor->launch.fail(
        {ErrorKind::fault,
         "endless loop: after " + std::to_string(n) + " barriers all threads of block (" + std::to_string(c.ctaid[0]) +
             "," + std::to_string(c.ctaid[1]) + "," + std::to_string(c.ctaid[2]) +
             ") and all their memory have the same state as " + std::to_string(n - power) + " barriers before",
         location(*code.module, at),
         "check the condition that should end the loop around this barrier: does its variable change?",
         Cause::deadlock},
        FindingKind::deadlock);
}

ProgressWatch::ProgressWatch(LaunchShared& launch, unsigned worker) : launch_(launch), worker_(worker) {
    on_ = launch.check && launch.check->sync && launch.check->can_judge && worker < launch.check->quiet.size();
    if (on_) launch.check->quiet[worker].store(0);
}

ProgressWatch::~ProgressWatch() {
    if (on_) launch_.check->quiet[worker_].store(CheckLaunch::kGone);
}

void ProgressWatch::tell(ResidentBlock& block) {
    auto& b = *block.check;
    if (b.changes == b.told_changes) return;
    launch_.check->changes.fetch_add(b.changes - b.told_changes);
    b.told_changes = b.changes;
}

void ProgressWatch::worked(ResidentBlock& block) {
    if (!on_) return;
    tell(block);
    quiet_ = 0;
    launch_.check->changes.fetch_add(1);
    launch_.check->quiet[worker_].store(0);
}

bool ProgressWatch::stepped_aside(ResidentBlock& block, bool all_started, std::size_t others) {
    if (!on_) return false;
    tell(block);
    auto& check = *launch_.check;
    const auto changes = check.changes.load(), state = state_of(block);
    const bool same = changes == changes_ && state == block.seen && all_started;
    changes_ = changes;
    block.seen = state;
    quiet_ = same ? quiet_ + 1 : 0;
    if (quiet_ == 1) since_ = std::chrono::steady_clock::now();
    if (quiet_ < kQuietRounds * (others + 1)) {
        if (!same) check.quiet[worker_].store(0);
        return false;
    }
    check.quiet[worker_].store(changes + 1);
    for (auto& q : check.quiet)
        if (const auto x = q.load(); x != CheckLaunch::kGone && x != changes + 1) return false;
    if (check.changes.load() != changes || std::chrono::steady_clock::now() - since_ < check.patience) return false;
    const auto& code = *launch_.code;
    for (std::size_t w = 0; w < block.states.size(); ++w) {
        const auto* f = block.frame(w, code.frame_bytes);
        if (!f->spin || f->spun_at >= code.block_line.size()) continue;
        const auto& c = block.context;
        launch_.fail(
            {ErrorKind::fault,
             "deadlock: " + std::to_string(others + 1) + (others ? " blocks wait" : " block waits") +
                 " in a loop for memory that no thread changes any more; one is block (" + std::to_string(c.ctaid[0]) +
                 "," + std::to_string(c.ctaid[1]) + "," + std::to_string(c.ctaid[2]) + ")",
             location(*code.module, code.block_line[f->spun_at]),
             "the thread that should change it waits too, has ended, or has not started: a kernel must not need all "
             "blocks at once",
             Cause::deadlock},
            FindingKind::deadlock);
        return true;
    }
    return false;
}

}  // namespace warpwright::engine
