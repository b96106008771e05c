// The structures that generated code and the C++ runtime share. Generated code addresses their fields by the
// offsets below (offsetof), so they are plain and standard-layout.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace warpwright::shadow {
class CalmReads;
struct CalmLog;
}  // namespace warpwright::shadow
namespace warpwright::engine {

struct Executor;
struct ClusterState;
struct WarpFrame;
struct LaneOrder;

/// Size of the windows of generic addresses that stand for shared and local memory.
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 24;
/// The largest cluster, in blocks. The window of a block's own shared memory is followed by one for each rank of its
/// cluster; 32-bit shared addresses have, in the bits above the window, 0 or rank + 1.
inline constexpr std::uint32_t kMostClusterBlocks = 16;
inline constexpr std::uint64_t kSharedWindows = (kMostClusterBlocks + 1) * kWindowBytes;

/// The value of a function's address. It is no place in memory, so that a call through anything else is caught.
inline constexpr std::uint64_t simt_function_token(std::uint32_t function) {
    return 0x7ffe'0000'0000'0000ull + (std::uint64_t{function} + 1) * 16;
}

/// The status that generated code returns.
enum class Status : std::uint32_t {
    done = 0,     ///< every lane has exited
    barrier = 1,  ///< the whole warp waits at a block barrier (fields of WarpFrame say which)
    waiting = 2,  ///< some lanes wait, none can run
    yielded = 3,  ///< spinning on memory: let others run
    error = 4,    ///< a fault was recorded
    split = 6,    ///< fewer than all lanes continue in a block of which this code has no masked copy: call the complete
                  ///< code
    phase = 7,  ///< the whole warp waits for a phase of an mbarrier or of the cluster's barrier (WarpFrame::phase_word)
    barrier_all = 5,  ///< the whole warp waits at barrier 0 for every thread of the block, as for __syncthreads()
};

/// The state of one memory instruction on one host thread: the piece of device memory of its last access, the cost of
/// its last pattern, and counts.
struct Site {
    // Generated code compares with these; only ww_rt_resolve sets them, for the span that the code asks with.
    std::uint64_t base = 0;   ///< first byte of the allocation
    std::uint64_t limit = 0;  ///< (bytes - span) >> log2(access size): the largest allowed rotated distance
    // The allocation in which the runtime's own accesses were found last.
    std::uint64_t found = 0;        ///< first byte of the allocation
    std::uint64_t found_bytes = 0;  ///< its size, 0 = none remembered
    std::uint64_t passes = 0;       ///< transactions (of atomics: sectors), or wavefronts
    std::uint64_t excess = 0;  ///< bank conflicts: wavefronts beyond one for each group of lanes served apart (shared)
    std::uint64_t key[2] = {~std::uint64_t{0}, ~std::uint64_t{0}};  ///< scalars for which `cached` holds
    std::uint64_t cached = 0;
    /// Executions by all lanes, and by a part of them, whose cost the runtime counted although the site has a cost that
    /// is known at compile time: their addresses did not have the form for which it is known.
    std::uint64_t irregular_full = 0, irregular_partial = 0;
    std::uint64_t linked = 0;  ///< of `passes`, sectors in the memory of another device
    /// So many of the next requests are loads of a word for each lane anywhere in `found`, of which nothing is looked
    /// for that repeats (memory_access.cpp).
    std::uint64_t direct = 0;
    /// How the lanes of the last request lay, which the runtime moved; null where it will not be so quick again. In
    /// global memory it is for `found`: what changes that, or what may be done there, clears it.
    const LaneOrder* order = nullptr;
    std::uint64_t unused[2] = {};
};
static_assert(sizeof(Site) == 128);

/// The spaces in which generic accesses of a site turned out to lie, where not global, and the lanes active under
/// guards.
struct SiteSpaces {
    std::uint64_t shared_requests = 0, shared_passes = 0, shared_excess = 0;
    std::uint64_t local_requests = 0, local_sectors = 0;
    std::uint64_t lanes_shared = 0, lanes_local = 0;
    std::uint64_t not_global = 0;  ///< generic requests without a lane in global memory
};

/// What a checked block's reads are compared with first.
struct QuickCheck {
    const std::uint8_t* quiet;   ///< marks of device memory, a byte per word from `start` on
    std::uint64_t start, limit;  ///< limit 0: no word is known to be quiet, but quiet[0] may be read all the same
    std::uint64_t shared_limit;  ///< 0 where reads of shared memory are not deferred (shadow/deferred_reads.hpp)
    shadow::CalmReads* calm;
    shadow::CalmLog* log;  ///< of `calm`; where there is none, one with marks of kQuickSpan bytes, none of them calm
    std::uint8_t mark;  ///< the value of a quiet word: one that any thread may read without a race (shadow/shadow.hpp)
};
/// This many bytes have marks, from any place below the limit on.
inline constexpr std::uint64_t kQuickSpan = 64 * 32;

/// One block of threads on one host thread.
struct BlockContext {
    const std::uint8_t* params;
    std::uint8_t* shared;
    std::uint64_t shared_size;
    std::uint64_t* counters;
    Site* sites;
    const std::uint64_t* variables;
    std::uint32_t ctaid[3];
    std::uint32_t nctaid[3];
    const std::atomic<std::uint32_t>* stop;  ///< not 0: the launch ends; generated code reads it as 32 bits
    std::uint64_t shared_window, local_window;
    std::uint32_t smid, nsmid;
    std::uint64_t gridid;
    std::uint64_t graph;  ///< %current_graph_exec
    SiteSpaces* spaces;
    Executor* executor;
    std::uint64_t dynamic_shared;
    ClusterState* cluster;
    std::uint32_t clusterid[3], nclusterid[3], cluster_ctaid[3], cluster_nctaid[3];
    std::uint32_t cluster_rank, cluster_size;
    std::uint32_t cluster_explicit;  ///< 0 or 1
    void* check;                     ///< CheckBlock; null where nothing is checked
    void* trace;                     ///< machine::BlockTrace; null where nothing is kept
    QuickCheck quick;
    std::uint32_t offset[3], dimensions;  ///< of an OpenCL launch: %envreg3 to %envreg6
    /// That the launch may still execute; below 0 it ends. Kept by code with CodegenOptions::limited.
    std::int64_t instructions_left;
    const std::uint64_t* ticks;  ///< SelfTiming::Table, of kernels that time themselves
    /// A warp that waits for all of its block goes on with the next one, up to this; null: with none.
    WarpFrame* chain_end;
    WarpFrame* chain_at;     ///< the warp that the code has come to
    WarpFrame* chain_first;  ///< with which it goes on where all wait, the block's first; null: with none
    /// The warp that goes on with the next one where it ends, as each before it has ended; null: none does.
    WarpFrame* chain_ends;
};

/// WarpFrame::resume after Status::split: this plus the block's number.
inline constexpr std::uint32_t kResumeSplit = 0x80000000u;

/// The values of ww_rt_pick that are no block number.
inline constexpr std::uint32_t kPickedNone = 0xfffffff0u, kPickedWait = 0xfffffff1u, kPickedYield = 0xfffffff2u,
                               kPickedError = 0xfffffff3u;

/// Lanes that spin let those further on go first each time that their warp has yielded so often (WarpFrame::rotate).
inline constexpr std::uint32_t kTurnsToRotate = 8;

/// In ww_rt_resolve's `first`: lanes lie anywhere in the span; bits 8-15 have the lane at its start, bits 0-7 the one
/// at its end.
inline constexpr std::uint32_t kAnyLane = 0x80000000u;

/// Alignment of frames and of the vectors in them: that of 64 lanes of 64 bits.
inline constexpr std::uint64_t kFrameAlign = 512;

inline constexpr unsigned kMaxWaits = 64;

/// Lanes of a warp that wait.
struct Wait {
    std::uint64_t lanes;
    std::uint64_t
        need;  ///< lanes that must arrive too (warp-level waits); phases: host address of the word with the phase
    std::uint32_t block;    ///< where they continue
    std::uint32_t barrier;  ///< block barrier number; kWarpWait for warp-level waits
    std::uint32_t released;
    std::uint32_t depth;           ///< call depth
    std::uint32_t holding, total;  ///< once released: what bar.red counted; phases: see PhaseWait, and the class
};
inline constexpr std::uint32_t kWarpWait = 0xffffffffu;
/// Lanes that wait for a phase, and lanes that must not overtake them. Lanes of one class continue together (see
/// engine/codegen/phase_waits.hpp); in class kNoClass each continues separately.
inline constexpr std::uint32_t kPhaseWait = 0xfffffffeu, kBehindWait = 0xfffffffdu;
inline constexpr std::uint32_t kNoClass = 0xffffffffu;
/// Wait::holding for a phase: the parity that must be complete, and whose phase it is. The word's highest bit is the
/// parity of the current phase.
inline constexpr std::uint32_t kPhaseParity = 1, kPhaseOfCluster = 2;

/// One warp: its lanes, where it continues, and (after this struct) its saved values.
struct WarpFrame {
    std::uint64_t live;  ///< lanes that have not exited
    // A block that begins anew clears what follows, up to `cluster_arrived`.
    std::uint32_t resume;   ///< 0 = start
    std::uint32_t waits;    ///< entries of `wait`
    std::uint32_t forced;   ///< the next warp-level wait is not checked again
    std::uint32_t spin;     ///< how often it has yielded
    std::uint32_t stepped;  ///< functions that the runtime dispatches (`strict`): it has yielded, and goes on now
    std::uint32_t depth;
    std::uint32_t rotate;  ///< strict functions: the block at which the search for a runnable block starts
    std::uint32_t more;    ///< further blocks have lanes that continue together with those just picked
    /// The warp's clock, since its block has last been asked for it: instructions, and how often it waited for global
    /// memory. Only in functions that keep one (codegen/counting).
    std::uint64_t executed, trips;
    std::uint64_t ticks;            ///< the same of a kernel that times itself (shared/self_timing.hpp)
    std::uint64_t chained;          ///< instructions up to its last wait at a barrier, since the scheduler looked last
    std::uint64_t cluster_arrived;  ///< lanes that have arrived at the cluster's barrier in the current phase
    std::uint32_t warp;             ///< index in the block
    std::uint32_t spun_at;          ///< block of the program before which the warp last yielded
    std::uint64_t initial;          ///< lanes that exist
    std::uint8_t* local;            ///< local memory of the warp's lanes, interleaved by 4-byte words
    std::uint64_t local_size;       ///< bytes per lane
    std::uint32_t barrier_id, barrier_count;  ///< of the wait being reported; count 0 = all
    std::uint64_t barrier_lanes;              ///< lanes arriving
    std::uint64_t barrier_true;               ///< bar.red: lanes whose predicate holds
    std::uint32_t barrier_result;             ///< bar.red: threads whose predicate holds
    std::uint32_t barrier_total;              ///< bar.red: threads
    std::uint32_t barrier_site;               ///< index of the instruction, for messages
    std::uint32_t phase_of;                   ///< Status::phase: as Wait::holding
    std::uint64_t picked;                     ///< lanes that the picked block runs with
    std::uint64_t phase_word;                 ///< Status::phase: as Wait::need
    std::uint32_t cluster_phase;              ///< parity of the phase in which lanes last arrived
    std::uint32_t phase_form;                 ///< the instruction last waited at, for messages
    std::uint32_t aligned_wait;               ///< some lanes wait at an aligned barrier that the rest have not reached
    const std::uint16_t* tid[3];              ///< %tid by lane, for shapes that are not affine
    Wait* wait;                               ///< room for kMaxWaits; null: it has had none (keep_wait)
};

}  // namespace warpwright::engine
