// Affine values: a scalar base plus lane offsets, some scaled by scalars. They are valid while 32-bit indices do not
// wrap.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// The product of scalars that scales a term of an affine form.
V factor(FunctionState& fn, const simt::Product& p, unsigned bits);
/// Exact in every lane: where the form assumes that 32-bit indices did not wrap, adds the difference if they did.
V affine_vector(FunctionState& fn, simt::ValueId v);
/// True when no widened 32-bit value wraps in any lane (of the whole warp, active or not).
V assumptions_hold(FunctionState& fn, const simt::Affine& a);

}  // namespace warpwright::engine::codegen
