// What every PTX data instruction means, given once, as LLVM IR over a whole warp at a time (or over one scalar
// where the operands are uniform). Covers arithmetic, logic, shifts, comparisons, conversions, special functions
// and the media instructions; memory, control, warp-collective and tensor instructions are elsewhere.
//
// Integer and correctly rounded results are bit-equal to the hardware's; approximations are deterministic, the same
// on every host, and within the error the PTX ISA states for the instruction.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

#include "simt/details.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

/// Where instructions are emitted. lanes = 32 or 64: values are <lanes x T>; lanes = 0: plain scalars. `function` owns
/// the insertion point; its entry block allocates scratch memory for helper calls.
struct ArithContext {
    llvm::IRBuilder<>& b;
    unsigned lanes;
    llvm::Function* function;
};

/// True when emit_arith emits this opcode.
bool is_arith(const simt::Details& inst);

/// Source i is inst.operands[1 + i] as written (lop3's table and its BoolOp operand included); addc, subc and madc
/// have one more, last: the carry flag CC.CF as i1.
unsigned source_count(const simt::Details& inst);
/// 1, or 2 for `p|q` and `d|p` destinations; instructions with .cc have one more, last: the carry flag as i1.
unsigned result_count(const simt::Details& inst);

/// The scalar type in which a source or a result travels: float for f32, double for f64, i1 for pred, else iN with N
/// the width of the type (f16 and bf16: i16; packed pairs and tf32: i32; 8-bit conversions: i8).
llvm::Type* operand_type(const simt::Details& inst, unsigned source_index, llvm::LLVMContext& context);
llvm::Type* result_type(const simt::Details& inst, unsigned dest_index, llvm::LLVMContext& context);

/// Emits `inst`. Operands have operand_type (immediates are constants already). Returns result_count values, or an
/// Error that names the unsupported form.
Result<llvm::SmallVector<llvm::Value*, 2>> emit_arith(ArithContext& context, const simt::Details& inst,
                                                      llvm::ArrayRef<llvm::Value*> operands);

/// True when the result can be a float NaN with the host's bits where a GPU gives its canonical NaN. Arithmetic ignores
/// the payload, so the caller may defer canonical_nan until the bits are seen (stored, moved as .b32, shuffled).
bool result_needs_canonical_nan(const simt::Details& inst);
/// True when the instruction passes on the sign or the payload of an f32 NaN, so that its operands must be canonical.
bool passes_on_nan_bits(const simt::Details& inst);
/// `value` with every NaN replaced by the canonical one of `type` (f32 0x7fffffff, f16 and bf16 0x7fff, f64 unchanged).
llvm::Value* canonical_nan(ArithContext& context, llvm::Value* value, simt::Type type);

#if defined(__x86_64__)
/// What LLVM calls for half <-> float where the host has no F16C ("__extendhfsf2", "__truncsfhf2"). The x86-64 ABI
/// passes a half in the low 16 bits of an SSE register, as a float's low bits are.
float half_to_float(float half_in_low_bits);
float float_to_half(float value);
#endif

}  // namespace warpwright::engine
