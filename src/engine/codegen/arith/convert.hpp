// Inside arith/ only: the part of cvt that converts packed pairs and 8-bit floats.
#pragma once

#include "engine/codegen/arith/emit.hpp"

namespace warpwright::engine::arith {

/// cvt to f16x2 or bf16x2 from two f32 or an 8-bit pair, and to e4m3x2 or e5m2x2 from two f32 or a 16-bit pair.
Result<Values> emit_convert_packed(ArithContext& context, const Details& inst, Operands operands);

}  // namespace warpwright::engine::arith
