// The state of the checkers in a launch, its blocks and its host threads, and the functions through which the kernel's
// accesses and waits reach them. The rules are in the room `shadow`.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/abi.hpp"
#include "engine/run/engine.hpp"
#include "engine/run/executor.hpp"
#include "shadow/clock.hpp"
#include "shadow/findings.hpp"
#include "shadow/shadow.hpp"

namespace warpwright::engine {

/// What belongs to a place in memory through which threads synchronise: what was released there last.
struct SyncObject {
    const shadow::Node* wide = nullptr;   ///< for all threads
    const shadow::Node* local = nullptr;  ///< for threads of `block` only
    std::uint32_t block = 0;
};

struct CheckLaunch {
    std::uint32_t checkers = 0;
    bool memory = false, init = false, race = false, sync = false;
    std::uint32_t generation = 1;
    std::string kernel;
    shadow::Collector* collector = nullptr;
    shadow::Shadow* shadow = nullptr;  ///< of device memory
    DeviceMemory* device = nullptr;
    StepGate* gate = nullptr;               ///< of all checked launches
    std::atomic<std::uint64_t> changes{0};  ///< changes of memory: while there are none, a thread that only reads
                                            ///< memory waits in vain
    /// For each host thread: 0 = at work; kGone = it has no more blocks; else `changes` + 1 at the time since which
    /// nothing has happened.
    std::vector<std::atomic<std::uint64_t>> quiet;
    static constexpr std::uint64_t kGone = ~std::uint64_t{0};
    bool can_judge = false;  ///< whether the launch ends depends on nothing but memory
    bool spins = false;      ///< some loop waits for memory to change
    /// All threads must be quiet for this long before the launch is called endless, because the host or another stream
    /// may change its memory.
    std::chrono::milliseconds patience{0};
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

    struct Shard {
        std::mutex mutex;
        std::unordered_map<std::uint64_t, SyncObject> objects;
    };
    std::array<Shard, 64> shards;
    std::atomic<std::uint64_t> objects{0};
    Shard& shard(std::uint64_t address) { return shards[(address >> 2) * 0x9e3779b97f4a7c15ull >> 58]; }
};

/// An mbarrier as an object through which threads and copies synchronise.
struct CheckedMbarrier {
    std::uint32_t agent = 0;
    const shadow::Node* over = nullptr;  ///< the phase that completed last
    std::vector<const shadow::Node*> arrived;
};

/// Asynchronous copies of a warp that have not been waited for.
struct PendingCopy {
    std::uint64_t lanes = 0;
    std::uint64_t to[32] = {}, stamp[32] = {};
    std::uint32_t bytes = 0;
    shadow::Side side = 0;
};
struct CheckedWarp {
    std::vector<PendingCopy> open;
    std::deque<std::vector<PendingCopy>> groups;
    std::uint64_t passed = 0;  ///< lanes that stored something while others of the warp waited
};

struct CheckBlock {
    shadow::BlockClock clock;
    shadow::Stamp key = 0;
    bool race = false;  ///< off in blocks whose number does not fit a stamp
    std::unique_ptr<shadow::Shadow> shared;
    std::uint64_t shared_bytes = 0;
    std::uint32_t epoch = 1;  ///< grows with each full barrier and each block that this host thread runs
    std::unordered_map<std::uint64_t, CheckedMbarrier> mbarriers;  ///< by offset
    std::unordered_map<std::uint64_t, SyncObject> objects;         ///< in shared memory, by offset
    std::vector<CheckedWarp> warps;
    std::uint64_t changes = 0, told_changes = 0;  ///< its stores; how many of them the launch has been told
    std::uint64_t global_changes = 0;             ///< those to global memory
    std::uint64_t barriers = 0, reference = 0, reference_changes = 0;  ///< barriers passed; the state at an earlier one
    /// Warps that have arrived at a barrier of the block.
    struct Arrival {
        std::uint32_t warp, lanes;
        const shadow::Node* node;
        bool waits;
        std::uint32_t site;
    };
    std::vector<Arrival> arrivals[16];
    bool told_exited = false;

