// Blocks, edges between them, the choice of what runs next, and leaving and coming back at waits.
#include "engine/codegen/codegen.hpp"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

namespace warpwright::engine {

namespace {
/// Above this many vectors that cross blocks, slots are in the frame (32 lanes of f32 take 4 of AVX2's 16 registers).
constexpr unsigned kMostVectorSlots = 96;
/// Above this many blocks the masks of lanes whose turn is to come are kept in memory: as registers, each would have a
/// phi in nearly every block, and compilation would take a time quadratic in the blocks.
constexpr std::size_t kMostPendingSlots = 48;
}  // namespace

using simt::BlockId;
using simt::kNone;
using TK = simt::Terminator::Kind;

Codegen::Codegen(llvm::Module& module, const simt::Function& f, const CodegenOptions& options, KernelLayout& layout)
    : c_(module.getContext()),
      module_(module),
      b_(c_),
      f_(f),
      options_(options),
      layout_(layout),
      shapes_(simt::analyse(f, options.block, options.affine_off)),
      lanes_(options.block.lanes),
      mask_type_(llvm::IntegerType::get(c_, options.block.lanes)) {}

llvm::MDNode* Codegen::weights(bool first_likely) {
    llvm::MDBuilder m(c_);
    return first_likely ? m.createBranchWeights(2000, 1) : m.createBranchWeights(1, 2000);
}

Error Codegen::unsupported(const simt::Inst& i, const std::string& why) const {
    Location where{f_.module->name, i.ptx ? i.ptx->line : 0, i.ptx ? i.ptx->column : 0};
    return Error{ErrorKind::input, (i.ptx ? i.ptx->spelling() : std::string("instruction")) + ": " + why, where, ""};
}

llvm::SmallVector<llvm::Value*, 10> Codegen::all_arguments(const RuntimeFunction& function,
                                                           llvm::ArrayRef<V> arguments) const {
    llvm::SmallVector<V, 10> all;
    if (function.context) all.push_back(ctx_);
    if (function.frame) all.push_back(frame_);
    all.append(arguments.begin(), arguments.end());
    return all;
}

Codegen::V Codegen::call(const RuntimeFunction& function, llvm::ArrayRef<V> arguments) {
    auto call = b_.CreateCall(declare_runtime_function(module_, function), all_arguments(function, arguments));
    call->setDoesNotThrow();
    return call;
}

Codegen::V Codegen::call_rarely(const RuntimeFunction& function, llvm::ArrayRef<V> arguments) {
    const auto wrapper_name = std::string(function.name) + "_rare";
    auto wrapper = module_.getFunction(wrapper_name);
    if (!wrapper) {
        auto type = runtime_function_type(function, c_);
        wrapper = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, wrapper_name, module_);
        wrapper->setCallingConv(llvm::CallingConv::PreserveAll);
        wrapper->addFnAttr(llvm::Attribute::NoInline);
        wrapper->addFnAttr(llvm::Attribute::Cold);
        wrapper->setDoesNotThrow();
        llvm::IRBuilder<> at(llvm::BasicBlock::Create(c_, "entry", wrapper));
        std::vector<V> in;
        for (auto& a : wrapper->args()) in.push_back(&a);
        auto call = at.CreateCall(declare_runtime_function(module_, function), in);
        if (type->getReturnType()->isVoidTy())
            at.CreateRetVoid();
        else
            at.CreateRet(call);
    }
    auto call = b_.CreateCall(wrapper, all_arguments(function, arguments));
    call->setCallingConv(llvm::CallingConv::PreserveAll);
    call->setDoesNotThrow();
    return call;
}

void Codegen::declare() {
    auto ptr = b_.getPtrTy();
    // Kernels: status f(context, frame, resume). Functions: status f(context, frame, lanes, stack).
    std::vector<llvm::Type*> types{ptr, ptr, b_.getInt32Ty()};
    if (options_.function) types = {ptr, ptr, mask_type_, b_.getInt64Ty()};
    fn_ = llvm::cast<llvm::Function>(
        module_.getOrInsertFunction(layout_.symbol, llvm::FunctionType::get(b_.getInt32Ty(), types, false))
            .getCallee());
    fn_->setDoesNotThrow();
    ctx_ = fn_->getArg(0);
    frame_ = fn_->getArg(1);
    if (options_.function) {
        argument_mask_ = fn_->getArg(2);
        stack_ = fn_->getArg(3);
    } else {
        resume_ = fn_->getArg(2);
        stack_ = i64(0);
    }
}

