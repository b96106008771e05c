// Runs the blocks of a launch on one host thread: begins them, lets their warps take turns, and releases what waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/shared/executor.hpp"

namespace warpwright::engine {

class Scheduler : public Executor {
public:
    explicit Scheduler(LaunchShared& launch);
    /// Runs blocks that `next` hands out until there are no more or the launch stops: `count` of them, or that many
    /// clusters where the launch's clusters have several blocks.
    void run(std::atomic<std::uint64_t>& next, std::uint64_t count);
    /// Whether one more block may begin while so many wait for memory to change. If not, those go on first.
    bool may_begin(std::size_t waiting);

private:
    /// A block's state is looked at again after so many turns, for kernels that never end: a multiple of the usual
    /// lengths of loops.
    static constexpr std::uint64_t kTurnsToLook = 60;
    enum class Outcome { finished, parked, stopped, stuck };
    struct ResidentCluster;
    struct Turns;
    class Share;
    bool may_need_large_stack() const;
    void run_here(std::atomic<std::uint64_t>& next, std::uint64_t count);
    bool leaves_out(std::uint64_t index) const;
    void run_blocks(std::atomic<std::uint64_t>& next, std::uint64_t count);
    /// The blocks that a device holds take turns, on this host thread alone (turns.cpp).
    void run_in_turns(std::atomic<std::uint64_t>& next, std::uint64_t count);
    bool take_turn(Turns& turns);
    std::string where(const Turns& turns);
    std::optional<std::uint64_t> next_index(std::atomic<std::uint64_t>& next, std::uint64_t count) const;
    void run_clusters(std::atomic<std::uint64_t>& next, std::uint64_t count);
    bool prepare_cluster(ResidentCluster& cluster, std::uint64_t index);
    Outcome take_turns(ResidentCluster& cluster);
    void prepare(ResidentBlock& block, std::uint64_t index);
    /// False after an error was recorded: the host has not enough memory.
    bool try_prepare(ResidentBlock& block, std::uint64_t index);
    Outcome step(ResidentBlock& block);
    Outcome go_on(ResidentBlock& block);
    /// Runs what the block has queued.
    bool run_work(ResidentBlock& block, bool over);
    std::unique_ptr<ResidentBlock> fresh();
    void end_block(ResidentBlock& block);
    bool in_step(ResidentBlock& block);
    /// How many warps stay beside each other in every order: those of a warpgroup, where it executes matrix products
    /// (wgmma), so that nobody changes the memory of a product between the first of them and the last.
    static std::size_t warps_together(const KernelCode& code);
    /// The warp that is the k-th to run, in the launch's schedule.
    std::size_t warp_at(const ResidentBlock& block, std::size_t k) const;
    /// Asks for the frame of the warp that is to run next, from the `from`-th on: blocks that take turns have many,
    /// which the caches do not hold together.
    void fetch_ahead(ResidentBlock& block, std::size_t from) const;
    /// Notes what a warp has taken on the clock of its block, and ends a pass over the block's warps.
    void note_pace(WarpFrame* frame);
    void end_pass(ResidentBlock& block);
    std::size_t note_ended(ResidentBlock& block);
    void meet(ResidentBlock& block);
    bool arrive(ResidentBlock& block, std::size_t warp, Status status);
    bool release_barriers(ResidentBlock& block);
    void settle();
    void deadlock(ResidentBlock& block);
    void name_loops(const ResidentBlock& block);
    void unwind(ResidentBlock& block);
    std::uint32_t call(ResidentBlock& block, std::size_t warp);
    std::uint32_t run_warp(BlockContext* context, WarpFrame* frame);
    /// What the warp has executed since the last call, for LaunchTrace::work. Others whose barrier it has passed
    /// (`from` to `to`) have counted for themselves.
    void weigh(ResidentBlock& block, std::size_t warp, std::size_t from, std::size_t to);
    void weigh(ResidentBlock& block, std::size_t warp) { weigh(block, warp, warp, warp + 1); }
    void keep_work(const ResidentBlock& block);
    std::uint32_t run_split(BlockContext* context, WarpFrame* frame);

    std::size_t together_ = 1;            ///< warps_together(), where the order of warps is another one than theirs
    bool keeps_clocks_ = false;           ///< blocks take turns by their clocks
    std::uint64_t longest_ = 0;           ///< cycles of the slowest warp in this pass over a block's warps
    std::uint64_t executed_ = 0;          ///< instructions of all of them
    std::uint64_t ran_ = 0;               ///< the number of times any warp ran
    std::uint64_t weighed_ = 0;           ///< instructions of all warps at the last weigh()
    std::vector<std::uint64_t> weights_;  ///< machine instructions of each block of code, for weigh()
    std::vector<std::unique_ptr<ResidentBlock>> spare_;
};

/// KernelCode::tids.
std::vector<std::uint16_t> positions_of(const simt::BlockShape& shape);

/// A warp's own stack, for kernels with real calls.
std::shared_ptr<Fiber> make_fiber();
std::uint32_t run_on(Fiber& fiber, KernelFunction function, BlockContext* context, WarpFrame* frame);

}  // namespace warpwright::engine