    CheckedMbarrier& mbarrier(std::uint64_t offset) {
        auto& m = mbarriers[offset];
        if (!m.agent) m.agent = static_cast<std::uint32_t>(mbarriers.size());
        return m;
    }
};

/// Bits that generated code adds to an access's shape (shadow/deferred_reads.hpp): a store; in shared memory; neither
/// atomic, volatile nor ordered.
inline constexpr std::uint32_t kShapeStore = 1u << 28, kShapeShared = 1u << 29, kShapePlain = 1u << 30,
                               kPureShape = (1u << 24) - 1;

/// How an instruction orders memory.
struct CheckOrder {
    std::uint8_t strength = shadow::kWeak;
    bool acquire = false, release = false, wide = false;
};
CheckOrder order_of(const simt::Access& access);

inline CheckBlock& checked(BlockContext* c) { return *static_cast<CheckBlock*>(c->check); }
inline CheckLaunch& launch_of(BlockContext* c) { return *c->executor->launch.check; }

void start_check(CheckLaunch& launch, ResidentBlock& block, const LaunchShared& shared, shadow::Nodes& nodes,
                 std::size_t warps);

/// move_lanes() under the checkers. Returns true always.
bool checked_move(BlockContext* c, WarpFrame* f, std::uint32_t index, const SiteInfo& info,
                  const std::uint64_t* addresses, std::uint64_t mask, void* data, bool store);
std::uint32_t checked_atomic(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::uint64_t* addresses,
                             std::uint64_t mask, const void* b, const void* third, void* out);
std::uint32_t checked_copy_async(BlockContext* c, WarpFrame* f, std::uint32_t index, const std::uint64_t* to,
                                 const std::uint64_t* from, const std::uint64_t* sizes, std::uint64_t mask);
/// A read of `bytes` of this block's shared memory by a lane, as part of a matrix instruction.
void checked_shared_read(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint64_t offset, std::uint64_t bytes,
                         unsigned lane);
void checked_shared_write(BlockContext* c, WarpFrame* f, std::uint32_t site, BlockContext* owner, std::uint64_t offset,
                          std::uint64_t bytes, unsigned lane);
/// The same of global memory.
void checked_global(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint64_t address, std::uint64_t bytes,
                    unsigned lane, bool store, bool atomic);
/// An asynchronous copy writes to shared memory and completes on an mbarrier.
void checked_agent_write(BlockContext* c, WarpFrame* f, std::uint32_t site, BlockContext* owner, std::uint64_t offset,
                         std::uint64_t bytes, unsigned lane, BlockContext* barrier_owner, std::uint64_t barrier_offset);

// Barriers.
void check_arrive(ResidentBlock& block, unsigned id, const WarpFrame& frame, std::uint64_t lanes, bool waits,
                  std::uint32_t site);
/// `counted`: the barrier is for a given number of threads, not for all.
void check_released(ResidentBlock& block, unsigned id, bool counted);
void check_full_barrier(ResidentBlock& block);
/// Lanes of a warp wait at an aligned barrier, and its lanes `gone` have ended without reaching it.
void check_left_out(BlockContext* c, WarpFrame* f, std::uint64_t waiting, std::uint64_t gone);
void check_mbarrier_arrive(BlockContext* c, WarpFrame* f, std::uint64_t lanes, BlockContext* owner,
                           std::uint64_t offset);
void check_agent_done(BlockContext* owner, std::uint64_t offset);
void check_mbarrier_over(BlockContext* owner, std::uint64_t offset);
void check_mbarrier_passed(BlockContext* c, WarpFrame* f, std::uint64_t lanes, BlockContext* owner,
                           std::uint64_t offset);
void check_cluster_arrive(BlockContext* c, WarpFrame* f, std::uint64_t lanes);
void check_cluster_over(ClusterState& cluster);
void check_cluster_passed(BlockContext* c, WarpFrame* f, std::uint64_t lanes);
/// Waits for these lanes' open copies: all but the last `keep` groups.
void check_copies_arrive(BlockContext* c, WarpFrame* f, std::uint64_t lanes);
void check_copies_done(BlockContext* c, WarpFrame* f, std::uint64_t lanes, std::size_t keep);

/// Which of a kernel's loops may be endless.
void find_endless(CheckLaunch& launch, const KernelCode& code);
/// At a barrier of the whole block: finds a state that repeats for ever.
void check_repeats(ResidentBlock& block);
/// One host thread's part in the search for launches in which no thread can continue.
class ProgressWatch {
public:
    ProgressWatch(LaunchShared& launch, unsigned worker);
    ~ProgressWatch();
    ProgressWatch(const ProgressWatch&) = delete;
    /// A block waits for memory to change. True when it waits in vain; the finding is then recorded.
    bool stepped_aside(ResidentBlock& block, bool all_started, std::size_t others);
    /// A block has ended.
    void worked(ResidentBlock& block);

private:
    void tell(ResidentBlock& block);
    LaunchShared& launch_;
    unsigned worker_;
    bool on_ = false;
    std::uint64_t quiet_ = 0, changes_ = 0;
    std::chrono::steady_clock::time_point since_;  ///< the time at which it became quiet
};

/// A finding at an instruction, by a lane.
record::Finding finding_at(BlockContext* c, const WarpFrame* f, unsigned lane, record::FindingKind kind,
                           const simt::Details* at);
void add_finding(BlockContext* c, const WarpFrame* f, unsigned lane, record::FindingKind kind, const simt::Details* at,
                 const std::string& message, record::Severity severity = record::Severity::error);

}  // namespace warpwright::engine
