// Running a launch: what all host threads share, and what each has of its own. Generated code calls back into the
// runtime (engine/runtime) with a BlockContext, whose `executor` leads here.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "counters/access.hpp"
#include "engine/shared/abi.hpp"
#include "engine/shared/block_order.hpp"
#include "engine/shared/device_memory.hpp"
#include "engine/shared/guard.hpp"
#include "engine/shared/kernel_layout.hpp"
#include "engine/shared/runtime_functions.hpp"
#include "engine/shared/schedule.hpp"
#include "engine/shared/touched_memory.hpp"
#include "machine/code.hpp"
#include "record/finding.hpp"
#include "support/result.hpp"
#include "support/source_files.hpp"

namespace warpwright::shadow {
class Collector;
class Nodes;
struct Node;
}  // namespace warpwright::shadow

namespace warpwright::engine {

class BetterCodeJob;
class LanePatterns;

/// A kernel compiled for a block shape: its code, and its layout with that of all functions it calls.
struct KernelCode {
    std::atomic<KernelFunction> function = nullptr;
    /// If `function` may return Status::split: compiles the complete code, once, and puts it in place of `function`.
    std::function<Result<KernelFunction>(KernelCode&)> make_whole;
    std::mutex making_whole;
    CodegenOptions options;
    std::atomic<bool> gives_up = false;     ///< `function` may answer Status::split
    std::atomic<bool> quick = false;        ///< `function` is code that was quick to make
    std::shared_ptr<BetterCodeJob> better;  ///< what replaces it in the end; guarded by making_whole
    std::vector<SiteInfo> sites;
    std::vector<CountedInst> insts;
    std::vector<const simt::Details*> block_end, block_line, barriers;
    std::vector<std::uint8_t> yields;  ///< by block of all functions: a warp's turn ends before it
    bool takes_turns =
        false;              ///< a loop may wait for other blocks: those in flight take turns (Scheduler::run_in_turns)
    bool ordered = false;   ///< it may do what depends on which block comes first (BlockOrder)
    bool textures = false;  ///< it reads or writes textures or surfaces
    std::uint32_t blocks = 0;  ///< over all functions
    std::uint32_t places = 0;  ///< KernelLayout::places
    std::uint64_t frame_bytes = 0;
    std::uint64_t static_shared = 0, local_bytes = 0;
    std::vector<simt::Placement> shared_places;  ///< by variable
    std::vector<std::uint32_t> param_offsets;    ///< by parameter
    bool on_fibers = false;
    bool reads_clock = false;  ///< what it does may depend on when it runs
    /// It tells how long its own instructions take (shared/self_timing.hpp): one host thread runs its blocks in order.
    bool times_itself = false;
    const ptx::Module* module = nullptr;
    std::shared_ptr<machine::Code> machine;     ///< of traced code
    bool course_known = false;                  ///< of traced code: machine::follows_from_arguments()
    std::atomic<double> others_seconds = 0;     ///< that traced code has run blocks of which nothing is kept
    std::atomic<double> block_seconds = -1;     ///< that a block took in the last launch on several threads; < 0: none
    std::vector<std::shared_ptr<void>> forms;   ///< decoded matrix instructions, by index
    std::vector<std::shared_ptr<void>> placed;  ///< instructions that the lowering has added (see simt::build)
    std::vector<std::uint16_t> tids;            ///< %tid of a block of this shape: by warp and dimension, of each lane

