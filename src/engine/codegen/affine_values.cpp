// The lanes of a form are computed only where a vector is asked for. The test for wrapped indices looks at the least
// and the greatest lane offset of each term, which bound all lanes.
#include "engine/codegen/affine_values.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <set>

#include "engine/codegen/values.hpp"
#include "simt/affine.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;
using simt::kNone;
using simt::Operand;
using simt::Shape;

V factor(FunctionState& fn, const simt::Product& p, unsigned bits) {
    V product = nullptr;
    auto type = fn.b.getIntNTy(bits);
    for (const auto& f : p) {
        V x = scalar(fn, Operand::of(f.value), value_type(fn, f.value));
        x = adapt(fn, x, fn.b.getIntNTy(x->getType()->getScalarSizeInBits()));
        if (x->getType()->getIntegerBitWidth() < bits)
            x = f.extend == simt::Factor::Extend::zero ? fn.b.CreateZExt(x, type) : fn.b.CreateSExt(x, type);
        else
            x = fn.b.CreateTrunc(x, type);
        product = product ? fn.b.CreateMul(product, x) : x;
    }
    return product;
}

namespace {

/// Base plus offsets of a form, without its assumptions.
V approximate(FunctionState& fn, const simt::Affine& a, V base, unsigned bits) {
    base = adapt(fn, base, fn.b.getIntNTy(bits));
    V x = fn.b.CreateAdd(fn.splat(base), lane_constant(fn, a.constant, bits));
    for (const auto& t : a.terms) {
        V each = fn.splat(factor(fn, t.scalar, bits));
        x = fn.b.CreateAdd(x, fn.b.CreateMul(each, lane_constant(fn, t.lanes, bits)));
    }
    return x;
}

}  // namespace

/// Exact in every lane: where the form assumes that 32-bit indices did not wrap, adds the difference if they did.
V affine_vector(FunctionState& fn, simt::ValueId v) {
    const auto& a = fn.shapes.affine.at(v);
    const unsigned bits = value_type(fn, v)->getIntegerBitWidth();
    V x = approximate(fn, a, read(fn, v), bits);
    for (const auto& [assumed, times] : a.assumes) {
        const auto& w = assumed.widening;
        const auto type = fn.b.getInt64Ty();
        auto extend = [&](V y) {
            return w.is_signed ? fn.b.CreateSExt(y, y->getType()->isVectorTy() ? fn.vec(type) : type)
                               : fn.b.CreateZExt(y, y->getType()->isVectorTy() ? fn.vec(type) : type);
        };
        V base32 = scalar(fn, Operand::of(w.value), fn.b.getInt32Ty());
        V exact = extend(vector(fn, Operand::of(w.value), fn.b.getInt32Ty()));
        auto wide = simt::widened(Operand::of(w.value), fn.shapes.affine.at(w.value), w.is_signed);
        V taken = approximate(fn, *wide, extend(base32), 64);
        V scale = fn.i64(static_cast<std::uint64_t>(times));
        if (!assumed.scalar.empty()) scale = fn.b.CreateMul(scale, factor(fn, assumed.scalar, 64));
        x = fn.b.CreateAdd(x, fn.b.CreateMul(fn.b.CreateSub(exact, taken), fn.splat(scale)));
    }
    return x;
}

/// True when no widened 32-bit value wraps in any lane (of the whole warp, active or not).
V assumptions_hold(FunctionState& fn, const simt::Affine& a) {
    V holds = fn.b.getTrue();
    std::set<simt::Widening> asked;  // several terms may rest on one widening
    for (const auto& [assumed, times] : a.assumes) {
        const auto& w = assumed.widening;
        if (!asked.insert(w).second) continue;
        auto wide = simt::widened(Operand::of(w.value), fn.shapes.affine.at(w.value), w.is_signed);
        V base = scalar(fn, Operand::of(w.value), fn.b.getInt32Ty());
        base = w.is_signed ? fn.b.CreateSExt(base, fn.b.getInt64Ty()) : fn.b.CreateZExt(base, fn.b.getInt64Ty());
        auto range = [&](const simt::LaneVector& v) { return std::minmax_element(v.begin(), v.begin() + fn.lanes); };
        auto [low, high] = range(wide->constant);
        V lo = fn.b.CreateAdd(base, fn.i64(static_cast<std::uint64_t>(*low)));
        V hi = fn.b.CreateAdd(base, fn.i64(static_cast<std::uint64_t>(*high)));
        for (const auto& t : wide->terms) {
            V s = factor(fn, t.scalar, 64);
            auto [tl, th] = range(t.lanes);
            V x = fn.b.CreateMul(s, fn.i64(static_cast<std::uint64_t>(*tl))),
              y = fn.b.CreateMul(s, fn.i64(static_cast<std::uint64_t>(*th)));
            lo = fn.b.CreateAdd(lo, fn.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y));
            hi = fn.b.CreateAdd(hi, fn.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y));
        }
        const std::int64_t least = w.is_signed ? -(std::int64_t{1} << 31) : 0;
        const std::int64_t most = w.is_signed ? (std::int64_t{1} << 31) - 1 : (std::int64_t{1} << 32) - 1;
        V above = fn.b.CreateICmpSGE(lo, fn.i64(static_cast<std::uint64_t>(least)));
        V below = fn.b.CreateICmpSLE(hi, fn.i64(static_cast<std::uint64_t>(most)));
        holds = fn.b.CreateAnd(holds, fn.b.CreateAnd(above, below));
    }
    return holds;
}

}  // namespace warpwright::engine::codegen
