// Code that is quick to make: LLVM's fast instruction selection knows scalars, and what it does not know it leaves,
// with the rest of the block, to the slow one. So work on vectors becomes calls of functions, one for each kind of
// work, on values in memory, and the slow selection sees each kind once.
#pragma once

#include "engine/codegen/outline/tree.hpp"

namespace warpwright::engine::codegen {

/// Rewrites the function so. It may stay as it was, where it has something that this does not know.
void outline_vectors(llvm::Function& function, OutlinedKinds& kinds);
/// Rewrites all functions of the module.
void outline_vectors(llvm::Module& module);

}  // namespace warpwright::engine::codegen