    /// Resets to the state before any code was generated.
    void clear() {
        sites.clear(), insts.clear(), yields.clear(), forms.clear(), placed.clear();
        block_end.clear(), block_line.clear(), barriers.clear();
        takes_turns = ordered = textures = false;
        blocks = places = 0;
        frame_bytes = static_shared = local_bytes = 0;
    }
};

class SelfTiming;
struct CheckLaunch;
struct CheckBlock;
struct Tracing;
struct BlockWork;
class GridWork;
struct Executor;

struct LaunchShared {
    KernelCode* code = nullptr;
    DeviceMemory* memory = nullptr;
    shadow::Collector* findings = nullptr;
    SourceFiles* sources = nullptr;  ///< see EngineOptions
    int compute_capability = 90;
    const ptx::Function* kernel = nullptr;
    std::uint32_t grid[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
    bool clusters = false;  ///< the launch asked for them
    std::uint64_t cluster_blocks() const { return std::uint64_t{cluster[0]} * cluster[1] * cluster[2]; }
    std::uint64_t shared_bytes = 0, dynamic_shared = 0;
    std::uint64_t graph = 0;
    unsigned device = 0;                                  ///< of several: on which it runs (LaunchOptions::device)
    std::uint64_t reach = ~std::uint64_t{0};              ///< LaunchOptions::reach
    std::uint32_t offset[3] = {0, 0, 0}, dimensions = 1;  ///< of an OpenCL launch
    std::uint64_t local_bytes = 0;
    const std::uint8_t* params = nullptr;
    std::uint64_t grid_barrier = 0;  ///< zeroed device memory for a cooperative grid's barrier; 0 = the grid is not
                                     ///< cooperative
    const std::uint64_t* variables = nullptr;
    std::uint64_t shared_window = 0, local_window = 0;
    std::uint32_t multiprocessors = 132;
    bool counters = true;
    std::uint64_t at_once = 1;     ///< blocks that a host thread takes at a time
    CheckLaunch* check = nullptr;  ///< null where nothing is checked
    GridWork* work = nullptr;      ///< grids that this one has launched
    Tracing* tracing = nullptr;    ///< blocks whose course is kept; null: none
    bool tracing_now = false;      ///< those are what runs; else they are left out
    bool sampling = false;         ///< blocks of a sample run, whether their course is kept or not

    /// Not 0: the launch ends. Generated code reads `look`, see BlockContext::stop, which is raised with it, and also
    /// where somebody asks where the launch is.
    struct Stop {
        std::atomic<std::uint32_t> value{0}, look{0};
        operator std::uint32_t() const { return value; }
        Stop& operator=(std::uint32_t now) {
            value = now;
            if (now) look = 1;
            return *this;
        }
    } stop;
    std::atomic<bool> timed_out{false};      ///< set before `stop` is
    std::uint64_t most_instructions = 0;     ///< of all warps together; 0: no limit
    std::atomic<std::uint64_t> executed{0};  ///< of these, up to the last turn of each block; counted with a limit
    /// Bytes of the blocks that were started while others of their host thread wait for memory to change.
    std::atomic<std::uint64_t> waiting_bytes{0};
    static constexpr std::uint64_t kMostWaitingBytes = std::uint64_t{2} << 30;
    Schedule schedule;
    Pace pace;
    /// Blocks that have begun and not ended, at most, where blocks take turns: as many as the device holds. A kernel
    /// whose blocks wait for more of them to begin would wait for ever on a GPU.
    std::uint64_t most_begun = 1;
    std::uint64_t resident = 1;         ///< of one multiprocessor
    BlockOrder* order = nullptr;        ///< null: blocks run one after the other, or no order matters
    std::shared_ptr<SelfTiming> times;  ///< of code that times itself
    std::uint64_t clock_start = 0;      ///< what a clock reads when the launch begins, in cycles
    /// Several host threads run blocks side by side. Of errors that blocks have then, that of the lowest one is kept,
    /// as if they ran one after the other; the launch stops when all earlier blocks have ended (Scheduler::settle).
    std::atomic<bool> side_by_side{false};
    std::atomic<std::uint64_t> failed{~std::uint64_t{0}};  ///< the lowest block that has failed
    const std::vector<Executor*>* others = nullptr;        ///< all that run blocks side by side
    std::mutex mutex;
    std::optional<Error> error;  ///< the first one
    std::string output;          ///< what the kernel printed

    /// Asks whoever comes to the end of a loop, or of a turn, to say where the launch is.
    void ask_where() { asked_where = true, stop.look = 1; }
    void tell_where(std::string text);
    std::string take_where();
    std::atomic<bool> asked_where{false};
    std::string where_now;  ///< guarded by `mutex`

    /// Whether its device may access that memory.
    bool reaches(const Allocation& a) const {
        if (reach == ~std::uint64_t{0} || a.owner.device == Owner::kEveryDevice || a.owner.device == device)
            return true;
        return (a.owner.open_to >> device & 1) || (!a.owner.only_open && (reach >> a.owner.device & 1));
    }
    /// The allocation that holds the address, where its device may access it.
    std::optional<Allocation> find(std::uint64_t address) const {
        auto a = memory->find(address);
        return a && reaches(*a) ? a : std::nullopt;
    }

    /// Adds to what the kernel has printed, up to a limit; further text is dropped, and a line says so.
    void print(const std::string& text);
    static constexpr std::size_t kMostOutput = std::size_t{64} << 20;

    /// Records an error unless there is one, and stops all threads (but see side_by_side).
    void fail(Error error);
    /// The same for an error that is a checker's finding.
    void fail(Error error, record::FindingKind kind);
    /// A grid that this one launched has failed; the checkers have its finding.
    void fail_with(Error error);
};

struct BarrierState {
    std::uint32_t wanted = 0;  ///< threads; 0 = all that have not exited
    std::uint32_t arrived = 0, holding = 0;
};

enum class WarpState : std::uint8_t { ready, barrier, waiting, phase, yielded, done, failed };

struct Fiber;
struct ResidentBlock;

/// Lanes of a warp that wait for a phase of an mbarrier. The phase's completion is noted here, because the mbarrier may
/// have been invalidated, or initialised again, before the lanes look.
struct PhaseWaiters {
    WarpFrame* frame;
    std::uint64_t lanes;
    const std::uint8_t* word;  ///< the mbarrier
    std::uint32_t parity;      ///< of the phase
    bool over;
};
/// An mbarrier that was invalidated, and has not been initialised again.
struct InvalidMbarrier {
    const std::uint8_t* word;
    const simt::Details* at;  ///< the instruction that did it
};

/// Blocks that are resident together and may access each other's shared memory; by rank. A block of a launch without
/// clusters is its own cluster.
struct ClusterState {
    std::uint64_t word = 0;  ///< highest bit: parity of the current phase of barrier.cluster (must be first)
    std::vector<ResidentBlock*> members;
    std::vector<PhaseWaiters> waiters;
    std::vector<InvalidMbarrier> invalid;
    // Checked launches: the nodes that have arrived at its barrier, and the phase that completed last.
    std::vector<const shadow::Node*> arrived;
    const shadow::Node* over = nullptr;
};

/// One running block: its context, shared memory and warps.
struct ResidentBlock {
    BlockContext context{};
    std::unique_ptr<std::uint8_t[]> shared;
    std::unique_ptr<std::uint8_t[]> frames;      ///< WarpFrame and saved values, one after another
    std::vector<std::unique_ptr<Wait[]>> waits;  ///< of warps that have ever had some
    std::vector<std::uint8_t> local;
    std::vector<guard::Piece> guarded;  ///< guard mode: instead of these three
    std::vector<WarpState> states;
    std::vector<std::shared_ptr<Fiber>> fibers;
    BarrierState barriers[16];
    bool any_arrived = false;  ///< perhaps at one of them
    ClusterState alone;        ///< where there are no clusters
    std::uint64_t index = 0;
    std::uint64_t number = 0;            ///< its place in the order of blocks; of clusters: its cluster's
    std::uint64_t clock = 0, turns = 0;  ///< where blocks take turns: cycles since the launch began, and its turns
    bool fresh = true;                   ///< has not run yet
    std::shared_ptr<CheckBlock> check;   ///< where the launch is checked
    std::shared_ptr<BlockWork> work;     ///< where it has asked for any
    std::uint64_t seen = 0;              ///< hash of the state in which it last yielded
    std::vector<std::uint64_t> did;      ///< by warp: instructions, where the launch keeps each block's work
    WarpFrame* frame(std::size_t w, std::uint64_t bytes) {
        return reinterpret_cast<WarpFrame*>(frames_start + w * bytes);
    }
    std::uint8_t* frames_start = nullptr;
    std::uint8_t* local_start = nullptr;
    std::uint8_t* shared_start = nullptr;
};

/// One host thread's share of a launch (run/scheduler.hpp runs its blocks).
struct Executor {
    explicit Executor(LaunchShared& of) : launch(of) {}

