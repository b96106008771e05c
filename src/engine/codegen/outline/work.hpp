// What code that is quick to make leaves to functions of their own: all that LLVM's fast instruction selection does not
// know, which is vectors and a few operations on scalars.
#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

namespace warpwright::engine::codegen {

/// Whether fast selection has registers for the type.
bool is_simple(const llvm::Type* type);
/// Whether the instruction belongs in a function of its own.
bool is_outlined(const llvm::Instruction& i);
/// Whether each function that needs the instruction's result does it anew: a splat of a scalar, the same bits
/// otherwise.
bool is_free(const llvm::Instruction& i);
/// Whether the function has nothing that cannot be outlined and that fast selection does not know either.
bool may_be_outlined(const llvm::Function& function);
/// The scalar that all lanes of a vector are; null: it is none of these.
llvm::Value* splat_scalar(const llvm::Value* v);
/// The number that a function takes as an argument where its lanes are all this constant; null: it has a function of
/// its own.
llvm::Constant* passed_number(const llvm::Constant& c, const llvm::Instruction& user);

}  // namespace warpwright::engine::codegen
