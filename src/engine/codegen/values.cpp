// In a masked copy a result is blended with the other lanes' old values only where these may still be read. A
// floating-point constant of the wanted type keeps its bits, those of a NaN included.
#include "engine/codegen/values.hpp"

#include <algorithm>

#include "engine/codegen/affine_values.hpp"
#include "engine/codegen/arith/arith.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;
using simt::kNone;
using simt::Operand;
using simt::Shape;

llvm::Type* element(FunctionState& fn, simt::Type type) {
    switch (type) {
        case simt::Type::f32:
            return fn.b.getFloatTy();
        case simt::Type::f64:
            return fn.b.getDoubleTy();
        case simt::Type::pred:
            return fn.b.getInt1Ty();
        default:
            return fn.b.getIntNTy(std::max(8u, simt::bits(type)));
    }
}

llvm::Type* value_type(FunctionState& fn, simt::ValueId v) {
    const auto t = fn.ir.values[v].type;
    return t == simt::Type::b16 ? fn.b.getInt16Ty() : element(fn, t);
}

llvm::Type* slot_type(FunctionState& fn, simt::ValueId v) {
    return fn.scalar_kind(v) ? value_type(fn, v) : fn.vec(value_type(fn, v));
}

V adapt(FunctionState& fn, V value, llvm::Type* to) {
    auto from = value->getType()->getScalarType();
    if (from == to) return value;
    auto shaped = [&](llvm::Type* t) { return value->getType()->isVectorTy() ? fn.vec(t) : t; };
    if (!from->isIntegerTy()) {
        value = fn.b.CreateBitCast(value, shaped(fn.b.getIntNTy(from->getScalarSizeInBits())));
        return adapt(fn, value, to);
    }
    if (!to->isIntegerTy()) {
        auto bits = fn.b.getIntNTy(to->getScalarSizeInBits());
        return fn.b.CreateBitCast(adapt(fn, value, bits), shaped(to));
    }
    return fn.b.CreateZExtOrTrunc(value, shaped(to));
}

V read(FunctionState& fn, simt::ValueId v) {
    if (fn.values.local[v]) return fn.values.local[v];
    if (!fn.values.slots[v])
        return llvm::Constant::getNullValue(fn.scalar_kind(v) ? value_type(fn, v) : fn.vec(value_type(fn, v)));
    auto value = fn.b.CreateLoad(slot_type(fn, v), fn.values.slots[v]);
    // The value is not remembered, because its load may not dominate the next use. SROA makes repeated loads free.
    return value;
}

void define(FunctionState& fn, simt::ValueId v, V value) {
    if (v == kNone) return;
    value = adapt(fn, value, value_type(fn, v));
    if (fn.scalar_kind(v)) {
        if (value->getType()->isVectorTy()) value = fn.b.CreateExtractElement(value, std::uint64_t{0});
    } else if (!value->getType()->isVectorTy()) {
        value = fn.splat(value);
    }
    V keep = value;
    if (fn.values.slots[v]) {
        if (!fn.at.converged && !fn.scalar_kind(v) && (fn.ir.strict || fn.shapes.escapes[v]))
            keep = blend(fn, fn.at.mask, value, fn.b.CreateLoad(slot_type(fn, v), fn.values.slots[v]));
        fn.b.CreateStore(keep, fn.values.slots[v]);
    }
    fn.values.local[v] = keep;
    fn.values.local_set.push_back(v);
}

namespace {

V constant(FunctionState& fn, const Operand& o, llvm::Type* type) {
    if (o.kind == Operand::Kind::none) return llvm::Constant::getNullValue(type);
    if (o.kind == Operand::Kind::real) {
        double d;
        float f;
        if (o.f32_bits) {
            auto bits = static_cast<std::uint32_t>(o.bits);
            if (type->isFloatTy()) return fn.b.CreateBitCast(fn.i32(bits), type);
            __builtin_memcpy(&f, &bits, 4);
            d = f;
        } else {
            __builtin_memcpy(&d, &o.bits, 8);
        }
        if (type->isDoubleTy()) return fn.b.CreateBitCast(fn.i64(__builtin_bit_cast(std::uint64_t, d)), type);
        f = static_cast<float>(d);
        auto bits = __builtin_bit_cast(std::uint32_t, f);
        if (type->isFloatTy()) return fn.b.CreateBitCast(fn.i32(bits), type);
        if (type->getScalarSizeInBits() == 64)
            return fn.i64(o.f32_bits ? o.bits : __builtin_bit_cast(std::uint64_t, d));
        return adapt(fn, fn.i32(bits), type);
    }
    if (type->isFloatTy()) return fn.b.CreateBitCast(fn.i32(o.bits), type);
    if (type->isDoubleTy()) return fn.b.CreateBitCast(fn.i64(o.bits), type);
    return llvm::ConstantInt::get(fn.context, llvm::APInt(64, o.bits).zextOrTrunc(type->getIntegerBitWidth()));
}

}  // namespace

