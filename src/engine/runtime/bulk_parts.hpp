// What bulk copies and tensor copies share: their place in global memory, their places in the cluster's shared memory,
// and reductions.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/runtime/apply_atomic.hpp"
#include "engine/runtime/async_op.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/shared/atomic_op.hpp"

namespace warpwright::engine {

/// Whether the first state space named is global memory: the copy's target.
bool to_global(const simt::Details& i);

/// The global memory of one lane's copy: checked to the byte, with its sectors counted at the form's sites.
class CopiedGlobal {
public:
    CopiedGlobal(BlockContext* c, WarpFrame* f, const AsyncForm& form, unsigned lane)
        : c_(c), f_(f), form_(form), lane_(lane) {}

    /// Null after a fault was recorded.
    std::uint8_t* at(std::uint64_t address, std::uint64_t bytes, bool store, const BulkBytes& bulk = {});

private:
    /// Whether the bytes may be accessed; `found_` is then the allocation they are of. False after recording a fault.
    bool reach(std::uint64_t address, std::uint64_t bytes, bool store);

    BlockContext* c_;
    WarpFrame* f_;
    const AsyncForm& form_;
    unsigned lane_;
    Allocation found_;  ///< the last one
};

/// Combines elements of `bytes` each.
struct Reduction {
    AtomicOp op;
    unsigned bytes;
    void operator()(std::uint8_t* to, const std::uint8_t* from, std::uint64_t count, bool shared) const {
        for (std::uint64_t k = 0; count - k >= bytes; k += bytes) {
            std::uint64_t x = 0;
            std::memcpy(&x, from + k, bytes);
            apply_atomic(op, bytes, to + k, x, 0, shared);
        }
    }
};

/// The target of a copy, and the mbarrier that it signals.
struct CopyTarget {
    SharedPlace to, barrier;
};
/// The targets of a copy: the one of its address, or those of a multicast's mask, all at the same offset. A place that
/// does not exist is null.
std::vector<CopyTarget> copy_targets(BlockContext* c, const AsyncForm& form, const SharedPlace& to,
                                     const SharedPlace& barrier, std::uint64_t mask, std::uint64_t bytes);

}  // namespace warpwright::engine
