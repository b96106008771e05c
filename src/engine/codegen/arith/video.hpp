// Inside arith/ only: what the scalar and the SIMD video instructions share.
#pragma once

#include "engine/codegen/arith/emit.hpp"

namespace warpwright::engine::arith {

/// The parts that stand after an operand: `.b0`, `.h1` (one part of a word); SIMD: `.h10`, `.b7520`, one digit for
/// each part, the topmost first. No parts: nothing is written there.
struct Selector {
    unsigned bits = 0;  ///< 8 or 16
    llvm::SmallVector<unsigned, 4> parts;
};
Selector selector_of(const Details& inst, unsigned operand);

/// Part `index` of `bits` bits, as i64.
Value* video_part(const Emitter& e, Value* word, unsigned bits, unsigned index, bool is_signed);
/// An i64 to the range of an integer of `bits` bits.
Value* video_saturate(const Emitter& e, Value* value, unsigned bits, bool is_signed);
/// The comparison among the suffixes as 0 or 1; null when there is none.
Value* video_compare(const Emitter& e, const Details& inst, Value* x, Value* y);
/// add, sub, absdiff, min, max, avrg and set on widened parts; null for other opcodes.
Value* video_operation(const Emitter& e, const Details& inst, Value* x, Value* y);

}  // namespace warpwright::engine::arith