Result<void> Codegen::run(const std::string& symbol) {
    layout_.symbol = symbol;
    layout_.blocks = static_cast<std::uint32_t>(f_.blocks.size());
    layout_.block_end.assign(f_.blocks.size(), nullptr);
    layout_.block_line.assign(f_.blocks.size(), nullptr);
    layout_.strict = f_.strict;
    memory_pending_ = f_.strict;
    pending_in_frame_ = f_.strict || f_.blocks.size() > kMostPendingSlots;
    // Fewer threads than lanes, and code with real calls, never run converged.
    full_copy_ = options_.block.threads() >= lanes_ && !f_.has_calls && !options_.function;
    declare();
    extra_.assign(f_.values.size(), {});
    for (const auto& [v, a] : shapes_.affine) {
        auto add_terms = [&](const simt::Affine& form) {
            for (const auto& t : form.terms)
                for (const auto& p : t.scalar) extra_[v].push_back(p.value);
        };
        add_terms(a);
        for (const auto& [w, factor] : a.assumes) {
            extra_[v].push_back(w.value);
            auto at = shapes_.affine.find(w.value);
            if (at != shapes_.affine.end()) add_terms(at->second);
        }
    }
    live_ = simt::live_in(f_, extra_);
    frontier_ = simt::frontiers(f_, shapes_.divergent);
    find_phase_waits();
    find_stubs();
    find_slots();
    find_nans();
    if (options_.check) find_copies();
    entry();
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
        for (Copy copy : {kFull, kPartial}) {
            if (copy == kFull && !full_copy_) continue;
            copy_ = copy;
            at_ = b;
            ended_ = false;
            for (auto v : local_set_) local_values_[v] = nullptr;
            local_set_.clear();
            accumulators_.clear();
            block(b, copy);
            for (const auto& i : f_.blocks[b].insts) {
                current_ = &i;
                if (auto r = inst(b, i); !r) return r;
            }
            current_ = nullptr;
            if (!ended_) terminator(b);
        }
    }
    slow_dispatch();
    for (BlockId b = 0; b < f_.blocks.size() && options_.extent == Extent::whole; ++b)
        if (!stub_.empty() && stub_reached_[b]) after_stub(b);
    return {};
}

