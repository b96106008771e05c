// Values of the warp IR as LLVM values: a uniform one is a scalar, an affine one a scalar base, a varying one a vector
// of lanes. This reads each in the shape that is wanted, keeps results, and makes NaNs canonical when needed.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

llvm::Type* element(FunctionState& fn, simt::Type type);
llvm::Type* value_type(FunctionState& fn, simt::ValueId v);
/// The type of the slot of a value that crosses blocks.
llvm::Type* slot_type(FunctionState& fn, simt::ValueId v);

/// The value as a scalar (uniform, or an affine base) or a vector, in its register type.
V read(FunctionState& fn, simt::ValueId v);
/// A uniform value, or the base of an affine one.
V scalar(FunctionState& fn, const simt::Operand& o, llvm::Type* type);
V vector(FunctionState& fn, const simt::Operand& o, llvm::Type* type);
/// The same with NaNs made canonical, for instructions that use the bits.
V scalar_bits(FunctionState& fn, const simt::Operand& o, llvm::Type* type);
V vector_bits(FunctionState& fn, const simt::Operand& o, llvm::Type* type);
V canonical(FunctionState& fn, V x, simt::ValueId v);
/// Keeps a result as a scalar or a vector, according to the value's shape; the element type may be any.
void define(FunctionState& fn, simt::ValueId v, V value);

/// The same bits as another type; integers are extended by zeros or truncated.
V adapt(FunctionState& fn, V value, llvm::Type* element_type);
/// A value loaded from memory as `type`, extended to the register of value v: by its sign where the type has one.
V extend_loaded(FunctionState& fn, V x, simt::Type type, simt::ValueId v);
V lane_constant(FunctionState& fn, const simt::LaneVector& v, unsigned bits);
/// A mask of lanes as a vector of i1, and back.
V mask_vector(FunctionState& fn, V mask);
V mask_bits(FunctionState& fn, V lanes);
/// `fresh` in the lanes of the mask (in all if it is null), `old` in the others.
V blend(FunctionState& fn, V mask, V fresh, V old);

}  // namespace warpwright::engine::codegen
