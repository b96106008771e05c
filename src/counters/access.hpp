// The cost of one warp-level memory request: sectors in global memory, passes over the banks of shared memory. These
// are pure functions of the lanes' addresses, which the engine calls at run time for accesses whose pattern it does not
// know in advance, so they are written for speed. The rules and their evidence are in docs/counters.md.
#pragma once

#include <cstdint>

namespace warpwright::counters {

/// The kind of a shared-memory instruction, as far as it matters for passes over the banks.
enum class SharedOp : unsigned char {
    load,
    store,
    /// Integer read-modify-write of 4 bytes (add, inc, dec, min, max, and, or, xor) and exchange: every lane takes its
    /// turn at its bank, whether the word is the same or another. 8-byte exchange likewise, by half warps.
    atomic,
    /// Compare-and-swap, and loops of it in machine code (float and 8-byte add, 8-byte min, ...): as `atomic`, two
    /// passes per turn.
    atomic_cas,
    /// 4-byte add of the constant 1 whose result is unused: lanes at one word are counted together.
    atomic_count,
};

/// What a read-modify-write of shared memory computes, as far as its machine code depends on it.
enum class AtomicKind : unsigned char {
    exchange,
    wrapping,  ///< inc and dec, of 4 bytes
    integer,   ///< add, min, max, and, or, xor of whole numbers
    other,     ///< compare-and-swap, and all that is floating or packed
};

/// How the machine code of an atomic accesses shared memory. Exchange, and integer operations of 4 bytes, are single
/// machine instructions; the others are compare-and-swap loops there, and count as one compare-and-swap
/// (docs/counters.md). `counts_ones`: it adds the constant 1, nothing uses the result, and the instruction names shared
/// memory.
constexpr SharedOp shared_atomic(AtomicKind kind, unsigned bytes, bool counts_ones) {
    if (counts_ones && bytes == 4) return SharedOp::atomic_count;
    const bool single =
        kind == AtomicKind::exchange || kind == AtomicKind::wrapping || (kind == AtomicKind::integer && bytes == 4);
    return single ? SharedOp::atomic : SharedOp::atomic_cas;
}

/// How a device's shared memory serves a request.
struct BankRule {
    unsigned banks = 32;
    unsigned bank_bytes = 4;
    /// Lanes whose 1-, 2- and 4-byte accesses are served together; wider accesses take proportionally fewer.
    unsigned group_lanes = 32;
    /// A load wider than a bank joins its groups two by two when throughout the warp lanes i and i ^ 1 (or throughout
    /// the warp lanes i and i ^ 2) read the same address, wherever both are active. Stores never join.
    bool joins_broadcast_groups = true;
    /// Several lanes that read one word need one pass. False (compute capability 1.x): one broadcast word per pass.
    bool multicast = true;
    /// Words i and i + banks of one aligned pair of rows share a bank row (compute capability 3.x, 4-byte mode).
    bool paired_rows = false;

    bool operator==(const BankRule&) const = default;
};

/// Compute capability 5.0 and later: 32 banks of 4 bytes.
inline constexpr BankRule kBanksMaxwell{};
/// Compute capability 1.x: 16 banks, each half warp is a separate request, one broadcast word per pass.
inline constexpr BankRule kBanksTesla{16, 4, 16, false, false, false};
/// Compute capability 2.x: 32 banks of 4 bytes, wider accesses by half and quarter warp.
inline constexpr BankRule kBanksFermi{32, 4, 32, false, true, false};
/// Compute capability 3.x, 4-byte bank mode: rows of 8 bytes per bank, so words i and i + 32 of a 64-word line agree.
inline constexpr BankRule kBanksKepler4{32, 4, 32, false, true, true};
/// Compute capability 3.x, 8-byte bank mode: a whole warp's 8-byte accesses in one pass.
inline constexpr BankRule kBanksKepler8{32, 8, 32, false, true, false};
/// AMD GCN: 32 banks of 4 bytes, a 64-lane wavefront served 32 lanes at a time.
inline constexpr BankRule kBanksGcn{32, 4, 32, false, true, false};

/// How a device joins the lanes of a global-memory request into transactions.
struct CoalescingRule {
    enum class Kind : unsigned char {
        sectors,         ///< distinct aligned pieces of `segment_bytes`
        tesla_in_order,  ///< cc 1.0, 1.1: lane k must access word k of an aligned segment, else one each
        tesla_segments,  ///< cc 1.2, 1.3: segments by access width, halved when only one half is used
    };
    Kind kind = Kind::sectors;
    unsigned group_lanes = 64;    ///< lanes joined together; more than the warp has means the whole warp
    unsigned segment_bytes = 32;  ///< for Kind::sectors