void Codegen::entry() {
    entry_ = new_block("entry");
    auto start = new_block("start");
    slow_ = new_block("slow");
    error_ = new_block("error");
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
        full_.push_back(full_copy_ ? new_block(("f" + std::to_string(b)).c_str()) : nullptr);
        partial_.push_back(new_block(("p" + std::to_string(b)).c_str()));
    }
    b_.SetInsertPoint(entry_);
    // Slots: one a value that crosses blocks; all become registers again in LLVM's SROA.
    // With more vectors about than registers could ever hold, they stay in the frame: as registers their live ranges
    // over all blocks would keep LLVM busy for a minute, to be spilled anyway.
    unsigned vectors = 0;
    for (simt::ValueId v = 0; v < f_.values.size(); ++v) vectors += crosses_[v] && !scalar_kind(v);
    in_frame_.assign(f_.values.size(), false);
    for (simt::ValueId v = 0; v < f_.values.size(); ++v) {
        if (!crosses_[v]) continue;
        in_frame_[v] = scalar_kind(v)
                           ? many_merges_
                           : vectors > kMostVectorSlots && !options_.function && f_.values[v].type != ptx::Type::pred;
        slots_[v] = in_frame_[v] ? field(frame_, save_offset_[v])
                                 : b_.CreateAlloca(slot_type(v), nullptr, "v" + std::to_string(v));
    }
    pending_.assign(f_.blocks.size(), nullptr);
    // The kernel's turns are kept in the frame, over waits; each activation of a called function keeps its own.
    pending_base_ = field(frame_, layout_.pending_offset);
    if (pending_in_frame_ && options_.function)
        pending_base_ = b_.CreateAlloca(b_.getInt64Ty(), i64(f_.blocks.size()), "turns");
    if (!pending_in_frame_)
        for (BlockId b = 0; b < f_.blocks.size(); ++b) {
            pending_[b] = b_.CreateAlloca(mask_type_, nullptr, "pend");
            b_.CreateStore(mask_constant(0), pending_[b]);
        }
    // Values read before they are written read as zero: deterministic, as freshly reset registers.
    for (simt::ValueId v = 0; v < f_.values.size(); ++v)
        if (slots_[v] && live_[0].test(v)) b_.CreateStore(llvm::Constant::getNullValue(slot_type(v)), slots_[v]);
    counters_ = load_field(b_.getPtrTy(), ctx_, offsetof(BlockContext, counters));
    if (layout_.first_counter) counters_ = field(counters_, layout_.first_counter * 8);
    sites_ = load_field(b_.getPtrTy(), ctx_, offsetof(BlockContext, sites));
    if (layout_.first_site) sites_ = field(sites_, layout_.first_site * sizeof(Site));
    shared_ = load_field(b_.getPtrTy(), ctx_, offsetof(BlockContext, shared));
    shared_size_ = load_field(b_.getInt64Ty(), ctx_, offsetof(BlockContext, shared_size));
    local_ = load_field(b_.getPtrTy(), frame_, offsetof(WarpFrame, local));
    if (options_.check) {
        quiet_ = load_field(b_.getPtrTy(), ctx_, offsetof(BlockContext, quick.quiet));
        quiet_start_ = load_field(b_.getInt64Ty(), ctx_, offsetof(BlockContext, quick.start));
        quiet_limit_ = load_field(b_.getInt64Ty(), ctx_, offsetof(BlockContext, quick.limit));
        quiet_mark_ = load_field(b_.getInt8Ty(), ctx_, offsetof(BlockContext, quick.mark));
    }
    if (options_.function) {
        b_.CreateBr(start);
    } else {
        resume_switch_ = b_.CreateSwitch(resume_, start, 4);
    }
    b_.SetInsertPoint(start);
    if (pending_in_frame_) b_.CreateMemSet(pending_base_, b_.getInt8(0), 8 * f_.blocks.size(), llvm::MaybeAlign(8));
    V live = options_.function
                 ? argument_mask_
                 : b_.CreateTrunc(load_field(b_.getInt64Ty(), frame_, offsetof(WarpFrame, live)), mask_type_);
    auto some = new_block("some");
    if (full_copy_)
        b_.CreateCondBr(b_.CreateICmpEQ(live, full_mask()), full_[0], some, weights(true));
    else
        b_.CreateBr(some);
    b_.SetInsertPoint(some);
    store_pending(0, live);
    b_.CreateBr(partial_[0]);
    b_.SetInsertPoint(error_);
    b_.CreateRet(i32(static_cast<unsigned>(Status::error)));
}

Codegen::V Codegen::pending(BlockId b) {
    if (!pending_in_frame_) return pending_[b];
    return field(pending_base_, 8 * b);
}
Codegen::V Codegen::load_pending(BlockId b) { return b_.CreateLoad(mask_type_, pending(b)); }
void Codegen::store_pending(BlockId b, V mask) {
    if (pending_in_frame_)
        b_.CreateStore(mask64(mask), pending(b));
    else
        b_.CreateStore(mask, pending(b));
}
void Codegen::add_pending(BlockId b, V mask) { store_pending(b, b_.CreateOr(load_pending(b), mask)); }

void Codegen::count_block(BlockId b) {
    if (!options_.counters) return;
    auto at = [&](unsigned k) { return field(counters_, 8 * (b * kBlockCounters + k)); };
    if (copy_ == kFull) {
        bump(at(0), i64(1));
    } else {
        bump(at(1), i64(1));
        bump(at(2), mask64(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask_)));
    }
}