    LaunchShared& launch;
    std::vector<std::uint64_t> counters;
    std::vector<Site> sites;
    std::vector<SiteSpaces> spaces;
    /// Requests of shared memory whose pattern no code knows; by site, absent where there was none.
    std::vector<std::unique_ptr<counters::LastRequest>> requests;
    /// Requests that the runtime moved, likewise.
    std::vector<std::shared_ptr<LanePatterns>> patterns;
    TouchedMemory touched;
    Allocation owned;                      ///< whose owner was asked for last
    std::uint64_t blocks_with_memory = 0;  ///< blocks that it has given memory
    bool reserved = false;                 ///< waiting_bytes has the next one's memory already
    ResidentBlock* current = nullptr;
    bool failed = false;                               ///< its block has
    std::atomic<std::uint64_t> at{~std::uint64_t{0}};  ///< the block that it runs, or one before it; ~0: none
    bool in_order = true;                  ///< all blocks before the current one have ended, or no order matters
    std::uint64_t latest_clock = 0;        ///< the latest that a kernel has read
    std::shared_ptr<shadow::Nodes> nodes;  ///< where the launch is checked
    unsigned worker = 0;                   ///< which of the launch's host threads this is
    std::uint64_t slot = 0;                ///< the multiprocessor that this thread emulates
};

/// The executor that runs on this host thread; null where none does.
Executor*& executor_here();

/// Before an operation whose outcome depends on which block comes first. False where the launch is to stop.
bool wait_for_order(BlockContext* c);

/// %ctaid of the index-th block of a grid, in the order blocks are handed out: x fastest.
void block_position(std::uint64_t index, const std::uint32_t (&grid)[3], std::uint32_t (&ctaid)[3]);
/// Makes the coordinates of a block those of the next one.
void next_block_position(const std::uint32_t (&grid)[3], std::uint32_t (&ctaid)[3]);

}  // namespace warpwright::engine
