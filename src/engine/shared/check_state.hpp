// The state of the checkers in a launch, its blocks and its host threads. runtime/checked/checked_launch.hpp has the
// functions that change it; the rules are in the room `shadow`.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "shadow/clock.hpp"
#include "shadow/findings.hpp"
#include "shadow/shadow.hpp"

namespace warpwright::simt {
struct Details;
}
namespace warpwright::engine {

class DeviceMemory;
class StepGate;
struct BlockContext;
struct WarpFrame;

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
    std::function<bool(std::uint64_t)> is_host_memory;  ///< see device::EmulatedOptions; may be empty
    StepGate* gate = nullptr;                           ///< of all checked launches
    std::atomic<std::uint64_t> changes{0};  ///< changes of memory: while there are none, a thread that only reads
                                            ///< memory waits in vain
    /// For each host thread: 0 = at work; kGone = it has no more blocks; else `changes` + 1 at the time since which
    /// nothing has happened.
    std::vector<std::atomic<std::uint64_t>> quiet;
    static constexpr std::uint64_t kGone = ~std::uint64_t{0};
    bool can_judge = false;      ///< whether the launch ends depends on nothing but memory
    bool spins = false;          ///< some loop waits for memory to change
    bool defers_writes = false;  ///< nothing reads shared memory on after a barrier, as bulk copies do
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
    const shadow::Node* over = nullptr;       ///< the phase that completed last
    const shadow::Node* over_here = nullptr;  ///< of it, what threads of its own block released, and copies
    std::vector<const shadow::Node*> arrived;
};

/// Times of a block up to which fences of proxies cover what its threads wrote to shared memory.
struct ProxyFences {
    std::uint32_t base = 0;                ///< all threads
    std::vector<std::uint32_t> by_warp;    ///< the threads of a warp
    std::vector<std::uint32_t> by_thread;  ///< a thread
};

/// Work whose reads end when a thread has waited for its group: times of the block at which pieces of it were issued,
/// and groups of them committed.
struct AsyncReads {
    std::vector<std::uint32_t> issued, committed;
};
/// The products of a warpgroup. Each of its four warps issues all of them; the first to come sets the time.
struct Products {
    AsyncReads all;
    std::size_t issued[4] = {}, committed[4] = {};  ///< by each warp
};

/// The last access by a warp of another block to a block's shared memory.
struct PeerAccess {
    shadow::Stamp stamp = 0;
    const simt::Details* at = nullptr;
    BlockContext* by = nullptr;
    WarpFrame* frame = nullptr;
    unsigned lane = 0;
};

/// Asynchronous copies of a warp that have not been waited for.
struct PendingCopy {
    std::uint64_t lanes = 0;
    std::uint64_t handed = 0;  ///< lanes whose copies an mbarrier tells of
    std::uint64_t to[32] = {}, stamp[32] = {};
    std::uint32_t bytes = 0;
    shadow::Side side = 0;
};
struct CheckedWarp {
    std::vector<PendingCopy> open;
    std::deque<std::vector<PendingCopy>> groups;
    std::uint64_t passed = 0;  ///< lanes that stored something while others of the warp waited

    /// A block begins. (A new deque would take memory, for each warp of each block.)
    void start() {
        open.clear();
        groups.clear();
        passed = 0;
    }
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
    // Blocks of clusters.
    bool met = false;  ///< something has told it that others have started
    bool ended = false;
    std::map<std::pair<std::uint32_t, std::uint32_t>, PeerAccess> peers;  ///< by block and warp
    ProxyFences proxy;
    std::vector<Products> products;                             ///< by warpgroup
    std::unordered_map<std::uint32_t, AsyncReads> bulk_stores;  ///< by thread

    CheckedMbarrier& mbarrier(std::uint64_t offset) {
        auto& m = mbarriers[offset];
        if (!m.agent) m.agent = static_cast<std::uint32_t>(mbarriers.size());
        return m;
    }
};

}  // namespace warpwright::engine