void Codegen::block(BlockId b, Copy copy) {
    b_.SetInsertPoint(copy == kFull ? full_[b] : partial_[b]);
    const auto& x = f_.blocks[b];
    if (copy == kFull) {
        mask_ = nullptr;
        count_block(b);
        return;
    }
    if (layout_.gives_up && stub_[b]) {
        stub(b);
        // What follows is never reached and goes away; it is written so that sites and counts are the same in both
        // extents.
        b_.SetInsertPoint(new_block("unreached"));
    }
    mask_ = load_pending(b);
    store_pending(b, mask_constant(0));
    if (x.sync)
        for (const auto& i : x.insts) {
            if (i.kind == simt::InstKind::phi) continue;
            if (i.kind == simt::InstKind::async_wait)
                phase_wait_partial(b, i);
            else if (i.kind != simt::InstKind::barrier)
                warp_wait(b, i);
            break;
        }
    // All lanes together again: on with the copy that needs no masks.
    if (full_copy_) {
        auto stay = new_block("stay");
        b_.CreateCondBr(b_.CreateICmpEQ(mask_, full_mask()), full_[b], stay);
        b_.SetInsertPoint(stay);
    }
    count_block(b);
}

void Codegen::check_stop(BlockId b) {
    auto flag = b_.CreateLoad(b_.getPtrTy(), field(ctx_, offsetof(BlockContext, stop)));
    auto value = b_.CreateLoad(b_.getInt32Ty(), flag, true);
    auto go = new_block("go"), stop = new_block("stop");
    b_.CreateCondBr(b_.CreateICmpEQ(value, i32(0)), go, stop, weights(true));
    b_.SetInsertPoint(stop);
    rare<ww_rt_stopped>({i32(layout_.first_block + b)});
    b_.CreateBr(error_);
    b_.SetInsertPoint(go);
}

void Codegen::phi_copies(BlockId from, BlockId to, V mask) {
    std::vector<std::pair<simt::ValueId, V>> writes;
    for (const auto& p : f_.blocks[to].insts) {
        if (p.kind != simt::InstKind::phi) break;
        const auto v = p.out[0];
        if (v == kNone) continue;
        for (std::size_t k = 0; k < p.in.size(); ++k) {
            if (p.from[k] != from) continue;
            auto t = value_type(v);
            writes.push_back({v, scalar_kind(v) ? scalar(p.in[k], t) : vector(p.in[k], t)});
            break;
        }
    }
    for (auto& [v, value] : writes) {
        if (!slots_[v]) continue;
        if (mask && !scalar_kind(v)) value = blend(mask, value, b_.CreateLoad(vec(value_type(v)), slots_[v]));
        b_.CreateStore(value, slots_[v]);
    }
}

/// Goes to the first candidate that has lanes. `sure`: one of them has.
void Codegen::dispatch(BlockId from, std::vector<BlockId> candidates, bool sure) {
    if (memory_pending_) {
        b_.CreateStore(i32(from), field(frame_, offsetof(WarpFrame, spin_from)));
        b_.CreateBr(slow_);
        return;
    }
    for (auto c : frontier_[from]) candidates.push_back(c);
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        const bool last = k + 1 == candidates.size();
        if (last && sure) {
            b_.CreateBr(partial_[candidates[k]]);
            return;
        }
        auto next = last ? slow_ : new_block("next");
        b_.CreateCondBr(b_.CreateICmpNE(load_pending(candidates[k]), mask_constant(0)), partial_[candidates[k]], next);
        if (last) return;
        b_.SetInsertPoint(next);
    }
    b_.CreateBr(slow_);
}

void Codegen::edge(BlockId from, BlockId to, V mask) {
    phi_copies(from, to, mask);
    if (mask) add_pending(to, mask);
}

