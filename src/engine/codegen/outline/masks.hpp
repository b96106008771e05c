// Vectors as LLVM's fast instruction selection wants them around it: masks of lanes as words, bundles of vectors apart.
#pragma once

#include <llvm/IR/Function.h>

namespace warpwright::engine::codegen {

/// Makes the phis of structs of vectors phis of their parts.
void split_bundles(llvm::Function& function);
/// Makes vectors of i1 words of as many bits, but for those that are used once, where they are made, by a vector
/// operation.
void make_masks_words(llvm::Function& function);

}  // namespace warpwright::engine::codegen
