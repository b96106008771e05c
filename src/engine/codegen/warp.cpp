// What lanes do together: shuffles, votes, barriers, waiting, calls.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

#include "engine/codegen/codegen.hpp"

namespace warpwright::engine {

using ptx::Mod;
using simt::InstKind;
using simt::kNone;
using simt::Operand;
using simt::Shape;

Result<void> Codegen::warp_op(const simt::Inst& i) {
    V active = copy_ == kFull ? full_mask() : mask_;
    auto put = [&](std::size_t k, V x) {
        if (k < i.out.size() && i.out[k] != kNone) define(i.out[k], x);
    };
    const bool sync = i.ptx->has(Mod::sync);
    if (options_.check && !i.in.empty()) {
        if (i.kind == InstKind::warp_barrier || i.kind == InstKind::elect)
            check_members(i, i.in[0], active);
        else if (sync && i.kind != InstKind::active_mask)
            check_members(i, i.in.back(), active);
        if (i.kind == InstKind::shuffle && copy_ == kPartial) check_shuffle(i, active);
    }
    switch (i.kind) {
        case InstKind::warp_barrier:
            return {};
        case InstKind::active_mask:
            put(0, active);
            return {};
        case InstKind::shuffle:
            return shuffle(i);
        case InstKind::vote: {
            V bits = b_.CreateAnd(mask_bits(vector(i.in[0], b_.getInt1Ty())), active);
            const bool same = !sync || uniform(i.in[1]);
            auto lift = [&](V x) { return same ? x : splat(x); };
            V member = !sync ? active : same ? scalar(i.in[1], mask_type_) : vector(i.in[1], mask_type_);
            V yes = b_.CreateAnd(lift(bits), member);
            V no = b_.CreateAnd(lift(b_.CreateAnd(b_.CreateNot(bits), active)), member);
            V zero = llvm::Constant::getNullValue(yes->getType());
            V all = b_.CreateICmpEQ(no, zero), any = b_.CreateICmpNE(yes, zero);
            if (i.ptx->has(Mod::ballot))
                put(0, yes);
            else if (i.ptx->has(Mod::all))
                put(0, all);
            else if (i.ptx->has(Mod::any))
                put(0, any);
            else if (i.ptx->has(Mod::uni))
                put(0, b_.CreateOr(all, b_.CreateNot(any)));
            else
                return unsupported(i, "this vote mode is not supported");
            return {};
        }
        case InstKind::match:
        case InstKind::reduce: {
            const bool wide = ptx::bits(i.ptx->type(0)) == 64;
            V values = buffer(0, 8 * lanes_), masks = buffer(1, 8 * lanes_), out = buffer(3, 8 * lanes_),
              flags = buffer(2, 8 * lanes_);
            auto t = b_.getInt64Ty();
            V x = wide ? vector_bits(i.in[0], t)
                       : static_cast<V>(b_.CreateZExt(vector_bits(i.in[0], b_.getInt32Ty()), vec(t)));
            b_.CreateAlignedStore(x, values, llvm::Align(64));
            b_.CreateAlignedStore(vector(i.in[1], t), masks, llvm::Align(64));
            unsigned op = 0;
            if (i.kind == InstKind::match) {
                op = i.ptx->has(Mod::all) ? 1 : 0;
                runtime<ww_rt_match>({i32(op), values, masks, mask64(active), out, flags});
                put(0, b_.CreateTrunc(b_.CreateAlignedLoad(vec(t), out, llvm::Align(64)), vec(b_.getInt32Ty())));
                if (i.out.size() > 1)
                    put(1, b_.CreateICmpNE(b_.CreateAlignedLoad(vec(t), flags, llvm::Align(64)), splat(i64(0))));
                return {};
            }
            const auto type = i.ptx->type(0);
            const bool sign = ptx::is_signed(type), real = ptx::is_float(type);
            if (i.ptx->has(Mod::add))
                op = 0;
            else if (i.ptx->has(Mod::min))
                op = real ? 6 : sign ? 2 : 1;
            else if (i.ptx->has(Mod::max))
                op = real ? 7 : sign ? 4 : 3;
            else if (i.ptx->has(Mod::and_))
                op = 8;
            else if (i.ptx->has(Mod::or_))
                op = 9;
            else if (i.ptx->has(Mod::xor_))
                op = 10;
            else
                return unsupported(i, "this reduction is not supported");
            const unsigned flags_bits = (i.ptx->has(Mod::abs) ? 1u : 0u) | (i.ptx->has(Mod::nan_) ? 2u : 0u);
            runtime<ww_rt_redux>({i32(op), i32(flags_bits), values, masks, mask64(active), out});
            V r = b_.CreateTrunc(b_.CreateAlignedLoad(vec(t), out, llvm::Align(64)), vec(b_.getInt32Ty()));
            if (i.out[0] != kNone && scalar_kind(i.out[0])) {
                // Every participating lane has the same; the first active one is surely right.
                V lane = b_.CreateIntrinsic(b_.getInt64Ty(), llvm::Intrinsic::cttz, {mask64(active), b_.getTrue()});
                put(0, b_.CreateExtractElement(r, lane));
            } else {
                put(0, r);
            }
            return {};
        }
        case InstKind::elect: {
            V member = b_.CreateAnd(scalar(i.in[0], mask_type_), active);
            V leader = b_.CreateIntrinsic(mask_type_, llvm::Intrinsic::cttz, {member, b_.getFalse()});
            put(0, b_.CreateZExtOrTrunc(leader, b_.getInt32Ty()));
            if (i.out.size() > 1) {
                simt::LaneVector l{};
                for (unsigned k = 0; k < lanes_; ++k) l[k] = k;
                put(1, b_.CreateICmpEQ(lane_constant(l, lanes_), splat(leader)));
            }
            return {};
        }
        default:
            return unsupported(i, "is not executed by this version of the emulated GPU");
    }
}

/// Source lane of every lane within its 32, worked out at run time; `in`: whether it was in range.
Codegen::V Codegen::shuffle_sources(const simt::Inst& i, V& in) {
    const bool up = i.ptx->has(Mod::up), down = i.ptx->has(Mod::down), bfly = i.ptx->has(Mod::bfly);
    auto word = b_.getInt32Ty();
    simt::LaneVector own{};
    for (unsigned k = 0; k < lanes_; ++k) own[k] = k & 31;
    V lane = lane_constant(own, 32), five = splat(i32(31));
    V by = b_.CreateAnd(vector(i.in[1], word), five), c = vector(i.in[2], word);
    V segment = b_.CreateAnd(b_.CreateLShr(c, splat(i32(8))), five), rest = b_.CreateNot(segment);
    V first = b_.CreateAnd(lane, segment);
    V top = b_.CreateOr(first, b_.CreateAnd(b_.CreateAnd(c, five), rest));
    V j = up     ? b_.CreateSub(lane, by)
          : down ? b_.CreateAdd(lane, by)
          : bfly ? b_.CreateXor(lane, by)
                 : b_.CreateOr(first, b_.CreateAnd(by, rest));
    in = up ? b_.CreateICmpSGE(j, top) : b_.CreateICmpSLE(j, top);
    return b_.CreateSelect(in, j, lane);
}

/// Words in another order within each 32 lanes, by AVX-512's permutation of 16 from 32.
Codegen::V Codegen::permute(V words, V from) {
    auto sixteen = [&](V x, unsigned first) {
        std::vector<int> lanes(16);
        for (unsigned k = 0; k < 16; ++k) lanes[k] = static_cast<int>(first + k);
        return b_.CreateShuffleVector(x, lanes);
    };
    std::vector<V> parts;
    for (unsigned first = 0; first < lanes_; first += 16)
        parts.push_back(b_.CreateIntrinsic(
            llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
            {sixteen(words, first & ~31u), sixteen(from, first), sixteen(words, (first & ~31u) + 16)}));
    while (parts.size() > 1) {
        std::vector<V> joined;
        for (std::size_t k = 0; k < parts.size(); k += 2) {
            std::vector<int> both(2 * llvm::cast<llvm::FixedVectorType>(parts[k]->getType())->getNumElements());
            for (std::size_t n = 0; n < both.size(); ++n) both[n] = static_cast<int>(n);
            joined.push_back(b_.CreateShuffleVector(parts[k], parts[k + 1], both));
        }
        parts = joined;
    }
    return parts[0];
}

/// Source lane of every lane, and whether it was in range (ISA: shfl.sync).
Result<void> Codegen::shuffle(const simt::Inst& i) {
    const bool up = i.ptx->has(Mod::up), down = i.ptx->has(Mod::down), bfly = i.ptx->has(Mod::bfly);
    auto word = b_.getInt32Ty();
    V a = vector_bits(i.in[0], word);
    if (i.in[1].is_integer() && i.in[2].is_integer()) {
        std::vector<int> from;
        std::vector<llvm::Constant*> good;
        const unsigned b = i.in[1].bits & 31, c = static_cast<unsigned>(i.in[2].bits);
        const unsigned clamp = c & 31, segment = c >> 8 & 31;
        for (unsigned lane = 0; lane < lanes_; ++lane) {
            const unsigned l = lane & 31, top = (l & segment) | (clamp & ~segment), low = l & segment;
            int j;
            bool p;
            if (up) {
                j = static_cast<int>(l) - static_cast<int>(b);
                p = j >= static_cast<int>(top);
            } else if (down) {
                j = static_cast<int>(l + b);
                p = j <= static_cast<int>(top);
            } else if (bfly) {
                j = static_cast<int>(l ^ b);
                p = j <= static_cast<int>(top);
            } else {
                j = static_cast<int>(low | (b & ~segment));
                p = j <= static_cast<int>(top);
            }
            from.push_back(p ? j + static_cast<int>(lane & ~31u) : static_cast<int>(lane));
            good.push_back(p ? b_.getTrue() : b_.getFalse());
        }
        if (i.out[0] != kNone) define(i.out[0], b_.CreateShuffleVector(a, from));
        if (i.out.size() > 1 && i.out[1] != kNone) define(i.out[1], llvm::ConstantVector::get(good));
        return {};
    }
    if (options_.permutes && lanes_ % 32 == 0) {
        V in = nullptr, from = shuffle_sources(i, in);
        if (i.out[0] != kNone) define(i.out[0], permute(a, from));
        if (i.out.size() > 1 && i.out[1] != kNone) define(i.out[1], in);
        return {};
    }
    V values = buffer(0, 8 * lanes_), lanes = buffer(1, 8 * lanes_), clamps = buffer(2, 8 * lanes_),
      out = buffer(3, 8 * lanes_), flags = buffer(5, 8 * lanes_);
    b_.CreateAlignedStore(a, values, llvm::Align(64));
    b_.CreateAlignedStore(vector(i.in[1], word), lanes, llvm::Align(64));
    b_.CreateAlignedStore(vector(i.in[2], word), clamps, llvm::Align(64));
    runtime<ww_rt_shuffle>({i32(up ? 0 : down ? 1 : bfly ? 2 : 3), i32(lanes_), values, lanes, clamps, out, flags});
    if (i.out[0] != kNone) define(i.out[0], b_.CreateAlignedLoad(vec(word), out, llvm::Align(64)));
    if (i.out.size() > 1 && i.out[1] != kNone)
        define(i.out[1], b_.CreateICmpNE(b_.CreateAlignedLoad(vec(word), flags, llvm::Align(64)), splat(i32(0))));
    return {};
}

/// Start of a block that begins with a warp-level instruction, in the partial copy: all lanes it names must be here.
void Codegen::warp_wait(simt::BlockId b, const simt::Inst& i) {
    V live = b_.CreateTrunc(load_field(b_.getInt64Ty(), frame_, offsetof(WarpFrame, live)), mask_type_);
    V need = live;
    const Operand* member = nullptr;
    if (i.kind == InstKind::warp_barrier || i.kind == InstKind::elect) member = &i.in[0];
    if (i.kind == InstKind::shuffle || i.kind == InstKind::vote || i.kind == InstKind::match ||
        i.kind == InstKind::reduce)
        member = &i.in.back();
    if (member) {
        V m;
        if (uniform(*member)) {
            m = scalar(*member, mask_type_);
        } else {
            V lane = b_.CreateIntrinsic(mask_type_, llvm::Intrinsic::cttz, {mask_, b_.getTrue()});
            m = b_.CreateExtractElement(vector(*member, mask_type_), lane);
        }
        need = b_.CreateAnd(m, live);
    }
    V waits = load_field(b_.getInt32Ty(), frame_, offsetof(WarpFrame, waits));
    V alone = b_.CreateAnd(b_.CreateICmpEQ(b_.CreateAnd(need, b_.CreateNot(mask_)), mask_constant(0)),
                           b_.CreateICmpEQ(waits, i32(0)));
    auto ask = new_block("ask"), wait = new_block("wait"), all_here = new_block("all_here");
    auto from = b_.GetInsertBlock();
    b_.CreateCondBr(alone, all_here, ask, weights(true));
    b_.SetInsertPoint(ask);
    V got = b_.CreateTrunc(rare<ww_rt_warp_wait>({i32(b), mask64(mask_), mask64(need)}), mask_type_);
    auto from_ask = b_.GetInsertBlock();
    b_.CreateCondBr(b_.CreateICmpNE(got, mask_constant(0)), all_here, wait);
    b_.SetInsertPoint(wait);
    dispatch(b, {}, false);
    b_.SetInsertPoint(all_here);
    auto phi = b_.CreatePHI(mask_type_, 2);
    phi->addIncoming(mask_, from);
    phi->addIncoming(got, from_ask);
    mask_ = phi;
}

/// bar.red's result from what the runtime left in the frame.
Codegen::V Codegen::barrier_result(const simt::Inst& i) {
    V count = load_field(b_.getInt32Ty(), frame_, offsetof(WarpFrame, barrier_result));
    if (i.ptx->has(Mod::popc_)) return count;
    if (i.ptx->has(Mod::or_)) return b_.CreateICmpNE(count, i32(0));
    return b_.CreateICmpEQ(count, load_field(b_.getInt32Ty(), frame_, offsetof(WarpFrame, barrier_total)));
}

/// A barrier's number or thread count for the whole warp. In a register that may differ between lanes, as far as is
/// known ahead, the active lanes are compared.
Codegen::V Codegen::agreed(const Operand& o, V active, unsigned site) {
    auto type = b_.getInt32Ty();
    if (uniform(o)) return scalar(o, type);
    V all = vector(o, type);
    V one = b_.CreateExtractElement(all, b_.CreateIntrinsic(mask_type_, llvm::Intrinsic::cttz, {active, b_.getTrue()}));
    V others = b_.CreateAnd(mask_bits(b_.CreateICmpNE(all, splat(one))), active);
    auto differ = new_block("differ"), agree = new_block("agree");
    b_.CreateCondBr(b_.CreateICmpNE(others, mask_constant(0)), differ, agree, weights(false));
    b_.SetInsertPoint(differ);
    rare<ww_rt_bar_differs>({i32(layout_.first_barrier + site), mask64(others)});
    b_.CreateBr(error_);
    b_.SetInsertPoint(agree);
    return one;
}

Result<void> Codegen::barrier(simt::BlockId b, const simt::Inst& i) {
    const auto site = barrier_index(i);
    V active = copy_ == kFull ? full_mask() : mask_;
    V id = agreed(i.in[0], active, site);
    V count = i.in[1].kind == Operand::Kind::none ? i32(0) : agreed(i.in[1], active, site);
    V holds =
        i.ptx->has(Mod::red) ? b_.CreateAnd(mask_bits(vector(i.in[2], b_.getInt1Ty())), active) : mask_constant(0);
    if (i.ptx->has(Mod::arrive)) {
        fail_if_zero(runtime<ww_rt_bar_arrive>({i32(layout_.first_barrier + site), id, count, mask64(active)}));
        return {};
    }
    const auto next = f_.blocks[b].end.targets[0];
    auto set_outs = [&] {
        for (auto v : i.out)
            if (v != kNone) define(v, barrier_result(i));
    };
    ended_ = true;
    if (copy_ == kPartial) {
        phi_copies(b, next, mask_);
        fail_if_zero(runtime<ww_rt_bar_wait>({i32(layout_.first_barrier + site), i32(next), id, count, mask64(active),
                                              mask64(holds),
                                              i32(i.ptx->has(Mod::aligned) || i.ptx->op == ptx::Op::bar ? 1 : 0)}));
        dispatch(b, {}, false);
        return {};
    }
    const bool known = i.in[0].is_integer() && i.in[0].bits < 16;
    if (options_.single_warp && known && i.in[1].kind == Operand::Kind::none && !i.ptx->has(Mod::red)) {
        phi_copies(b, next, nullptr);
        b_.CreateBr(full_[next]);
        return {};
    }
    phi_copies(b, next, nullptr);
    auto put32 = [&](std::size_t offset, V x) { b_.CreateStore(x, field(frame_, offset)); };
    const bool plain =
        i.in[0].is_integer() && i.in[0].bits == 0 && i.in[1].kind == Operand::Kind::none && !i.ptx->has(Mod::red);
    if (!plain) {
        put32(offsetof(WarpFrame, barrier_id), id);
        put32(offsetof(WarpFrame, barrier_count), count);
    }
    put32(offsetof(WarpFrame, barrier_site), i32(layout_.first_barrier + site));
    if (i.ptx->has(Mod::red)) b_.CreateStore(mask64(holds), field(frame_, offsetof(WarpFrame, barrier_true)));
    auto keep = live_with_phis(next);
    save(keep);
    const auto point = ++resume_points_;
    put32(offsetof(WarpFrame, resume), i32(point));
    b_.CreateRet(i32(static_cast<unsigned>(plain ? Status::barrier_all : Status::barrier)));
    auto again = new_block("released");
    resume_switch_->addCase(b_.getInt32(point), again);
    b_.SetInsertPoint(again);
    restore(keep);
    set_outs();
    b_.CreateBr(full_[next]);
    return {};
}

unsigned Codegen::barrier_index(const simt::Inst& i) {
    for (unsigned k = 0; k < layout_.barriers.size(); ++k)
        if (layout_.barriers[k] == i.ptx) return k;
    layout_.barriers.push_back(i.ptx);
    return static_cast<unsigned>(layout_.barriers.size() - 1);
}

std::string Codegen::function_symbol(std::uint32_t callee) const { return options_.prefix + std::to_string(callee); }

Result<void> Codegen::call(const simt::Inst& i) {
    auto type =
        llvm::FunctionType::get(b_.getInt32Ty(), {b_.getPtrTy(), b_.getPtrTy(), mask_type_, b_.getInt64Ty()}, false);
    V stack = b_.CreateAdd(stack_, i64(f_.local_bytes));
    auto one = [&](std::uint32_t callee, V lanes) {
        auto function = module_.getOrInsertFunction(function_symbol(callee), type);
        fail_if_zero(runtime<ww_rt_enter>({i32(layout_.first_block + at_), stack}));
        V status = b_.CreateCall(function, {ctx_, frame_, lanes, stack});
        runtime<ww_rt_left>();
        fail_if_zero(
            b_.CreateZExt(b_.CreateICmpNE(status, i32(static_cast<unsigned>(Status::error))), b_.getInt32Ty()));
    };
    if (i.symbol != kNone) {
        one(i.symbol, mask_);
    } else {
        V targets = vector(i.in[0], b_.getInt64Ty());
        auto loop = new_block("each_target"), done = new_block("called"), wrong = new_block("no_function");
        auto from = b_.GetInsertBlock();
        b_.CreateBr(loop);
        b_.SetInsertPoint(loop);
        auto rest = b_.CreatePHI(mask_type_, 2);
        rest->addIncoming(mask_, from);
        V leader = b_.CreateIntrinsic(mask_type_, llvm::Intrinsic::cttz, {rest, b_.getTrue()});
        V target = b_.CreateExtractElement(targets, leader);
        V same = b_.CreateAnd(mask_bits(b_.CreateICmpEQ(targets, splat(target))), rest);
        auto next = new_block("next_target");
        auto choose = b_.CreateSwitch(target, wrong, static_cast<unsigned>(f_.callees.size()));
        std::vector<std::uint32_t> seen;
        for (auto callee : f_.callees) {
            if (std::find(seen.begin(), seen.end(), callee) != seen.end()) continue;
            seen.push_back(callee);
            auto go = new_block("target");
            choose->addCase(b_.getInt64(simt_function_token(callee)), go);
            b_.SetInsertPoint(go);
            one(callee, same);
            b_.CreateBr(next);
        }
        b_.SetInsertPoint(wrong);
        rare<ww_rt_bad_call>({i32(layout_.first_block + at_), target});
        b_.CreateBr(error_);
        b_.SetInsertPoint(next);
        V left = b_.CreateAnd(rest, b_.CreateNot(same));
        rest->addIncoming(left, next);
        b_.CreateCondBr(b_.CreateICmpNE(left, mask_constant(0)), loop, done);
        b_.SetInsertPoint(done);
    }
    // Lanes may have exited inside.
    V live = b_.CreateTrunc(load_field(b_.getInt64Ty(), frame_, offsetof(WarpFrame, live)), mask_type_);
    mask_ = b_.CreateAnd(mask_, live);
    auto on = new_block("on"), gone = new_block("gone");
    b_.CreateCondBr(b_.CreateICmpNE(mask_, mask_constant(0)), on, gone, weights(true));
    b_.SetInsertPoint(gone);
    dispatch(at_, {}, false);
    b_.SetInsertPoint(on);
    return {};
}

Result<void> Codegen::system_call(const simt::Inst& i) {
    V active = copy_ == kFull ? full_mask() : mask_;
    auto t = b_.getInt64Ty();
    V in = buffer(6, std::max<std::uint64_t>(5, i.in.size()) * 8 * lanes_), out = buffer(3, 8 * lanes_);
    for (unsigned k = 0; k < i.in.size(); ++k)
        b_.CreateAlignedStore(vector_bits(i.in[k], t), field(in, k * 8 * lanes_), llvm::Align(64));
    fail_if_zero(runtime<ww_rt_system_call>(
        {i32(static_cast<unsigned>(i.system)), i32(layout_.first_block + at_), mask64(active), in, out}));
    if (!i.out.empty() && i.out[0] != kNone) define(i.out[0], b_.CreateAlignedLoad(vec(t), out, llvm::Align(64)));
    return {};
}

}  // namespace warpwright::engine