void Codegen::terminator(BlockId b) {
    const auto& end = f_.blocks[b].end;
    const bool full = copy_ == kFull;
    if (end.ptx && end.counted && end.targets.size() > 1) layout_.block_end[b] = end.ptx;
    if (end.ptx && end.counted && (copy_ == kFull || !full_copy_)) layout_.insts.push_back({end.ptx, b});
    if (!layout_.block_line[b]) layout_.block_line[b] = end.ptx;
    bool back = false;
    for (auto t : end.targets) back |= t <= b;
    if (back) check_stop(b);
    auto yield_then = [&](BlockId to) {
        // A latch of a loop that may spin: every now and then the whole warp steps aside.
        if (!f_.blocks[b].yield || to > b || options_.function) {
            b_.CreateBr(full_[to]);
            return;
        }
        auto spin = b_.CreateAdd(load_field(b_.getInt32Ty(), frame_, offsetof(WarpFrame, spin)), i32(1));
        b_.CreateStore(spin, field(frame_, offsetof(WarpFrame, spin)));
        auto aside = new_block("aside"), back_in = new_block("back_in");
        b_.CreateCondBr(b_.CreateICmpEQ(b_.CreateAnd(spin, i32(63)), i32(0)), aside, full_[to], weights(false));
        b_.SetInsertPoint(aside);
        save(live_with_phis(to));
        const auto point = ++resume_points_;
        b_.CreateStore(i32(point), field(frame_, offsetof(WarpFrame, resume)));
        b_.CreateStore(i32(layout_.first_block + b), field(frame_, offsetof(WarpFrame, spun_at)));
        b_.CreateRet(i32(static_cast<unsigned>(Status::yielded)));
        resume_switch_->addCase(b_.getInt32(point), back_in);
        b_.SetInsertPoint(back_in);
        restore(live_with_phis(to));
        b_.CreateBr(full_[to]);
    };
    auto bump_divergent = [&] {
        if (options_.counters && layout_.block_end[b]) bump(field(counters_, 8 * (b * kBlockCounters + 3)), i64(1));
    };
    switch (end.kind) {
        case TK::jump:
            edge(b, end.targets[0], full ? nullptr : mask_);
            if (full)
                yield_then(end.targets[0]);
            else
                dispatch(b, {end.targets[0]}, true);
            return;
        case TK::exit:
        case TK::ret:
            leave(full ? nullptr : mask_, end.kind == TK::exit);
            return;
        case TK::trap:
            rare<ww_rt_trap>({i32(layout_.first_block + b)});
            b_.CreateBr(error_);
            return;
        default:
            break;
    }
    // Several targets: a mask for each. Uniform conditions pick one.
    const auto n = end.targets.size();
    const bool split = shapes_.divergent[b];
    if (!split) {
        std::vector<llvm::BasicBlock*> way(n);
        for (std::size_t k = 0; k < n; ++k) way[k] = new_block("way");
        if (end.kind == TK::branch) {
            b_.CreateCondBr(scalar(end.condition, b_.getInt1Ty()), way[0], way[1]);
        } else {
            auto s = b_.CreateSwitch(scalar(end.condition, b_.getInt32Ty()), way[n - 1], static_cast<unsigned>(n));
            for (std::size_t k = 0; k + 1 < n; ++k) s->addCase(b_.getInt32(static_cast<std::uint32_t>(k)), way[k]);
        }
        for (std::size_t k = 0; k < n; ++k) {
            b_.SetInsertPoint(way[k]);
            edge(b, end.targets[k], full ? nullptr : mask_);
            if (full)
                yield_then(end.targets[k]);
            else
                dispatch(b, {end.targets[k]}, true);
        }
        return;
    }
    std::vector<V> masks(n);
    V active = full ? full_mask() : mask_;
    if (end.kind == TK::branch) {
        V bits = mask_bits(vector(end.condition, b_.getInt1Ty()));
        masks[0] = full ? bits : b_.CreateAnd(bits, active);
        masks[1] = full ? b_.CreateNot(bits) : b_.CreateAnd(b_.CreateNot(bits), active);
    } else {
        V index = vector(end.condition, b_.getInt32Ty());
        V rest = active;
        for (std::size_t k = 0; k < n; ++k) {
            masks[k] = k + 1 == n ? rest : b_.CreateAnd(rest, mask_bits(b_.CreateICmpEQ(index, splat(i32(k)))));
            rest = b_.CreateAnd(rest, b_.CreateNot(masks[k]));
        }
    }
    if (full) {
        for (std::size_t k = 0; k < n; ++k) {
            auto all = new_block("all"), not_all = new_block("not_all");
            b_.CreateCondBr(b_.CreateICmpEQ(masks[k], full_mask()), all, not_all);
            b_.SetInsertPoint(all);
            edge(b, end.targets[k], nullptr);
            yield_then(end.targets[k]);
            b_.SetInsertPoint(not_all);
        }
        bump_divergent();
    } else if (options_.counters && layout_.block_end[b]) {
        // Divergent when at least two targets get lanes.
        V ways = i64(0);
        for (auto m : masks)
            ways = b_.CreateAdd(ways, b_.CreateZExt(b_.CreateICmpNE(m, mask_constant(0)), b_.getInt64Ty()));
        bump(field(counters_, 8 * (b * kBlockCounters + 3)),
             b_.CreateZExt(b_.CreateICmpUGT(ways, i64(1)), b_.getInt64Ty()));
    }
    // Copies for all edges read before any is written: two targets may share nothing, but a loop header's phis may
    // be read on the other edge.
    std::vector<BlockId> candidates;
    std::map<BlockId, V> joined;
    for (std::size_t k = 0; k < n; ++k) {
        auto& m = joined[end.targets[k]];
        m = m ? b_.CreateOr(m, masks[k]) : masks[k];
    }
    std::vector<std::tuple<simt::ValueId, V, V>> writes;
    for (auto& [t, m] : joined) {
        for (const auto& p : f_.blocks[t].insts) {
            if (p.kind != simt::InstKind::phi) break;
            const auto v = p.out[0];
            if (v == kNone || !slots_[v]) continue;
            for (std::size_t k = 0; k < p.in.size(); ++k) {
                if (p.from[k] != b) continue;
                auto type = value_type(v);
                writes.push_back({v, scalar_kind(v) ? scalar(p.in[k], type) : vector(p.in[k], type), m});
                break;
            }
        }
        candidates.push_back(t);
    }
    for (auto& [v, value, m] : writes) {
        if (!scalar_kind(v)) value = blend(m, value, b_.CreateLoad(vec(value_type(v)), slots_[v]));
        b_.CreateStore(value, slots_[v]);
    }
    for (auto& [t, m] : joined) add_pending(t, m);
    dispatch(b, candidates, true);
}

