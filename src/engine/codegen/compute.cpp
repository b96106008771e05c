// An operation whose results are all uniform is emitted once, on scalars. NaNs are made canonical only where a register
// without a type, or with an integer one, shows a float's bits.
#include "engine/codegen/compute.hpp"

#include <algorithm>

#include "engine/codegen/arith/arith.hpp"
#include "engine/codegen/values.hpp"

namespace warpwright::engine::codegen {

using simt::kNone;
using simt::Shape;

Result<void> emit_arithmetic(FunctionState& fn, const simt::Inst& i) {
    if (!is_arith(*i.ptx)) return fn.unsupported(i, "is not executed by this version of the emulated GPU");
    bool scalars = true;
    for (auto v : i.out)
        if (v != kNone) scalars &= fn.scalar_kind(v);
    ArithContext context{fn.b, scalars ? 0 : fn.lanes, fn.function};
    llvm::SmallVector<V, 6> in;
    if (i.in.size() != source_count(*i.ptx)) return fn.unsupported(i, "has a number of operands that is not supported");
    for (unsigned k = 0; k < i.in.size(); ++k) {
        auto t = operand_type(*i.ptx, k, fn.context);
        // Integer operations on a float register use its bits.
        const bool bits = !t->isFloatingPointTy() || passes_on_nan_bits(*i.ptx);
        in.push_back(scalars ? (bits ? scalar_bits(fn, i.in[k], t) : scalar(fn, i.in[k], t))
                             : (bits ? vector_bits(fn, i.in[k], t) : vector(fn, i.in[k], t)));
    }
    auto out = emit_arith(context, *i.ptx, in);
    if (!out) return fn.located(out.error(), i);
    for (std::size_t k = 0; k < i.out.size() && k < out->size(); ++k) {
        if (i.out[k] == kNone) continue;
        V x = (*out)[k];
        const auto type = result_type(*i.ptx, static_cast<unsigned>(k), fn.context);
        // Narrow integer results are sign-extended to the wider register.
        const auto want = value_type(fn, i.out[k]);
        if (type->isIntegerTy() && want->isIntegerTy() && want->getIntegerBitWidth() > type->getIntegerBitWidth() &&
            !type->isIntegerTy(1) && simt::is_signed(i.ptx->type(0)))
            x = fn.b.CreateSExt(x, x->getType()->isVectorTy() ? fn.vec(want) : want);
        if (fn.values.nan[i.out[k]] && result_needs_canonical_nan(*i.ptx) && !want->isFloatingPointTy()) {
            // A float result in an untyped register: any instruction may read its bits.
            x = canonical_nan(context, x, i.ptx->type(0));
        }
        define(fn, i.out[k], x);
    }
    return {};
}

void emit_move(FunctionState& fn, const simt::Inst& i) {
    const auto v = i.out[0];
    if (v == kNone) return;
    const auto& from = i.in[0];
    const auto type = from.is_value() ? value_type(fn, from.value) : value_type(fn, v);
    V x = fn.shapes.of[v] == Shape::varying ? vector(fn, from, type) : scalar(fn, from, type);
    // A copy between a float and an integer register exposes the bits.
    if (from.is_value() && fn.values.nan[from.value] && !value_type(fn, v)->isFloatingPointTy())
        x = canonical(fn, x, from.value);
    define(fn, v, x);
}

void emit_select(FunctionState& fn, const simt::Inst& i) {
    const auto v = i.out[0];
    if (v == kNone) return;
    auto t = value_type(fn, v);
    const bool varying = fn.shapes.of[v] == Shape::varying;
    const auto get = [&](unsigned k, llvm::Type* type) {
        return varying ? vector(fn, i.in[k], type) : scalar(fn, i.in[k], type);
    };
    V condition = get(0, fn.b.getInt1Ty()), yes = get(1, t), no = get(2, t);
    define(fn, v, fn.b.CreateSelect(condition, yes, no));
}

void emit_pack(FunctionState& fn, const simt::Inst& i) {
    const auto v = i.out[0];
    if (v == kNone) return;
    const unsigned total = simt::bits(fn.ir.values[v].type), part = total / static_cast<unsigned>(i.in.size());
    const bool varying = fn.shapes.of[v] == Shape::varying;
    auto wide = fn.b.getIntNTy(total), narrow = fn.b.getIntNTy(part);
    V x = nullptr;
    for (unsigned k = 0; k < i.in.size(); ++k) {
        V e = varying ? vector_bits(fn, i.in[k], narrow) : scalar_bits(fn, i.in[k], narrow);
        e = fn.b.CreateZExt(e, varying ? fn.vec(wide) : wide);
        if (k) {
            V by = llvm::ConstantInt::get(wide, k * part);
            e = fn.b.CreateShl(e, varying ? fn.splat(by) : by);
        }
        x = x ? fn.b.CreateOr(x, e) : e;
    }
    define(fn, v, x);
}

void emit_unpack(FunctionState& fn, const simt::Inst& i) {
    const unsigned total = std::max(16u, simt::bits(i.type)), part = total / static_cast<unsigned>(i.out.size());
    auto wide = fn.b.getIntNTy(total), narrow = fn.b.getIntNTy(part);
    for (unsigned k = 0; k < i.out.size(); ++k) {
        if (i.out[k] == kNone) continue;
        const bool varying = fn.shapes.of[i.out[k]] == Shape::varying;
        V x = varying ? vector_bits(fn, i.in[0], wide) : scalar_bits(fn, i.in[0], wide);
        if (k) {
            V by = llvm::ConstantInt::get(wide, k * part);
            x = fn.b.CreateLShr(x, varying ? fn.splat(by) : by);
        }
        define(fn, i.out[k], fn.b.CreateTrunc(x, varying ? fn.vec(narrow) : narrow));
    }
}

}  // namespace warpwright::engine::codegen
