// What the checkers learn of an access from its instruction: the code generator hands it to them.
#pragma once

#include <cstdint>

#include "shadow/shadow.hpp"
#include "simt/details.hpp"

namespace warpwright::engine {

/// Bits that generated code adds to an access's shape (shadow/deferred_reads.hpp): a store; in shared memory; neither
/// atomic, volatile nor ordered; lanes whose addresses have no form, and which happen to follow each other; a read that
/// the code has tested by its marks already.
inline constexpr std::uint32_t kShapeTested = 1u << 26, kShapeFollowed = 1u << 27, kShapeStore = 1u << 28,
                               kShapeShared = 1u << 29, kShapePlain = 1u << 30, kPureShape = (1u << 24) - 1;

/// What an instruction does to groups of asynchronous work: those of cp.async, of matrix products (wgmma), and of bulk
/// copies to global memory.
enum class GroupOp : std::uint32_t {
    commit,
    wait,
    wait_all,
    commit_products,
    wait_products,
    commit_stores,
    wait_stores
};

/// How an instruction orders memory.
struct CheckOrder {
    std::uint8_t strength = shadow::kWeak;
    bool acquire = false, release = false, wide = false;
};
CheckOrder order_of(const simt::Access& access);

}  // namespace warpwright::engine