void Codegen::leave(V mask, bool exit) {
    if (exit) {
        auto where = field(frame_, offsetof(WarpFrame, live));
        if (!mask) {
            b_.CreateStore(i64(0), where);
            b_.CreateRet(i32(static_cast<unsigned>(Status::done)));
            return;
        }
        auto live = b_.CreateLoad(b_.getInt64Ty(), where);
        b_.CreateStore(b_.CreateAnd(live, b_.CreateNot(mask64(mask))), where);
    }
    dispatch(at_, {}, false);
}

simt::BitSet Codegen::live_with_phis(BlockId b) const {
    simt::BitSet set = live_[b];
    for (const auto& p : f_.blocks[b].insts) {
        if (p.kind != simt::InstKind::phi) break;
        if (p.out[0] == kNone) continue;
        set.set(p.out[0]);
        for (auto e : extra_[p.out[0]]) set.set(e);
    }
    return set;
}

void Codegen::save(const simt::BitSet& values) {
    values.each([&](simt::ValueId v) {
        if (!slots_[v] || in_frame_[v]) return;
        auto value = b_.CreateLoad(slot_type(v), slots_[v]);
        if (value->getType()->isVectorTy() && value->getType()->getScalarSizeInBits() == 1)
            b_.CreateStore(mask_bits(value), field(frame_, save_offset_[v]));
        else
            b_.CreateAlignedStore(value, field(frame_, save_offset_[v]), llvm::Align(8));
    });
}

void Codegen::restore(const simt::BitSet& values) {
    values.each([&](simt::ValueId v) {
        if (!slots_[v] || in_frame_[v]) return;
        auto t = slot_type(v);
        V value;
        if (t->isVectorTy() && t->getScalarSizeInBits() == 1)
            value = mask_vector(b_.CreateLoad(mask_type_, field(frame_, save_offset_[v])));
        else
            value = b_.CreateAlignedLoad(t, field(frame_, save_offset_[v]), llvm::Align(8));
        b_.CreateStore(value, slots_[v]);
    });
}

