// Instructions are decoded when the code is generated, and the code names the form by its number. mapa and getctarank
// are computed in place, and consecutive wgmma leave their accumulators in the buffer.
#include "engine/codegen/hopper.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "engine/codegen/checked_access.hpp"
#include "engine/codegen/counting.hpp"
#include "engine/codegen/matrix.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/sites.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"
#include "engine/shared/async_form.hpp"
#include "engine/tensor/wgmma.hpp"

namespace warpwright::engine::codegen {

using simt::kNone;

V lane_inputs(FunctionState& fn, const simt::Inst& i) {
    V in = fn.buffer(6, std::max<std::uint64_t>(5, i.in.size()) * 8 * fn.lanes);
    for (unsigned k = 0; k < i.in.size(); ++k) {
        V x = vector_bits(fn, i.in[k], fn.b.getInt64Ty());
        fn.b.CreateAlignedStore(x, fn.field(in, k * 8 * fn.lanes), llvm::Align(64));
    }
    return in;
}

Result<unsigned> async_form(FunctionState& fn, const simt::Inst& i) {
    auto found = fn.form_of.find(&i);
    if (found != fn.form_of.end()) return found->second;
    auto form = decode_async(*i.ptx, static_cast<unsigned>(i.in.size()));
    if (!form) return fn.located(form.error(), i);
    if (form->moves || (fn.options.check && (i.ptx->op == simt::Op::st || i.ptx->op == simt::Op::red))) {
        // The global memory that it reads and writes: it counts sectors only, because it is no request of the load and
        // store units.
        for (auto kind : {SiteInfo::Kind::load, SiteInfo::Kind::store}) {
            auto s = site_at(fn, i, simt::Space::global);
            s.kind = kind;
            s.counted = fn.options.counters;
            s.requests = 0;
            add_site(fn, s);
        }
        form->site = fn.layout.first_site + static_cast<std::uint32_t>(fn.layout.sites.size()) - 2;
        form->counted = fn.options.counters;
    }
    return form_index(fn, i, std::make_shared<AsyncForm>(*form));
}

namespace {

/// What mapa makes of a rank that no cluster has: no place in memory, as simt_function_token() is none.
constexpr std::uint64_t kNoSharedWindow = 0x7ffd'0000'0000'0000ull;

/// mapa: the address, in the window of a rank. getctarank: the rank of an address's window.
void cluster_address(FunctionState& fn, const simt::Inst& i) {
    const auto v = i.out[0];
    if (v == kNone) return;
    const bool map = i.ptx->op == simt::Op::mapa, varying = fn.shapes.of[v] == simt::Shape::varying;
    const bool generic =
        !i.ptx->has(simt::Mod::shared_cluster) && !i.ptx->has(simt::Mod::shared) && !i.ptx->has(simt::Mod::shared_cta);
    auto t = fn.b.getInt64Ty();
    auto get = [&](const simt::Operand& o) { return varying ? vector(fn, o, t) : scalar(fn, o, t); };
    auto lift = [&](V x) { return varying ? fn.splat(x) : x; };
    V window = lift(generic ? fn.load_field(t, fn.ctx, offsetof(BlockContext, shared_window)) : fn.i64(0));
    V inside = fn.b.CreateSub(get(i.in[0]), window);
    if (map) {
        V offset = fn.b.CreateAnd(inside, lift(fn.i64(kWindowBytes - 1)));
        V rank = fn.b.CreateAnd(get(i.in[1]), lift(fn.i64(0xffffffff)));
        V base =
            fn.b.CreateAdd(fn.b.CreateMul(fn.b.CreateAdd(rank, lift(fn.i64(1))), lift(fn.i64(kWindowBytes))), window);
        // Of a rank that no cluster has, the address is nowhere, so that its use is a fault: compilers may compute an
        // address that only some lanes use.
        V exists = fn.b.CreateICmpULT(rank, lift(fn.i64(kMostClusterBlocks)));
        V nowhere = lift(fn.i64(generic ? kNoSharedWindow : 0xff * kWindowBytes));
        define(fn, v, fn.b.CreateAdd(fn.b.CreateSelect(exists, base, nowhere), offset));
        return;
    }
    V rank = fn.b.CreateLShr(inside, lift(fn.i64(__builtin_ctzll(kWindowBytes))));
    V own = lift(fn.b.CreateZExt(fn.load_field(fn.b.getInt32Ty(), fn.ctx, offsetof(BlockContext, cluster_rank)), t));
    V in_own_window = fn.b.CreateICmpEQ(rank, lift(fn.i64(0))), other = fn.b.CreateSub(rank, lift(fn.i64(1)));
    V x = fn.b.CreateSelect(in_own_window, own, other);
    define(fn, v,
           fn.b.CreateTrunc(x, varying ? static_cast<llvm::Type*>(fn.vec(fn.b.getInt32Ty())) : fn.b.getInt32Ty()));
}

/// Consecutive products into the same accumulators: they are still in the buffer, and nothing read the values in
/// between.
bool accumulators_there(const FunctionState& fn, const simt::Inst& i, std::size_t words) {
    const auto& last = fn.at.accumulators;
    return fn.at.converged && last.size() == words &&
           std::equal(last.begin(), last.end(), i.in.begin(),
                      [](simt::ValueId v, const simt::Operand& o) { return o.is_value() && o.value == v; });
}

/// scale-d, as i32: whether D is an addend.
V adds_to_d(FunctionState& fn, const simt::Operand& scale) {
    if (!scale.is_value() || fn.uniform(scale))
        return fn.b.CreateZExt(scalar(fn, scale, fn.b.getInt1Ty()), fn.b.getInt32Ty());
    V active = fn.active();
    V bits = fn.b.CreateAnd(mask_bits(fn, vector(fn, scale, fn.b.getInt1Ty())), active);
    return fn.b.CreateZExt(fn.b.CreateICmpNE(bits, fn.mask_constant(0)), fn.b.getInt32Ty());
}

}  // namespace

Result<void> emit_async_operation(FunctionState& fn, const simt::Inst& i) {
    if (i.ptx->op == simt::Op::mapa || i.ptx->op == simt::Op::getctarank) {
        cluster_address(fn, i);
        return {};
    }
    if (fn.options.check) check_copies(fn, i);
    auto form = async_form(fn, i);
    if (!form) return form.error();
    V mask = fn.active();
    V in = lane_inputs(fn, i), out = fn.buffer(3, std::max<std::uint64_t>(2, i.out.size()) * 8 * fn.lanes);
    fail_if_zero(fn, call<ww_rt_async>(fn, {fn.i32(*form), fn.mask64(mask), in, out}));
    for (unsigned k = 0; k < i.out.size(); ++k) {
        const auto v = i.out[k];
        if (v == kNone) continue;
        V x, from = fn.field(out, k * 8 * fn.lanes);
        if (fn.shapes.of[v] == simt::Shape::varying) {
            x = fn.b.CreateAlignedLoad(fn.vec(fn.b.getInt64Ty()), from, llvm::Align(64));
        } else {
            V lane = fn.b.CreateIntrinsic(fn.b.getInt64Ty(), llvm::Intrinsic::cttz, {fn.mask64(mask), fn.b.getTrue()});
            x = fn.b.CreateLoad(fn.b.getInt64Ty(), fn.b.CreateGEP(fn.b.getInt64Ty(), from, {lane}));
        }
        if (fn.ir.values[v].type == simt::Type::pred)
            x = fn.b.CreateTrunc(
                x, x->getType()->isVectorTy() ? static_cast<llvm::Type*>(fn.vec(fn.b.getInt1Ty())) : fn.b.getInt1Ty());
        define(fn, v, adapt(fn, x, value_type(fn, v)));
    }
    return {};
}

Result<void> emit_wgmma(FunctionState& fn, const simt::Inst& i) {
    if (fn.lanes != 32) return fn.unsupported(i, "matrix instructions need warps of 32 lanes");
    auto form = decode_wgmma(*i.ptx, static_cast<unsigned>(i.in.size()));
    if (!form) return fn.located(form.error(), i);
    count_matrix_flops(fn, i, flops(*form));
    V a = fn.buffer(10, 4 * 64 * 32), d = fn.buffer(15, 4 * 128 * 32);
    auto t = fn.b.getInt64Ty();
    auto one = [&](const simt::Operand& o) -> V {
        if (fn.uniform(o)) return scalar(fn, o, t);
        V lane = fn.at.converged
                     ? static_cast<V>(fn.i64(0))
                     : fn.b.CreateIntrinsic(t, llvm::Intrinsic::cttz, {fn.mask64(fn.at.mask), fn.b.getTrue()});
        return fn.b.CreateExtractElement(vector(fn, o, t), lane);
    };
    unsigned next = 0;
    const bool there = accumulators_there(fn, i, form->d_words);
    if (!there)
        for (unsigned w = 0; w < form->d_words; ++w) put_fragment(fn, d, w, i.in[w]);
    next = form->d_words;
    V a_descriptor = fn.i64(0);
    if (form->a_registers)
        for (unsigned w = 0; w < 4; ++w) put_fragment(fn, a, w, i.in[next++]);
    else
        a_descriptor = one(i.in[next++]);
    V b_descriptor = one(i.in[next++]);
    V metadata = llvm::ConstantPointerNull::get(fn.b.getPtrTy());
    if (form->sparse) {
        metadata = fn.buffer(14, 4 * fn.lanes);
        put_fragment(fn, metadata, 0, i.in[next]);
        next += 2;  // and the selector
    }
    const auto& scale = i.in[next];
    V accumulate = adds_to_d(fn, scale);
    if (fn.options.check && !fn.form_of.count(&i)) {
        auto s = site_at(fn, i, simt::Space::shared);
        s.bytes = 16;
        s.counted = false;
        form->site = fn.layout.first_site + add_site(fn, s);
    }
    const auto index = form_index(fn, i, std::make_shared<WgmmaForm>(*form));
    fail_if_zero(fn, call<ww_rt_wgmma>(fn, {fn.i32(index), a_descriptor, b_descriptor, accumulate, a, metadata, d}));
    take_fragment(fn, d, i.out);
    fn.at.accumulators = i.out;
    return {};
}

}  // namespace warpwright::engine::codegen
