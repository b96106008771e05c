// Warp IR to LLVM IR: one function for one kernel (or a function it calls) and block shape. Every block is written
// twice: a converged copy in which all lanes are active, without masks, and a masked copy for the lanes in the pending
// mask of the block (thread frontiers). Uniform values are scalars, affine ones a scalar base, varying ones vectors.
#pragma once

#include <string>

#include "engine/shared/kernel_layout.hpp"
#include "simt/shape.hpp"
#include "support/result.hpp"

namespace llvm {
class Module;
}
namespace warpwright::engine::codegen {

/// Writes the function called `symbol` into the module, and fills in the layout. An error names the instruction that is
/// not supported.
Result<void> write_function(llvm::Module& module, const simt::Function& f, const CodegenOptions& options,
                            KernelLayout& layout, const std::string& symbol);

}  // namespace warpwright::engine::codegen