/// Nothing is pending that the block before knew of: lanes wait, or all are gone. Strict functions come here always.
void Codegen::slow_dispatch() {
    simt::BitSet all(f_.values.size());
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
        if (may_be_picked(b)) all.merge(live_with_phis(b));
    }
    b_.SetInsertPoint(slow_);
    auto picked =
        runtime<ww_rt_pick>({i32(memory_pending_ ? f_.blocks.size() : 0), pending_base_, i32(layout_.first_block)});
    auto none = new_block("none");
    auto choose = b_.CreateSwitch(picked, none, 4);
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
        if (!may_be_picked(b)) continue;
        auto go = new_block("picked");
        choose->addCase(b_.getInt32(b), go);
        b_.SetInsertPoint(go);
        if (!memory_pending_)
            add_pending(b,
                        b_.CreateTrunc(load_field(b_.getInt64Ty(), frame_, offsetof(WarpFrame, picked)), mask_type_));
        for (auto p : f_.blocks[b].preds)
            for (const auto& i : f_.blocks[p].insts) {
                if (i.kind != simt::InstKind::barrier) continue;
                for (auto v : i.out) {
                    if (v == kNone || !slots_[v]) continue;
                    V x = barrier_result(i);
                    if (scalar_kind(v)) {
                        b_.CreateStore(adapt(x, value_type(v)), slots_[v]);
                        continue;
                    }
                    V lanes =
                        b_.CreateTrunc(load_field(b_.getInt64Ty(), frame_, offsetof(WarpFrame, picked)), mask_type_);
                    b_.CreateStore(blend(lanes, splat(adapt(x, value_type(v))), b_.CreateLoad(slot_type(v), slots_[v])),
                                   slots_[v]);
                }
            }
        if (phase_class_[b] != kNoClass)
            // Lanes of other blocks may go on with these: all are pending before the first block runs.
            b_.CreateCondBr(b_.CreateICmpNE(load_field(b_.getInt32Ty(), frame_, offsetof(WarpFrame, more)), i32(0)),
                            slow_, partial_[b], weights(false));
        else
            b_.CreateBr(partial_[b]);
    }
    b_.SetInsertPoint(none);
    auto suspend = new_block("suspend"), finished = new_block("finished"), bad = new_block("bad");
    auto why = b_.CreateSwitch(picked, bad, 3);
    why->addCase(b_.getInt32(kPickedNone), finished);
    why->addCase(b_.getInt32(kPickedWait), suspend);
    why->addCase(b_.getInt32(kPickedYield), suspend);
    b_.SetInsertPoint(bad);
    b_.CreateBr(error_);
    b_.SetInsertPoint(finished);
    b_.CreateRet(i32(static_cast<unsigned>(Status::done)));
    b_.SetInsertPoint(suspend);
    if (options_.function || f_.has_calls) {
        // Deep in a call the warp's context itself is put aside.
        fail_if_zero(runtime<ww_rt_suspend>({picked}));
        b_.CreateBr(slow_);
        return;
    }
    save(all);
    const auto point = ++resume_points_;
    b_.CreateStore(i32(point), field(frame_, offsetof(WarpFrame, resume)));
    b_.CreateRet(b_.CreateSelect(b_.CreateICmpEQ(picked, i32(kPickedYield)),
                                 i32(static_cast<unsigned>(Status::yielded)),
                                 i32(static_cast<unsigned>(Status::waiting))));
    auto again = new_block("again");
    resume_switch_->addCase(b_.getInt32(point), again);
    b_.SetInsertPoint(again);
    restore(all);
    b_.CreateBr(slow_);
}

void Codegen::fail_if_zero(V ok) {
    auto fine = new_block("fine");
    b_.CreateCondBr(b_.CreateICmpNE(ok, llvm::ConstantInt::get(ok->getType(), 0)), fine, error_, weights(true));
    b_.SetInsertPoint(fine);
}

}  // namespace warpwright::engine
