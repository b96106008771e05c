// Inside arith/ only: an IRBuilder that knows the lane count, and one emit function per instruction family.
// Helpers are shape-agnostic: they work on scalars and on vectors of any length alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <llvm/IR/Intrinsics.h>

#include "engine/codegen/arith/arith.hpp"
#include "engine/shared/runtime_functions.hpp"

namespace warpwright::engine::arith {

using llvm::Value;
using simt::Details;
using simt::Mod;
using simt::Op;
using simt::Rounding;
using Values = llvm::SmallVector<Value*, 2>;
using Operands = llvm::ArrayRef<Value*>;
using Family = Result<Values> (*)(ArithContext&, const Details&, Operands);

class Emitter {
public:
    explicit Emitter(ArithContext& context) : b(context.b), lanes(context.lanes), function(context.function) {}
    Emitter(const Emitter& parent, unsigned lane_count) : b(parent.b), lanes(lane_count), function(parent.function) {}

    llvm::IRBuilder<>& b;
    const unsigned lanes;
    llvm::Function* const function;

    /// The same emitter for values split into `parts` elements per lane (packed halves and bytes).
    Emitter split(unsigned parts) const { return Emitter(*this, (lanes ? lanes : 1) * parts); }

    llvm::Type* shaped(llvm::Type* scalar) const;
    llvm::Type* int_type(unsigned bits) const { return shaped(b.getIntNTy(bits)); }
    llvm::Type* f16() const { return shaped(b.getHalfTy()); }
    llvm::Type* f32() const { return shaped(b.getFloatTy()); }
    llvm::Type* f64() const { return shaped(b.getDoubleTy()); }

    Value* integer(unsigned bits, std::uint64_t value) const;
    Value* real(double value) const;    ///< as f32
    Value* real64(double value) const;  ///< as f64
    /// An integer constant of the type of `value`.
    Value* like(Value* value, std::uint64_t constant) const;
    static unsigned width(Value* value) { return value->getType()->getScalarSizeInBits(); }

    /// To `bits` by sign- or zero-extension or truncation.
    Value* resize(Value* value, unsigned bits, bool is_signed) const;
    Value* select(Value* condition, Value* yes, Value* no) const { return b.CreateSelect(condition, yes, no); }
    Value* unary(llvm::Intrinsic::ID id, Value* value) const { return b.CreateUnaryIntrinsic(id, value); }
    Value* binary(llvm::Intrinsic::ID id, Value* x, Value* y) const { return b.CreateBinaryIntrinsic(id, x, y); }
    Value* ternary(llvm::Intrinsic::ID id, Value* x, Value* y, Value* z) const {
        return b.CreateIntrinsic(id, {x->getType()}, {x, y, z});
    }
    Value* min(Value* x, Value* y, bool is_signed) const;
    Value* max(Value* x, Value* y, bool is_signed) const;
    Value* clamp(Value* x, std::int64_t low, std::int64_t high) const;  ///< signed

    /// Reinterpretations; no-ops when the value has the type already.
    Value* cast(Value* value, llvm::Type* type) const { return b.CreateBitCast(value, type); }
    Value* bits(Value* value) const { return cast(value, int_type(width(value))); }
    Value* as_f16(Value* value) const { return cast(value, f16()); }
    Value* as_f32(Value* value) const { return cast(value, f32()); }
    Value* as_f64(Value* value) const { return cast(value, f64()); }
    Value* is_nan(Value* value) const { return b.CreateFCmpUNO(value, value); }
    Value* fabs(Value* value) const { return unary(llvm::Intrinsic::fabs, value); }
    /// An unsigned shift amount made safe: `value << amount` with 0 for amounts of the width and above.
    Value* shift_left(Value* value, Value* amount) const;
    Value* shift_right(Value* value, Value* amount, bool is_signed) const;

    /// Calls a listed function `F(const T* operand..., R* result, uint32_t lanes)` over arrays of lanes, for work that
    /// has no reasonable vector code.
    template <auto* F, std::size_t N>
    Value* call_lanes(Value* const (&operands)[N]) const {
        static_assert(lane_operands<F> == N && !takes_mode<F, N>, "the function has other parameters");
        return call_lanes(runtime_function<F>, operands, lane_result<F, N>, {});
    }
    /// The same for a function whose last parameter is a rounding mode.
    template <auto* F, std::size_t N>
    Value* call_lanes(Value* const (&operands)[N], Rounding mode) const {
        static_assert(lane_operands<F> == N && takes_mode<F, N>, "the function has other parameters");
        return call_lanes(runtime_function<F>, operands, lane_result<F, N>, {mode});
    }

private:
    template <auto* F>
    using Parameters = typename RuntimeSignature<decltype(F)>::Parameters;
    /// Arrays that are only read.
    template <auto* F>
    static constexpr std::size_t lane_operands = []<class... A>(std::tuple<A...>*) {
        return (std::size_t{std::is_const_v<std::remove_pointer_t<A>>} + ...);
    }(static_cast<Parameters<F>*>(nullptr));
    template <auto* F, std::size_t N>
    static constexpr bool takes_mode = std::tuple_size_v<Parameters<F>> == N + 3;
    template <auto* F, std::size_t N>
    static constexpr HostType lane_result = host_type<std::remove_pointer_t<std::tuple_element_t<N, Parameters<F>>>>();
    Value* call_lanes(const RuntimeFunction& function, Operands operands, HostType result,
                      std::optional<Rounding> mode) const;
};

/// An ErrorKind::input that names the instruction and the reason why it is not supported.
Error unsupported(const Details& inst, const std::string& why);
/// True when a suffix with this spelling stands on the instruction (for suffixes that share no enumerator).
bool has_suffix(const Details& inst, std::string_view text);

inline bool is_f32(simt::Type type) { return type == simt::Type::f32; }
// One function per family; table.cpp says which opcode goes where.
Result<Values> emit_integer(ArithContext&, const Details&, Operands);       // integer.cpp: add ... sad, mul24
Result<Values> emit_carry(ArithContext&, const Details&, Operands);         // carry.cpp: .cc, addc, subc, madc
Result<Values> emit_integer_div(ArithContext&, const Details&, Operands);   // division.cpp: div, rem
Result<Values> emit_logic(ArithContext&, const Details&, Operands);         // logic.cpp: and ... lop3, shifts
Result<Values> emit_bits(ArithContext&, const Details&, Operands);          // bits.cpp: popc ... fns, prmt
Result<Values> emit_dot(ArithContext&, const Details&, Operands);           // bits.cpp: dp4a, dp2a
Result<Values> emit_float(ArithContext&, const Details&, Operands);         // float.cpp: f32 and f64
Result<Values> emit_half(ArithContext&, const Details&, Operands);          // half.cpp: f16, bf16 and pairs
Result<Values> emit_special(ArithContext&, const Details&, Operands);       // special.cpp: rcp ... tanh
Result<Values> emit_compare(ArithContext&, const Details&, Operands);       // compare.cpp: set setp selp slct testp
Result<Values> emit_convert(ArithContext&, const Details&, Operands);       // convert.cpp: cvt
Result<Values> emit_convert_pack(ArithContext&, const Details&, Operands);  // convert.cpp: cvt.pack
Result<Values> emit_video(ArithContext&, const Details&, Operands);         // video.cpp: vadd ... vset
Result<Values> emit_video_simd(ArithContext&, const Details&, Operands);    // video_simd.cpp: v*2, v*4

}  // namespace warpwright::engine::arith
