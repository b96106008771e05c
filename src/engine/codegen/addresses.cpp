// A generic address is one of its space plus the start of that space's window, so that conversions add or subtract the
// start and isspacep compares with it. Offsets of parameters are masked, so that no index leaves their block.
#include "engine/codegen/addresses.hpp"

#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"
#include "engine/shared/requests.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;
using simt::kNone;
using simt::Shape;

void emit_address(FunctionState& fn, const simt::Inst& i) {
    V a;
    if (i.space == simt::Space::local) {
        a = fn.b.CreateAdd(fn.stack, fn.i64(static_cast<std::uint64_t>(i.offset)));
    } else {
        V table = fn.load_field(fn.b.getPtrTy(), fn.ctx, offsetof(BlockContext, variables));
        a = fn.b.CreateAdd(fn.load_field(fn.b.getInt64Ty(), table, 8 * i.symbol),
                           fn.i64(static_cast<std::uint64_t>(i.offset)));
    }
    define(fn, i.out[0], a);
    return;
}

void emit_function_address(FunctionState& fn, const simt::Inst& i) {
    define(fn, i.out[0], fn.i64(simt_function_token(i.symbol)));
}

void emit_generic_address(FunctionState& fn, const simt::Inst& i) {
    if (i.out[0] == kNone) return;
    V window = nullptr;
    if (i.space == simt::Space::shared)
        window = fn.load_field(fn.b.getInt64Ty(), fn.ctx, offsetof(BlockContext, shared_window));
    if (i.space == simt::Space::local)
        window = fn.load_field(fn.b.getInt64Ty(), fn.ctx, offsetof(BlockContext, local_window));
    if (i.space == simt::Space::param && i.kind == InstKind::to_generic)
        window = fn.b.CreatePtrToInt(fn.load_field(fn.b.getPtrTy(), fn.ctx, offsetof(BlockContext, params)),
                                     fn.b.getInt64Ty());
    const bool varying = fn.shapes.of[i.out[0]] == Shape::varying;
    V x = varying ? vector(fn, i.in[0], fn.b.getInt64Ty()) : scalar(fn, i.in[0], fn.b.getInt64Ty());
    if (window) {
        V w = varying ? fn.splat(window) : window;
        x = i.kind == InstKind::to_generic ? fn.b.CreateAdd(x, w) : fn.b.CreateSub(x, w);
    }
    if (i.offset) {
        V o = fn.i64(static_cast<std::uint64_t>(i.offset));
        x = fn.b.CreateAdd(x, varying ? fn.splat(o) : o);
    }
    define(fn, i.out[0], x);
    return;
}

void emit_is_in_space(FunctionState& fn, const simt::Inst& i) {
    V x = vector(fn, i.in[0], fn.b.getInt64Ty());
    auto inside = [&](std::size_t offset, std::uint64_t bytes) {
        V w = fn.load_field(fn.b.getInt64Ty(), fn.ctx, offset);
        return fn.b.CreateICmpULT(fn.b.CreateSub(x, fn.splat(w)), fn.splat(fn.i64(bytes)));
    };
    V in_shared = inside(offsetof(BlockContext, shared_window), kSharedWindows),
      in_local = inside(offsetof(BlockContext, local_window), kWindowBytes);
    const bool own = i.space == simt::Space::shared && !i.ptx->has(simt::Mod::shared_cluster);
    V r = own                              ? inside(offsetof(BlockContext, shared_window), kWindowBytes)
          : i.space == simt::Space::shared ? in_shared
          : i.space == simt::Space::local  ? in_local
          : i.space == simt::Space::global ? fn.b.CreateNot(fn.b.CreateOr(in_shared, in_local))
                                           : static_cast<V>(llvm::Constant::getNullValue(fn.vec(fn.b.getInt1Ty())));
    define(fn, i.out[0], r);
    return;
}

/// The bits of an offset into the block of parameters, which is twice as large.
constexpr std::uint64_t kParameterIndex = ParameterBlock::kBytes / 2 - 1;
static_assert((kParameterIndex & (kParameterIndex + 1)) == 0);

void emit_parameter(FunctionState& fn, const simt::Inst& i) {
    V base = fn.load_field(fn.b.getPtrTy(), fn.ctx, offsetof(BlockContext, params));
    auto t = element(fn, i.type);
    const bool sign = simt::is_signed(i.type);
    // The place in the parameter block is kept within it, whatever the index and the constant offset are (zeros follow
    // the parameters).
    const bool gather = !i.in.empty() && !fn.uniform(i.in[0]);
    V further = fn.i64(static_cast<std::uint64_t>(i.offset)), within = fn.i64(kParameterIndex), offset = nullptr;
    if (gather)
        offset =
            fn.b.CreateAnd(fn.b.CreateAdd(vector(fn, i.in[0], fn.b.getInt64Ty()), fn.splat(further)), fn.splat(within));
    else if (!i.in.empty())
        offset = fn.b.CreateAnd(fn.b.CreateAdd(scalar(fn, i.in[0], fn.b.getInt64Ty()), further), within);
    else
        offset = fn.b.CreateAnd(further, within);
    auto one = [&](V at, std::size_t k) -> V {
        V table = fn.b.CreateGEP(fn.b.getInt8Ty(), base, {at});
        return fn.b.CreateAlignedLoad(t, fn.field(table, k * simt::bytes(i.type)), llvm::Align(1));
    };
    for (std::size_t k = 0; k < i.out.size(); ++k) {
        if (i.out[k] == kNone) continue;
        V x;
        if (gather) {
            x = llvm::PoisonValue::get(fn.vec(t));
            for (unsigned l = 0; l < fn.lanes; ++l)
                x = fn.b.CreateInsertElement(x, one(fn.b.CreateExtractElement(offset, l), k), l);
        } else {
            x = one(offset, k);
        }
        const auto want = value_type(fn, i.out[k]);
        if (sign && want->isIntegerTy() && want->getIntegerBitWidth() > t->getIntegerBitWidth())
            x = fn.b.CreateSExt(x, gather ? fn.vec(want) : want);
        define(fn, i.out[k], x);
    }
}

}  // namespace warpwright::engine::codegen
