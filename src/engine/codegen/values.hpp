// Values of the warp IR as LLVM values: a uniform one is a scalar, an affine one a scalar base, a varying one a vector
// of lanes. How each is read in the shape that is wanted, how a result is kept, and when a NaN is made canonical.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

llvm::Type* element(FunctionState& fn, ptx::Type type);
llvm::Type* value_type(FunctionState& fn, simt::ValueId v);
/// Of the place where a value is kept that crosses blocks.
llvm::Type* slot_type(FunctionState& fn, simt::ValueId v);

/// Scalar (uniform, affine base) or vector, in its register type.
V read(FunctionState& fn, simt::ValueId v);
/// A uniform value, or the base of an affine one.
V scalar(FunctionState& fn, const simt::Operand& o, llvm::Type* type);
V vector(FunctionState& fn, const simt::Operand& o, llvm::Type* type);
/// The same with NaNs made canonical, for whoever sees the bits.
V scalar_bits(FunctionState& fn, const simt::Operand& o, llvm::Type* type);
V vector_bits(FunctionState& fn, const simt::Operand& o, llvm::Type* type);
V canonical(FunctionState& fn, V x, simt::ValueId v);
/// Keeps a result: a scalar or a vector, as the value's shape asks, of any element type.
void define(FunctionState& fn, simt::ValueId v, V value);

/// The same bits as another type; integers are extended by zeros or truncated.
V adapt(FunctionState& fn, V value, llvm::Type* element_type);
/// What is loaded from memory as `type`, in the register of value v: extended by its sign where the type has one.
V extend_loaded(FunctionState& fn, V x, ptx::Type type, simt::ValueId v);
V lane_constant(FunctionState& fn, const simt::LaneVector& v, unsigned bits);
/// A mask of lanes as a vector of i1, and back.
V mask_vector(FunctionState& fn, V mask);
V mask_bits(FunctionState& fn, V lanes);
/// `fresh` in the lanes of the mask (all where it is null), `old` in the others.
V blend(FunctionState& fn, V mask, V fresh, V old);

}  // namespace warpwright::engine::codegen