V scalar(FunctionState& fn, const Operand& o, llvm::Type* type) {
    V x;
    if (!o.is_value()) {
        x = constant(fn, o, type);
    } else {
        x = read(fn, o.value);
        if (x->getType()->isVectorTy()) x = fn.b.CreateExtractElement(x, std::uint64_t{0});
        x = adapt(fn, x, type);
    }
    if (o.negated) x = fn.b.CreateNot(x);
    return x;
}

V vector(FunctionState& fn, const Operand& o, llvm::Type* type) {
    V x;
    if (!o.is_value()) {
        x = fn.splat(constant(fn, o, type));
    } else if (fn.shapes.of[o.value] == Shape::affine) {
        x = adapt(fn, affine_vector(fn, o.value), type);
    } else {
        x = read(fn, o.value);
        if (!x->getType()->isVectorTy()) x = fn.splat(x);
        x = adapt(fn, x, type);
    }
    if (o.negated) x = fn.b.CreateNot(x);
    return x;
}

V canonical(FunctionState& fn, V x, simt::ValueId v) {
    ArithContext context{fn.b, x->getType()->isVectorTy() ? fn.lanes : 0, fn.function};
    return canonical_nan(context, x, fn.ir.values[v].type);
}

/// The value with NaNs made canonical, for instructions that use its bits.
V vector_bits(FunctionState& fn, const Operand& o, llvm::Type* type) {
    if (!o.is_value() || !fn.values.nan[o.value] || !value_type(fn, o.value)->isFloatingPointTy())
        return vector(fn, o, type);
    Operand plain = o;
    return adapt(fn, canonical(fn, vector(fn, plain, value_type(fn, o.value)), o.value), type);
}

V scalar_bits(FunctionState& fn, const Operand& o, llvm::Type* type) {
    if (!o.is_value() || !fn.values.nan[o.value] || !value_type(fn, o.value)->isFloatingPointTy())
        return scalar(fn, o, type);
    return adapt(fn, canonical(fn, scalar(fn, o, value_type(fn, o.value)), o.value), type);
}

V extend_loaded(FunctionState& fn, V x, simt::Type type, simt::ValueId v) {
    auto want = value_type(fn, v);
    auto have = x->getType()->getScalarType();
    if (simt::is_signed(type) && want->isIntegerTy() && have->isIntegerTy() &&
        want->getIntegerBitWidth() > have->getIntegerBitWidth())
        return fn.b.CreateSExt(x, x->getType()->isVectorTy() ? fn.vec(want) : want);
    return x;
}

V lane_constant(FunctionState& fn, const simt::LaneVector& v, unsigned bits) {
    std::vector<llvm::Constant*> c;
    for (unsigned l = 0; l < fn.lanes; ++l)
        c.push_back(llvm::ConstantInt::get(fn.context, llvm::APInt(64, static_cast<std::uint64_t>(v[l])).trunc(bits)));
    return llvm::ConstantVector::get(c);
}

V mask_vector(FunctionState& fn, V mask) {
    return fn.b.CreateBitCast(mask, llvm::FixedVectorType::get(fn.b.getInt1Ty(), fn.lanes));
}

V mask_bits(FunctionState& fn, V lanes) { return fn.b.CreateBitCast(lanes, fn.mask_type); }

V blend(FunctionState& fn, V mask, V fresh, V old) {
    if (!mask) return fresh;
    return fn.b.CreateSelect(mask_vector(fn, mask), fresh, old);
}

}  // namespace warpwright::engine::codegen
