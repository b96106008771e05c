// The functions through which the kernel's accesses and waits reach the checkers; shared/check_state.hpp has what they
// keep. The rules are in the room `shadow`.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "engine/shared/check_order.hpp"
#include "engine/shared/check_state.hpp"
#include "engine/shared/executor.hpp"

namespace warpwright::engine {

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
/// What a bulk copy moves, where that matters.
struct BulkBytes {
    bool carried = false;                ///< check_carried() follows: what was never written may be copied
    const std::uint8_t* from = nullptr;  ///< the bytes that it writes; null: not known, or it changes them
    /// Whether memory has some of these bytes already.
    auto same_as(const std::uint8_t* to) const {
        return [from = from, to](std::uint64_t at, std::uint64_t n) { return std::memcmp(to + at, from + at, n) == 0; };
    }
};

/// A read of `bytes` of this block's shared memory by a lane, as part of a matrix instruction. `carried`: see
/// BulkBytes. `leaves`: see race_read().
void checked_shared_read(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint64_t offset, std::uint64_t bytes,
                         unsigned lane, bool carried = false, shadow::Stamp leaves = 0);
/// The same by a copy or a matrix product of the asynchronous proxy, which sees what threads wrote only behind a fence,
/// and reads until it is waited for. `leaves`: the stamp of its reads.
void checked_proxy_read(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint64_t offset, std::uint64_t bytes,
                        unsigned lane, shadow::Stamp leaves, bool carried = false);
/// The stamp of the reads of a product that this warp issues with its warpgroup, of a bulk copy to global memory, and
/// of a copy that completes on an mbarrier.
shadow::Stamp product_stamp(BlockContext* c, const WarpFrame* f);
shadow::Stamp bulk_store_stamp(BlockContext* c, const WarpFrame* f);
shadow::Stamp mbarrier_stamp(BlockContext* owner, std::uint64_t offset);
void checked_shared_write(BlockContext* c, WarpFrame* f, std::uint32_t site, BlockContext* owner, std::uint64_t offset,
                          std::uint64_t bytes, unsigned lane);
/// The same of global memory.
void checked_global(BlockContext* c, WarpFrame* f, std::uint32_t site, std::uint64_t address, std::uint64_t bytes,
                    unsigned lane, bool store, bool atomic, const BulkBytes& bulk = {});
/// A copy between global memory and a block's shared memory: its target is initialised where its source is.
void check_carried(BlockContext* c, std::uint64_t address, BlockContext* owner, std::uint64_t offset,
                   std::uint64_t bytes, bool to_global);
/// An asynchronous copy writes to shared memory and completes on an mbarrier.
void checked_agent_write(BlockContext* c, WarpFrame* f, std::uint32_t site, BlockContext* owner, std::uint64_t offset,
                         std::uint64_t bytes, unsigned lane, BlockContext* barrier_owner, std::uint64_t barrier_offset,
                         const BulkBytes& bulk = {});

// Barriers.
void check_arrive(ResidentBlock& block, unsigned id, const WarpFrame& frame, std::uint64_t lanes, bool waits,
                  std::uint32_t site);
/// `counted`: the barrier is for a given number of threads, not for all.
void check_released(ResidentBlock& block, unsigned id, bool counted);
void check_full_barrier(ResidentBlock& block);
/// Lanes of a warp wait at an aligned barrier, and its lanes `gone` have ended without reaching it.
void check_left_out(BlockContext* c, WarpFrame* f, std::uint64_t waiting, std::uint64_t gone);
void check_mbarrier_arrive(BlockContext* c, WarpFrame* f, std::uint64_t lanes, BlockContext* owner,
                           std::uint64_t offset, const simt::Details& at);
void check_agent_done(BlockContext* owner, std::uint64_t offset);
void check_mbarrier_over(BlockContext* owner, std::uint64_t offset);
void check_mbarrier_passed(BlockContext* c, WarpFrame* f, std::uint64_t lanes, BlockContext* owner,
                           std::uint64_t offset, const simt::Details& at);
void check_cluster_arrive(BlockContext* c, WarpFrame* f, std::uint64_t lanes, const simt::Details& at);
void check_cluster_over(ClusterState& cluster);
void check_cluster_passed(BlockContext* c, WarpFrame* f, std::uint64_t lanes);
/// A lane reaches for the shared memory of another block of its cluster, which may not have started yet; and an access
/// there, which that block may not wait for before it ends.
void check_started(BlockContext* c, WarpFrame* f, unsigned lane, BlockContext& peer, const simt::Details* at);
void check_peer_access(BlockContext* c, WarpFrame* f, const SiteInfo& info, unsigned lane, BlockContext& peer);
/// A block of a cluster has ended.
void check_ended(ResidentBlock& block);
/// The copies of these lanes complete with the phase of an mbarrier.
void check_copies_arrive(BlockContext* c, WarpFrame* f, std::uint64_t lanes, BlockContext* owner, std::uint64_t offset);
/// Groups of products, or of bulk copies to global memory: committed, or waited for by these lanes.
void check_read_groups(BlockContext* c, const WarpFrame* f, GroupOp what, std::uint32_t keep, std::uint64_t lanes);
/// Waits for these lanes' open copies: all but the last `keep` groups.
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
                 const std::string& message, std::optional<record::Severity> severity = {});

}  // namespace warpwright::engine
