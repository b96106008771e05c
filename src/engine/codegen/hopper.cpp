// What sm_90 added: operands of every lane go through memory to C++ functions (async_op.hpp); waits for phases.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <numeric>

#include "engine/codegen/codegen.hpp"
#include "engine/runtime/async_op.hpp"
#include "engine/tensor/wgmma.hpp"

namespace warpwright::engine {

using simt::BlockId;
using simt::InstKind;
using simt::kNone;

namespace {

const simt::Inst* phase_wait(const simt::Block& b) {
    if (!b.sync) return nullptr;
    for (const auto& i : b.insts)
        if (i.kind != InstKind::phi) return i.kind == InstKind::async_wait ? &i : nullptr;
    return nullptr;
}

}  // namespace

/// Lanes of one warp that wait for different phases, and those that are further on, may not overtake each other where
/// they would meet again in a loop: values that are one for the warp would be of two iterations at once. Blocks between
/// which that can happen are one class; its lanes go on together. Lanes that never meet in a loop (a producer's and its
/// consumers', say) are free.
void Codegen::find_phase_waits() {
    phase_class_.assign(f_.blocks.size(), kNoClass);
    std::vector<BlockId> waits;
    for (BlockId b = 0; b < f_.blocks.size(); ++b)
        if (phase_wait(f_.blocks[b])) waits.push_back(b);
    if (waits.empty() || memory_pending_) return;
    std::map<BlockId, std::vector<bool>> known;
    // Blocks in loops that can be reached from b.
    auto loops_from = [&](BlockId b) -> const std::vector<bool>& {
        auto& in = known[b];
        if (!in.empty()) return in;
        std::vector<bool> seen(f_.blocks.size(), false);
        std::vector<BlockId> todo{b};
        seen[b] = true;
        while (!todo.empty()) {
            const auto x = todo.back();
            todo.pop_back();
            for (auto t : f_.blocks[x].end.targets)
                if (!seen[t]) seen[t] = true, todo.push_back(t);
        }
        for (BlockId x = 0; x < f_.blocks.size(); ++x)
            if (f_.blocks[x].loop == kNone) seen[x] = false;
        return in = seen;
    };
    auto meet = [&](BlockId a, BlockId b) {
        const auto &x = loops_from(a), &y = loops_from(b);
        for (BlockId k = 0; k < f_.blocks.size(); ++k)
            if (x[k] && y[k]) return true;
        return false;
    };
    for (auto b : waits) phase_class_[b] = b;
    auto join = [&](BlockId a, BlockId b) {
        const auto from = phase_class_[a], to = phase_class_[b];
        if (from == to) return;
        for (auto& c : phase_class_)
            if (c == from) c = to;
    };
    for (auto a : waits)
        for (auto b : waits)
            if (a < b && meet(a, b)) join(a, b);
    for (auto b : waits)
        for (auto c : frontier_[b]) {
            if (!meet(b, c)) continue;
            if (phase_class_[c] == kNoClass)
                phase_class_[c] = phase_class_[b];
            else
                join(c, b);
        }
}

Codegen::V Codegen::lane_inputs(const simt::Inst& i) {
    V in = buffer(6, std::max<std::uint64_t>(5, i.in.size()) * 8 * lanes_);
    for (unsigned k = 0; k < i.in.size(); ++k)
        b_.CreateAlignedStore(vector_bits(i.in[k], b_.getInt64Ty()), field(in, k * 8 * lanes_), llvm::Align(64));
    return in;
}

Result<unsigned> Codegen::async_form(const simt::Inst& i) {
    auto found = form_of_.find(&i);
    if (found != form_of_.end()) return found->second;
    auto form = decode_async(*i.ptx, static_cast<unsigned>(i.in.size()));
    if (!form) {
        auto e = form.error();
        e.where = {f_.module->name, i.ptx->line, i.ptx->column};
        return e;
    }
    if (form->moves || (options_.check && (i.ptx->op == ptx::Op::st || i.ptx->op == ptx::Op::red))) {
        // What it reads of global memory, and what it writes: sectors only, it is no request of the multiprocessor's.
        for (auto kind : {SiteInfo::Kind::load, SiteInfo::Kind::store}) {
            SiteInfo s;
            s.ptx = i.ptx;
            s.block = at_;
            s.space = ptx::Space::global;
            s.kind = kind;
            s.counted = options_.counters;
            s.requests = 0;
            layout_.sites.push_back(s);
        }
        form->site = layout_.first_site + static_cast<std::uint32_t>(layout_.sites.size()) - 2;
        form->counted = options_.counters;
    }
    return form_index(i, std::make_shared<AsyncForm>(*form));
}

/// mapa: the address, in the window of a rank. getctarank: the rank of an address's window.
void Codegen::cluster_address(const simt::Inst& i) {
    const auto v = i.out[0];
    if (v == kNone) return;
    const bool map = i.ptx->op == ptx::Op::mapa, varying = shapes_.of[v] == simt::Shape::varying;
    const bool generic =
        !i.ptx->has(ptx::Mod::shared_cluster) && !i.ptx->has(ptx::Mod::shared) && !i.ptx->has(ptx::Mod::shared_cta);
    auto t = b_.getInt64Ty();
    auto get = [&](const simt::Operand& o) { return varying ? vector(o, t) : scalar(o, t); };
    auto lift = [&](V x) { return varying ? splat(x) : x; };
    V window = lift(generic ? load_field(t, ctx_, offsetof(BlockContext, shared_window)) : i64(0));
    V inside = b_.CreateSub(get(i.in[0]), window);
    if (map) {
        V offset = b_.CreateAnd(inside, lift(i64(kWindowBytes - 1)));
        V rank = b_.CreateAdd(b_.CreateAnd(get(i.in[1]), lift(i64(0xff))), lift(i64(1)));
        V x = b_.CreateAdd(b_.CreateOr(offset, b_.CreateMul(rank, lift(i64(kWindowBytes)))), window);
        define(v, x);
        return;
    }
    V rank = b_.CreateLShr(inside, lift(i64(__builtin_ctzll(kWindowBytes))));
    V own = lift(b_.CreateZExt(load_field(b_.getInt32Ty(), ctx_, offsetof(BlockContext, cluster_rank)), t));
    V x = b_.CreateSelect(b_.CreateICmpEQ(rank, lift(i64(0))), own, b_.CreateSub(rank, lift(i64(1))));
    define(v, b_.CreateTrunc(x, varying ? static_cast<llvm::Type*>(vec(b_.getInt32Ty())) : b_.getInt32Ty()));
}

Result<void> Codegen::async_op(const simt::Inst& i) {
    if (i.ptx->op == ptx::Op::mapa || i.ptx->op == ptx::Op::getctarank) {
        cluster_address(i);
        return {};
    }
    auto form = async_form(i);
    if (!form) return form.error();
    V mask = copy_ == kFull ? full_mask() : mask_;
    V in = lane_inputs(i), out = buffer(3, std::max<std::uint64_t>(2, i.out.size()) * 8 * lanes_);
    fail_if_zero(runtime<ww_rt_async>({i32(*form), mask64(mask), in, out}));
    for (unsigned k = 0; k < i.out.size(); ++k) {
        const auto v = i.out[k];
        if (v == kNone) continue;
        V x, from = field(out, k * 8 * lanes_);
        if (shapes_.of[v] == simt::Shape::varying) {
            x = b_.CreateAlignedLoad(vec(b_.getInt64Ty()), from, llvm::Align(64));
        } else {
            V lane = b_.CreateIntrinsic(b_.getInt64Ty(), llvm::Intrinsic::cttz, {mask64(mask), b_.getTrue()});
            x = b_.CreateLoad(b_.getInt64Ty(), b_.CreateGEP(b_.getInt64Ty(), from, {lane}));
        }
        if (f_.values[v].type == ptx::Type::pred)
            x = b_.CreateTrunc(
                x, x->getType()->isVectorTy() ? static_cast<llvm::Type*>(vec(b_.getInt1Ty())) : b_.getInt1Ty());
        define(v, adapt(x, value_type(v)));
    }
    return {};
}

/// wgmma.mma_async: done when it is issued, D through memory. The warps of a group each compute their rows.
Result<void> Codegen::matrix_async(const simt::Inst& i) {
    if (lanes_ != 32) return unsupported(i, "matrix instructions need warps of 32 lanes");
    auto form = decode_wgmma(*i.ptx, static_cast<unsigned>(i.in.size()));
    if (!form) {
        auto e = form.error();
        e.where = {f_.module->name, i.ptx->line, i.ptx->column};
        return e;
    }
    if (!layout_.insts.empty() && layout_.insts.back().ptx == i.ptx) layout_.insts.back().matrix_flops = flops(*form);
    V a = buffer(10, 4 * 64 * 32), d = buffer(15, 4 * 128 * 32);
    auto t = b_.getInt64Ty();
    auto one = [&](const simt::Operand& o) -> V {
        if (uniform(o)) return scalar(o, t);
        V lane = copy_ == kFull ? static_cast<V>(i64(0))
                                : b_.CreateIntrinsic(t, llvm::Intrinsic::cttz, {mask64(mask_), b_.getTrue()});
        return b_.CreateExtractElement(vector(o, t), lane);
    };
    unsigned next = 0;
    // One product after the other into the same accumulators: they lie there still, and nobody reads what was taken
    // between.
    const auto first = i.in.begin();
    const bool there = copy_ == kFull && accumulators_.size() == form->d_words &&
                       std::equal(accumulators_.begin(), accumulators_.end(), first,
                                  [](simt::ValueId v, const simt::Operand& o) { return o.is_value() && o.value == v; });
    if (!there)
        for (unsigned w = 0; w < form->d_words; ++w) put_fragment(d, w, i.in[w]);
    next = form->d_words;
    V a_descriptor = i64(0);
    if (form->a_registers)
        for (unsigned w = 0; w < 4; ++w) put_fragment(a, w, i.in[next++]);
    else
        a_descriptor = one(i.in[next++]);
    V b_descriptor = one(i.in[next++]);
    V metadata = llvm::ConstantPointerNull::get(b_.getPtrTy());
    if (form->sparse) {
        metadata = buffer(14, 4 * lanes_);
        put_fragment(metadata, 0, i.in[next]);
        next += 2;  // and the selector
    }
    const auto& scale = i.in[next];
    V accumulate;
    if (!scale.is_value() || uniform(scale)) {
        accumulate = b_.CreateZExt(scalar(scale, b_.getInt1Ty()), b_.getInt32Ty());
    } else {
        V active = copy_ == kFull ? full_mask() : mask_;
        V bits = b_.CreateAnd(mask_bits(vector(scale, b_.getInt1Ty())), active);
        accumulate = b_.CreateZExt(b_.CreateICmpNE(bits, mask_constant(0)), b_.getInt32Ty());
    }
    if (options_.check && !form_of_.count(&i)) {
        SiteInfo s;
        s.ptx = i.ptx;
        s.block = at_;
        s.space = ptx::Space::shared;
        s.bytes = 16;
        s.counted = false;
        layout_.sites.push_back(s);
        form->site = layout_.first_site + static_cast<std::uint32_t>(layout_.sites.size()) - 1;
    }
    const auto index = form_index(i, std::make_shared<WgmmaForm>(*form));
    fail_if_zero(runtime<ww_rt_wgmma>({i32(index), a_descriptor, b_descriptor, accumulate, a, metadata, d}));
    take_fragment(d, i.out);
    accumulators_ = i.out;
    return {};
}

/// Start of a masked copy of a block that waits for a phase: the lanes here wait, all of them, and the lanes pending
/// further on that must not overtake them.
void Codegen::phase_wait_partial(BlockId b, const simt::Inst& i) {
    auto form = async_form(i);
    if (!form) return;  // inst() reports it
    V answer = runtime<ww_rt_phase_wait>({i32(*form), i32(b), i32(phase_class_[b]), mask64(mask_), lane_inputs(i)});
    auto known = new_block("known"), over = new_block("over"), parked = new_block("parked");
    b_.CreateCondBr(b_.CreateICmpEQ(answer, i32(1)), over, known);
    b_.SetInsertPoint(known);
    b_.CreateCondBr(b_.CreateICmpEQ(answer, i32(0)), error_, parked);
    b_.SetInsertPoint(parked);
    if (phase_class_[b] != kNoClass)
        for (auto c : frontier_[b]) {
            if (c == b || phase_class_[c] != phase_class_[b]) continue;
            runtime<ww_rt_phase_behind>({i32(c), i32(phase_class_[b]), mask64(load_pending(c))});
            store_pending(c, mask_constant(0));
        }
    dispatch(b, {}, false);
    b_.SetInsertPoint(over);
}

Result<void> Codegen::async_wait(BlockId b, const simt::Inst& i) {
    auto form = async_form(i);
    if (!form) return form.error();
    if (copy_ == kFull) {
        auto check = new_block("check"), known = new_block("known"), over = new_block("over"), wait = new_block("wait"),
             again = new_block("again");
        b_.CreateBr(check);
        b_.SetInsertPoint(check);
        V answer = runtime<ww_rt_phase_wait>(
            {i32(*form), i32(kPickedNone), i32(kNoClass), mask64(full_mask()), lane_inputs(i)});
        b_.CreateCondBr(b_.CreateICmpEQ(answer, i32(1)), over, known, weights(true));
        b_.SetInsertPoint(known);
        b_.CreateCondBr(b_.CreateICmpEQ(answer, i32(0)), error_, wait);
        b_.SetInsertPoint(wait);
        const auto keep = live_with_phis(b);
        save(keep);
        const auto point = ++resume_points_;
        b_.CreateStore(i32(point), field(frame_, offsetof(WarpFrame, resume)));
        b_.CreateRet(i32(static_cast<unsigned>(Status::phase)));
        resume_switch_->addCase(b_.getInt32(point), again);
        b_.SetInsertPoint(again);
        restore(keep);
        b_.CreateBr(check);
        b_.SetInsertPoint(over);
    }
    if (!i.out.empty() && i.out[0] != kNone) define(i.out[0], b_.getTrue());
    return {};
}

}  // namespace warpwright::engine