    bool operator==(const CoalescingRule&) const = default;
};

/// Sectors of 32 bytes: what Nsight Compute counts since Maxwell (and global loads of 3.x, past the L1).
inline constexpr CoalescingRule kCoalesceSectors{};
/// Compute capability 1.0 and 1.1.
inline constexpr CoalescingRule kCoalesceTesla10{CoalescingRule::Kind::tesla_in_order, 16, 0};
/// Compute capability 1.2 and 1.3.
inline constexpr CoalescingRule kCoalesceTesla12{CoalescingRule::Kind::tesla_segments, 16, 0};
/// Compute capability 2.x with the L1 on: lines of 128 bytes.
inline constexpr CoalescingRule kCoalesceFermi{CoalescingRule::Kind::sectors, 64, 128};
/// AMD GCN: lines of 64 bytes.
inline constexpr CoalescingRule kCoalesceGcn{CoalescingRule::Kind::sectors, 64, 64};

/// Distinct 32-byte sectors that the active lanes touch. `addresses` is indexed by lane (`lanes` of them, at most
/// 64); bit i of `mask` says that lane i is active; inactive lanes' addresses are ignored. `bytes` per lane: 1 to 32,
/// a power of two; accesses are aligned to it. 0 when no lane is active.
unsigned global_sectors(const std::uint64_t* addresses, std::uint64_t mask, unsigned bytes, unsigned lanes);

/// Transactions of one request under an older device's rule, and the bytes that they move.
struct Transactions {
    unsigned count = 0;
    unsigned bytes = 0;
    bool operator==(const Transactions&) const = default;
};
Transactions global_transactions(const std::uint64_t* addresses, std::uint64_t mask, unsigned bytes, unsigned lanes,
                                 const CoalescingRule& rule);

/// Sectors of a global atomic or reduction: lanes at the same address take turns, and each turn touches the sector
/// again. The sum over the sectors of the most lanes at one address in it. (Hardware counts one or two more in some
/// scattered patterns: docs/counters.md.)
unsigned global_atomic_sectors(const std::uint64_t* addresses, std::uint64_t mask, unsigned bytes, unsigned lanes);

/// The cost of one shared-memory request. 0 and 0 when no lane is active.
struct SharedCost {
    unsigned wavefronts = 0;      ///< passes over the banks
    unsigned bank_conflicts = 0;  ///< passes beyond one for each group of lanes that the hardware serves apart
    bool operator==(const SharedCost&) const = default;
};

/// `addresses` are byte offsets in the shared window, indexed by lane; the rest as for global_sectors(). `bytes` is at
/// most 16.
SharedCost shared_cost(SharedOp op, const std::uint32_t* addresses, std::uint64_t mask, unsigned bytes, unsigned lanes,
                       const BankRule& rule = kBanksMaxwell);

/// The last request of an instruction, and what it cost: lanes as far from each other cost the same again.
struct LastRequest {
    std::uint64_t mask = 0;  ///< 0: none yet
    std::uint64_t distances[32] = {};
    SharedCost cost;
    /// Requests one after the other that were like none before: where there have been many, few are compared.
    unsigned in_vain = 0;
};

/// The same by the rule of Maxwell and later, of addresses whose low halves, less the window's start, are the offsets.
/// All requests with one `last` are of one operation, width and number of lanes.
SharedCost shared_cost(SharedOp op, const std::uint64_t* addresses, std::uint64_t window, std::uint64_t mask,
                       unsigned bytes, unsigned lanes, LastRequest& last);

/// shared_cost().wavefronts alone.
unsigned shared_wavefronts(SharedOp op, const std::uint32_t* addresses, std::uint64_t mask, unsigned bytes,
                           unsigned lanes, const BankRule& rule = kBanksMaxwell);

/// The passes that a load of the same lanes would take at consecutive addresses: the access width's ideal. Wavefronts
/// beyond it are what people call bank conflicts. (A broadcast may take fewer.)
unsigned shared_ideal_wavefronts(std::uint64_t mask, unsigned bytes, unsigned lanes,
                                 const BankRule& rule = kBanksMaxwell);

/// Local memory, where a thread's 4-byte words are interleaved so that equal offsets of a warp's lanes are adjacent.
/// `offsets` are each lane's byte offsets in its own local memory.
struct LocalCost {
    unsigned requests = 0;  ///< one for each 4 bytes of the access width
    unsigned sectors = 0;
    bool operator==(const LocalCost&) const = default;
};
LocalCost local_cost(const std::uint32_t* offsets, std::uint64_t mask, unsigned bytes, unsigned lanes);

}  // namespace warpwright::counters
