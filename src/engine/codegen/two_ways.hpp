// One value computed in two ways: the usual one, and one for when a condition does not hold.
#pragma once

#include <functional>
#include <vector>

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Writes `hot` for the case that the condition holds, which is nearly always, and `cold` for the other; returns their
/// merged value, or null if hot() returns null.
V in_two_ways(FunctionState& fn, V condition, const std::function<V()>& hot, const std::function<V()>& cold);
/// Ends a block: code that is quick to make goes on with `quick`, the best code with `best`.
void begin_versions(llvm::IRBuilder<>& b, llvm::BasicBlock* best, llvm::BasicBlock* quick);
/// So many instructions are of best code alone: quick code does without.
void add_versions_size(llvm::Module& module, std::uint64_t size);
/// The same of the instructions of the function's blocks from `from` on, but for block `but`.
void add_size_of_blocks(FunctionState& fn, const llvm::BasicBlock* from, const llvm::BasicBlock* but);
/// Several vectors as one struct value, for a phi.
V bundle(FunctionState& fn, const std::vector<V>& parts);
/// Part k of the `count` values that bundle() put together.
V unbundle(FunctionState& fn, V whole, unsigned k, unsigned count);

}  // namespace warpwright::engine::codegen
