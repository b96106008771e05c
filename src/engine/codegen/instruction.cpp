// Instructions that compute: data, moves, packing, special registers, addresses.
#include <llvm/IR/Intrinsics.h>

#include "engine/arith/arith.hpp"
#include "engine/codegen/codegen.hpp"

namespace warpwright::engine {

using simt::InstKind;
using simt::kNone;
using simt::Operand;
using simt::Shape;

Result<void> Codegen::inst(simt::BlockId b, const simt::Inst& i) {
    if (!layout_.block_line[b] && i.ptx) layout_.block_line[b] = i.ptx;
    // Each counted once, when its first copy is written.
    if (i.counted && i.ptx && (copy_ == kFull || !full_copy_)) {
        CountedInst c;
        c.ptx = i.ptx;
        c.block = b;
        c.is_barrier = i.kind == InstKind::barrier;
        layout_.insts.push_back(c);
    }
    auto word = [&](const Operand& o) { return scalar(o, b_.getInt64Ty()); };
    switch (i.kind) {
        case InstKind::phi:
            return {};
        case InstKind::nop:
        case InstKind::prefetch:
            return {};
        case InstKind::copy_group:
            if (options_.check) check_copies(i);
            return {};
        case InstKind::data:
            return data(i);
        case InstKind::move: {
            if (i.out[0] == kNone) return {};
            auto t = value_type(i.out[0]);
            // A copy between a float and an integer register shows the bits.
            const bool shows = i.in[0].is_value() && nan_[i.in[0].value] && !t->isFloatingPointTy();
            if (shapes_.of[i.out[0]] == Shape::varying) {
                V x = i.in[0].is_value() ? vector(i.in[0], value_type(i.in[0].value)) : vector(i.in[0], t);
                if (shows) x = canonical(x, i.in[0].value);
                define(i.out[0], x);
            } else {
                V x = i.in[0].is_value() ? scalar(i.in[0], value_type(i.in[0].value)) : scalar(i.in[0], t);
                if (shows) x = canonical(x, i.in[0].value);
                define(i.out[0], x);
            }
            return {};
        }
        case InstKind::select: {
            if (i.out[0] == kNone) return {};
            auto t = value_type(i.out[0]);
            if (shapes_.of[i.out[0]] == Shape::varying)
                define(i.out[0],
                       b_.CreateSelect(vector(i.in[0], b_.getInt1Ty()), vector(i.in[1], t), vector(i.in[2], t)));
            else
                define(i.out[0],
                       b_.CreateSelect(scalar(i.in[0], b_.getInt1Ty()), scalar(i.in[1], t), scalar(i.in[2], t)));
            return {};
        }
        case InstKind::pack:
            return pack(i);
        case InstKind::unpack:
            return unpack(i);
        case InstKind::special:
            return special(i);
        case InstKind::address: {
            V a;
            if (i.space == ptx::Space::local) {
                a = b_.CreateAdd(stack_, i64(static_cast<std::uint64_t>(i.offset)));
            } else {
                V table = load_field(b_.getPtrTy(), ctx_, offsetof(BlockContext, variables));
                a = b_.CreateAdd(load_field(b_.getInt64Ty(), table, 8 * i.symbol),
                                 i64(static_cast<std::uint64_t>(i.offset)));
            }
            define(i.out[0], a);
            return {};
        }
        case InstKind::function:
            define(i.out[0], i64(simt_function_token(i.symbol)));
            return {};
        case InstKind::param:
            return parameter(i);
        case InstKind::to_generic:
        case InstKind::from_generic: {
            if (i.out[0] == kNone) return {};
            V window = nullptr;
            if (i.space == ptx::Space::shared)
                window = load_field(b_.getInt64Ty(), ctx_, offsetof(BlockContext, shared_window));
            if (i.space == ptx::Space::local)
                window = load_field(b_.getInt64Ty(), ctx_, offsetof(BlockContext, local_window));
            if (i.space == ptx::Space::param && i.kind == InstKind::to_generic)
                window =
                    b_.CreatePtrToInt(load_field(b_.getPtrTy(), ctx_, offsetof(BlockContext, params)), b_.getInt64Ty());
            const bool varying = shapes_.of[i.out[0]] == Shape::varying;
            V x = varying ? vector(i.in[0], b_.getInt64Ty()) : word(i.in[0]);
            if (window) {
                V w = varying ? splat(window) : window;
                x = i.kind == InstKind::to_generic ? b_.CreateAdd(x, w) : b_.CreateSub(x, w);
            }
            if (i.offset) {
                V o = i64(static_cast<std::uint64_t>(i.offset));
                x = b_.CreateAdd(x, varying ? splat(o) : o);
            }
            define(i.out[0], x);
            return {};
        }
        case InstKind::in_space: {
            V x = vector(i.in[0], b_.getInt64Ty());
            auto inside = [&](std::size_t offset, std::uint64_t bytes) {
                V w = load_field(b_.getInt64Ty(), ctx_, offset);
                return b_.CreateICmpULT(b_.CreateSub(x, splat(w)), splat(i64(bytes)));
            };
            V in_shared = inside(offsetof(BlockContext, shared_window), kSharedWindows),
              in_local = inside(offsetof(BlockContext, local_window), kWindowBytes);
            const bool own = i.space == ptx::Space::shared && !i.ptx->has(ptx::Mod::shared_cluster);
            V r = own                             ? inside(offsetof(BlockContext, shared_window), kWindowBytes)
                  : i.space == ptx::Space::shared ? in_shared
                  : i.space == ptx::Space::local  ? in_local
                  : i.space == ptx::Space::global ? b_.CreateNot(b_.CreateOr(in_shared, in_local))
                                                  : static_cast<V>(llvm::Constant::getNullValue(vec(b_.getInt1Ty())));
            define(i.out[0], r);
            return {};
        }
        case InstKind::load:
        case InstKind::store:
            return memory(i);
        case InstKind::atomic:
            return atomic(i);
        case InstKind::copy_async:
            return copy_async(i);
        case InstKind::async_op:
            return async_op(i);
        case InstKind::async_wait:
            return async_wait(b, i);
        case InstKind::matrix_async:
            return matrix_async(i);
        case InstKind::shuffle:
        case InstKind::vote:
        case InstKind::match:
        case InstKind::reduce:
        case InstKind::active_mask:
        case InstKind::elect:
        case InstKind::warp_barrier:
            return warp_op(i);
        case InstKind::barrier:
            return barrier(b, i);
        case InstKind::fence:
            if (options_.check) check_fence(i);
            b_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
            return {};
        case InstKind::matrix:
        case InstKind::matrix_move:
            return matrix(i);
        case InstKind::matrix_load:
        case InstKind::matrix_store:
            return matrix_memory(i);
        case InstKind::call:
            return call(i);
        case InstKind::system_call:
            return system_call(i);
        case InstKind::sleep:
            runtime<ww_rt_sleep>();
            return {};
        case InstKind::trap:
            rare<ww_rt_trap>({i32(layout_.first_block + b)});
            b_.CreateBr(error_);
            b_.SetInsertPoint(new_block("dead"));
            return {};
    }
    return unsupported(i, "is not executed by this version of the emulated GPU");
}

Codegen::V Codegen::canonical(V x, simt::ValueId v) {
    ArithContext context{b_, x->getType()->isVectorTy() ? lanes_ : 0, fn_};
    return canonical_nan(context, x, f_.values[v].type);
}

/// The value as whoever looks at its bits must see it.
Codegen::V Codegen::vector_bits(const Operand& o, llvm::Type* type) {
    if (!o.is_value() || !nan_[o.value] || !value_type(o.value)->isFloatingPointTy()) return vector(o, type);
    Operand plain = o;
    return adapt(canonical(vector(plain, value_type(o.value)), o.value), type);
}
Codegen::V Codegen::scalar_bits(const Operand& o, llvm::Type* type) {
    if (!o.is_value() || !nan_[o.value] || !value_type(o.value)->isFloatingPointTy()) return scalar(o, type);
    return adapt(canonical(scalar(o, value_type(o.value)), o.value), type);
}

Result<void> Codegen::data(const simt::Inst& i) {
    if (!is_arith(*i.ptx)) return unsupported(i, "is not executed by this version of the emulated GPU");
    bool scalars = true;
    for (auto v : i.out)
        if (v != kNone) scalars &= scalar_kind(v);
    ArithContext context{b_, scalars ? 0 : lanes_, fn_};
    llvm::SmallVector<V, 6> in;
    if (i.in.size() != source_count(*i.ptx)) return unsupported(i, "has a number of operands that is not supported");
    for (unsigned k = 0; k < i.in.size(); ++k) {
        auto t = operand_type(*i.ptx, k, c_);
        // Integer operations on a float register look at its bits.
        const bool bits = !t->isFloatingPointTy();
        in.push_back(scalars ? (bits ? scalar_bits(i.in[k], t) : scalar(i.in[k], t))
                             : (bits ? vector_bits(i.in[k], t) : vector(i.in[k], t)));
    }
    auto out = emit_arith(context, *i.ptx, in);
    if (!out) {
        auto e = out.error();
        if (e.where.file.empty()) e.where = {f_.module->name, i.ptx->line, i.ptx->column};
        return e;
    }
    for (std::size_t k = 0; k < i.out.size() && k < out->size(); ++k) {
        if (i.out[k] == kNone) continue;
        V x = (*out)[k];
        const auto type = result_type(*i.ptx, static_cast<unsigned>(k), c_);
        // Narrow integer results fill the wider register by sign.
        const auto want = value_type(i.out[k]);
        if (type->isIntegerTy() && want->isIntegerTy() && want->getIntegerBitWidth() > type->getIntegerBitWidth() &&
            !type->isIntegerTy(1) && ptx::is_signed(i.ptx->type(0)))
            x = b_.CreateSExt(x, x->getType()->isVectorTy() ? vec(want) : want);
        if (nan_[i.out[k]] && result_needs_canonical_nan(*i.ptx) && !want->isFloatingPointTy()) {
            // A float result kept in an untyped register: its bits may be seen at any time.
            x = canonical_nan(context, x, i.ptx->type(0));
        }
        define(i.out[k], x);
    }
    return {};
}

Codegen::V Codegen::tid_scalar(unsigned component) {
    V warp = load_field(b_.getInt32Ty(), frame_, offsetof(WarpFrame, warp));
    V linear = b_.CreateMul(warp, i32(lanes_));
    const auto& s = options_.block;
    if (component == 0) return s.y * s.z == 1 ? linear : b_.CreateURem(linear, i32(s.x));
    V row = b_.CreateUDiv(linear, i32(s.x));
    if (component == 1) return s.z == 1 ? row : b_.CreateURem(row, i32(s.y));
    return b_.CreateUDiv(row, i32(s.y));
}

Result<void> Codegen::special(const simt::Inst& i) {
    using R = ptx::SpecialReg;
    const auto v = i.out[0];
    if (v == kNone) return {};
    auto put = [&](V x) { define(v, x); };
    auto ctx32 = [&](std::size_t offset) { return load_field(b_.getInt32Ty(), ctx_, offset); };
    const auto& s = options_.block;
    auto tid = [&](unsigned c) {
        auto pattern = simt::tid_pattern(s, c);
        if (pattern.shape == Shape::varying) {
            V table = load_field(b_.getPtrTy(), frame_, offsetof(WarpFrame, tid) + 8 * c);
            put(b_.CreateZExt(b_.CreateAlignedLoad(vec(b_.getInt16Ty()), table, llvm::Align(2)), vec(b_.getInt32Ty())));
            return;
        }
        V base = tid_scalar(c);
        if (scalar_kind(v)) return put(base);
        put(b_.CreateAdd(splat(base), lane_constant(pattern.constant, 32)));
    };
    simt::LaneVector lane_index{};
    for (unsigned l = 0; l < lanes_; ++l) lane_index[l] = l;
    auto lanemask = [&](auto&& of) {
        simt::LaneVector m{};
        for (unsigned l = 0; l < lanes_; ++l) m[l] = static_cast<std::int64_t>(static_cast<std::uint32_t>(of(l)));
        put(lane_constant(m, 32));
    };
    switch (i.special) {
        case R::tid_x:
            tid(0);
            break;
        case R::tid_y:
            tid(1);
            break;
        case R::tid_z:
            tid(2);
            break;
        case R::ntid_x:
            put(i32(s.x));
            break;
        case R::ntid_y:
            put(i32(s.y));
            break;
        case R::ntid_z:
            put(i32(s.z));
            break;
        case R::ctaid_x:
            put(ctx32(offsetof(BlockContext, ctaid)));
            break;
        case R::ctaid_y:
            put(ctx32(offsetof(BlockContext, ctaid) + 4));
            break;
        case R::ctaid_z:
            put(ctx32(offsetof(BlockContext, ctaid) + 8));
            break;
        case R::nctaid_x:
            put(ctx32(offsetof(BlockContext, nctaid)));
            break;
        case R::nctaid_y:
            put(ctx32(offsetof(BlockContext, nctaid) + 4));
            break;
        case R::nctaid_z:
            put(ctx32(offsetof(BlockContext, nctaid) + 8));
            break;
        case R::clusterid_x:
            put(ctx32(offsetof(BlockContext, clusterid)));
            break;
        case R::clusterid_y:
            put(ctx32(offsetof(BlockContext, clusterid) + 4));
            break;
        case R::clusterid_z:
            put(ctx32(offsetof(BlockContext, clusterid) + 8));
            break;
        case R::nclusterid_x:
            put(ctx32(offsetof(BlockContext, nclusterid)));
            break;
        case R::nclusterid_y:
            put(ctx32(offsetof(BlockContext, nclusterid) + 4));
            break;
        case R::nclusterid_z:
            put(ctx32(offsetof(BlockContext, nclusterid) + 8));
            break;
        case R::cluster_ctaid_x:
            put(ctx32(offsetof(BlockContext, cluster_ctaid)));
            break;
        case R::cluster_ctaid_y:
            put(ctx32(offsetof(BlockContext, cluster_ctaid) + 4));
            break;
        case R::cluster_ctaid_z:
            put(ctx32(offsetof(BlockContext, cluster_ctaid) + 8));
            break;
        case R::cluster_ctarank:
            put(ctx32(offsetof(BlockContext, cluster_rank)));
            break;
        case R::cluster_nctaid_x:
            put(ctx32(offsetof(BlockContext, cluster_nctaid)));
            break;
        case R::cluster_nctaid_y:
            put(ctx32(offsetof(BlockContext, cluster_nctaid) + 4));
            break;
        case R::cluster_nctaid_z:
            put(ctx32(offsetof(BlockContext, cluster_nctaid) + 8));
            break;
        case R::cluster_nctarank:
            put(ctx32(offsetof(BlockContext, cluster_size)));
            break;
        case R::is_explicit_cluster:
            put(b_.CreateICmpNE(ctx32(offsetof(BlockContext, cluster_explicit)), i32(0)));
            break;
        case R::laneid:
            if (scalar_kind(v))
                put(i32(0));  // the base; lanes differ by their offsets
            else
                put(lane_constant(lane_index, 32));
            break;
        case R::warpid:
            put(load_field(b_.getInt32Ty(), frame_, offsetof(WarpFrame, warp)));
            break;
        case R::nwarpid:
            put(i32(64));
            break;
        case R::smid:
            put(ctx32(offsetof(BlockContext, smid)));
            break;
        case R::nsmid:
            put(ctx32(offsetof(BlockContext, nsmid)));
            break;
        case R::gridid:
            put(load_field(b_.getInt64Ty(), ctx_, offsetof(BlockContext, gridid)));
            break;
        case R::lanemask_eq:
            lanemask([](unsigned l) { return 1ull << l; });
            break;
        case R::lanemask_le:
            lanemask([](unsigned l) { return (2ull << l) - 1; });
            break;
        case R::lanemask_lt:
            lanemask([](unsigned l) { return (1ull << l) - 1; });
            break;
        case R::lanemask_ge:
            lanemask([](unsigned l) { return ~((1ull << l) - 1); });
            break;
        case R::lanemask_gt:
            lanemask([](unsigned l) { return ~((2ull << l) - 1); });
            break;
        case R::clock:
            put(runtime<ww_rt_clock>());
            break;
        case R::clock64:
            put(runtime<ww_rt_clock>());
            break;
        case R::clock_hi:
            put(b_.CreateLShr(runtime<ww_rt_clock>(), i64(32)));
            break;
        case R::globaltimer:
        case R::globaltimer_lo:
            put(runtime<ww_rt_globaltimer>());
            break;
        case R::globaltimer_hi:
            put(b_.CreateLShr(runtime<ww_rt_globaltimer>(), i64(32)));
            break;
        case R::total_smem_size:
        case R::aggr_smem_size:
            put(shared_size_);
            break;
        case R::dynamic_smem_size:
            put(load_field(b_.getInt64Ty(), ctx_, offsetof(BlockContext, dynamic_shared)));
            break;
        case R::reserved_smem_offset_begin:
        case R::reserved_smem_offset_end:
        case R::reserved_smem_offset_cap:
        case R::reserved_smem_offset_0:
        case R::reserved_smem_offset_1:
            put(i32(0));
            break;
        case R::envreg1:
        case R::envreg2:
            put(runtime<ww_rt_envreg>({i32(i.special == R::envreg1 ? 1 : 2)}));
            break;
        default:
            put(i32(0));
            break;
    }
    return {};
}

Result<void> Codegen::pack(const simt::Inst& i) {
    const auto v = i.out[0];
    if (v == kNone) return {};
    const unsigned total = ptx::bits(f_.values[v].type), part = total / static_cast<unsigned>(i.in.size());
    const bool varying = shapes_.of[v] == Shape::varying;
    auto wide = b_.getIntNTy(total), narrow = b_.getIntNTy(part);
    V x = nullptr;
    for (unsigned k = 0; k < i.in.size(); ++k) {
        V e = varying ? vector_bits(i.in[k], narrow) : scalar_bits(i.in[k], narrow);
        e = b_.CreateZExt(e, varying ? vec(wide) : wide);
        if (k) {
            V by = llvm::ConstantInt::get(wide, k * part);
            e = b_.CreateShl(e, varying ? splat(by) : by);
        }
        x = x ? b_.CreateOr(x, e) : e;
    }
    define(v, x);
    return {};
}

Result<void> Codegen::unpack(const simt::Inst& i) {
    const unsigned total = std::max(16u, ptx::bits(i.type)), part = total / static_cast<unsigned>(i.out.size());
    auto wide = b_.getIntNTy(total), narrow = b_.getIntNTy(part);
    for (unsigned k = 0; k < i.out.size(); ++k) {
        if (i.out[k] == kNone) continue;
        const bool varying = shapes_.of[i.out[k]] == Shape::varying;
        V x = varying ? vector_bits(i.in[0], wide) : scalar_bits(i.in[0], wide);
        if (k) {
            V by = llvm::ConstantInt::get(wide, k * part);
            x = b_.CreateLShr(x, varying ? splat(by) : by);
        }
        define(i.out[k], b_.CreateTrunc(x, varying ? vec(narrow) : narrow));
    }
    return {};
}

Result<void> Codegen::parameter(const simt::Inst& i) {
    V base = load_field(b_.getPtrTy(), ctx_, offsetof(BlockContext, params));
    auto t = element(i.type);
    const bool sign = ptx::is_signed(i.type);
    // An index into the parameter block is kept inside it (params are followed by a page of zeros).
    const bool gather = !i.in.empty() && !uniform(i.in[0]);
    V offset = i64(0);
    if (gather)
        offset = b_.CreateAnd(vector(i.in[0], b_.getInt64Ty()), splat(i64(8191)));
    else if (!i.in.empty())
        offset = b_.CreateAnd(scalar(i.in[0], b_.getInt64Ty()), i64(8191));
    auto one = [&](V at, std::size_t k) -> V {
        V table = b_.CreateGEP(b_.getInt8Ty(), base, {at});
        return b_.CreateAlignedLoad(t, field(table, static_cast<std::uint64_t>(i.offset) + k * ptx::bytes(i.type)),
                                    llvm::Align(1));
    };
    for (std::size_t k = 0; k < i.out.size(); ++k) {
        if (i.out[k] == kNone) continue;
        V x;
        if (gather) {
            x = llvm::PoisonValue::get(vec(t));
            for (unsigned l = 0; l < lanes_; ++l)
                x = b_.CreateInsertElement(x, one(b_.CreateExtractElement(offset, l), k), l);
        } else {
            x = one(offset, k);
        }
        const auto want = value_type(i.out[k]);
        if (sign && want->isIntegerTy() && want->getIntegerBitWidth() > t->getIntegerBitWidth())
            x = b_.CreateSExt(x, gather ? vec(want) : want);
        define(i.out[k], x);
    }
    return {};
}

}  // namespace warpwright::engine
