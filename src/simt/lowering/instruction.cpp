// One PTX instruction -> warp IR instructions, by the form that the table of opcodes gives it.
#include <algorithm>
#include <bit>
#include <optional>

#include "simt/cache_policy.hpp"
#include "simt/lowering/builder.hpp"

namespace warpwright::simt {

using ptx::Form;
using ptx::Mod;
using ptx::Op;
using OK = ptx::Operand::Kind;

namespace {

/// There is one address space and one order of accesses, so fences of proxies and of an mbarrier's initialisation do
/// nothing.
bool orders_nothing(const ptx::Instruction& inst) {
    return inst.op == Op::fence &&
           (inst.has(Mod::proxy) || inst.has(Mod::mbarrier_init) || inst.has(Mod::op_restrict_mbarrier_init));
}

}  // namespace

Result<void> Builder::instruction(Instance& at, const Instruction& inst) {
    auto alone = [&](InstKind kind) -> Result<void> {
        emit(kind, &inst);
        return {};
    };
    switch (ptx::facts(inst.op).form) {
        case Form::not_executed:
            return unsupported(inst, "is known but not executed by this version of the emulated GPU");
        case Form::data:
            return data(at, inst);
        case Form::move:
            return move(at, inst);
        case Form::convert_address:
            return convert_address(at, inst, inst.has(Mod::to) ? InstKind::from_generic : InstKind::to_generic);
        case Form::in_space:
            return convert_address(at, inst, InstKind::in_space);
        case Form::policy:
            return policy(at, inst);
        case Form::load:
            return load(at, inst);
        case Form::store:
            return inst.has(Mod::async) ? async_op(at, inst) : store(at, inst);
        case Form::atomic:
            return inst.has(Mod::async) ? async_op(at, inst) : atomic(at, inst);
        case Form::copy_async:
            return copy_async(at, inst);
        case Form::copy_group:
            return alone(InstKind::copy_group);
        case Form::prefetch:
            return alone(InstKind::prefetch);
        case Form::shuffle:
            return warp_op(at, inst, InstKind::shuffle);
        case Form::vote:
            return warp_op(at, inst, InstKind::vote);
        case Form::match:
            return warp_op(at, inst, InstKind::match);
        case Form::reduce:
            return warp_op(at, inst, InstKind::reduce);
        case Form::active_mask:
            return warp_op(at, inst, InstKind::active_mask);
        case Form::elect:
            return warp_op(at, inst, InstKind::elect);
        case Form::matrix_move:
            return warp_op(at, inst, InstKind::matrix_move);
        case Form::warp_barrier:
            return one_input(at, inst, InstKind::warp_barrier);
        case Form::matrix:
            return matrix(at, inst);
        case Form::wgmma:
            return inst.has(Mod::mma_async) ? async_op(at, inst) : alone(InstKind::nop);
        case Form::barrier:
            return barrier(at, inst);
        case Form::fence:
            return alone(orders_nothing(inst) ? InstKind::nop : InstKind::fence);
        case Form::mbarrier:
        case Form::bulk_copy:
        case Form::cluster_barrier:
        case Form::cluster_address:
        case Form::texture:
        case Form::tensor_map:
            return async_op(at, inst);
        case Form::nothing:
            return alone(InstKind::nop);
        case Form::set_registers:
            return set_registers(inst);
        case Form::call:
            return call(at, inst);
        case Form::jump:
            return branch(at, inst);
        case Form::sleep:
            return one_input(at, inst, InstKind::sleep);
        case Form::stop:
            return alone(InstKind::trap);
    }
    return unsupported(inst, "has no form");
}

/// The condition code register; it reads as 0 before anything has set it.
ValueId Builder::carry(Instance& at) {
    if (at.carry != kNone) return at.carry;
    at.carry = temp(ptx::Type::pred);
    Inst m;
    m.kind = InstKind::move;
    m.ptx = details_;
    m.counted = false;
    m.type = ptx::Type::pred;
    m.in = {Operand::integer(0)};
    m.out = {at.carry};
    auto& first = f_.blocks[0].insts;
    first.insert(first.begin(), std::move(m));
    return at.carry;
}

Result<void> Builder::data(Instance& at, const Instruction& inst) {
    auto outs = destinations(at, inst, inst.operands[0]);
    if (!outs) return outs.error();
    std::vector<Operand> in;
    for (std::size_t i = 1; i < inst.operands.size(); ++i) {
        auto s = source(at, inst, inst.operands[i]);
        if (!s) return s.error();
        in.push_back(*s);
    }
    if (ptx::facts(inst.op).family == ptx::Family::carry) in.push_back(Operand::of(carry(at)));
    if (inst.has(Mod::cc)) outs->push_back(carry(at));
    Inst& d = emit(InstKind::data, &inst);
    d.in = std::move(in);
    d.out = std::move(*outs);
    d.type = inst.type(0);
    return {};
}

Result<void> Builder::move(Instance& at, const Instruction& inst) {
    const auto& dst = inst.operands[0];
    const auto& src = inst.operands[1];
    auto outs = destinations(at, inst, dst);
    if (!outs) return outs.error();
    if (dst.kind != OK::vector && src.kind == OK::special) {
        Inst& s = emit(InstKind::special, &inst);
        s.special = src.special;
        s.out = *outs;
        return {};
    }
    std::vector<Operand> in;
    if (dst.kind == OK::vector || src.kind != OK::vector) {
        auto s = source(at, inst, src);
        if (!s) return s.error();
        in.push_back(*s);
    } else if (auto r = sources(at, inst, src, in); !r) {
        return r;
    }
    Inst& m = emit(dst.kind == OK::vector   ? InstKind::unpack
                   : src.kind == OK::vector ? InstKind::pack
                                            : InstKind::move,
                   &inst);
    m.type = inst.type(0);
    m.in = std::move(in);
    m.out = *outs;
    return {};
}

namespace {

/// The word of a policy that no lane has to compute.
std::optional<std::uint64_t> constant_policy(const ptx::Instruction& inst) {
    if (!inst.has(Mod::fractional)) return {};
    if (inst.operands.size() < 2) return policy_priorities(inst) | policy_fraction(1);
    const auto& o = inst.operands[1];
    if (o.kind != OK::real) return {};
    return policy_priorities(inst) |
           policy_fraction(o.is_f32_bits ? std::bit_cast<float>(static_cast<std::uint32_t>(o.value))
                                         : static_cast<float>(std::bit_cast<double>(o.value)));
}

}  // namespace

Result<void> Builder::policy(Instance& at, const Instruction& inst) {
    const bool converts = inst.has(Mod::cvt_);
    const auto constant = constant_policy(inst);
    if (!constant && !converts) return async_op(at, inst);
    auto outs = destinations(at, inst, inst.operands[0]);
    if (!outs) return outs.error();
    // An access property of the CUDA library is a policy already.
    auto word = converts ? source(at, inst, inst.operands.back()) : Result<Operand>(Operand::integer(*constant));
    if (!word) return word.error();
    Inst& i = emit(InstKind::move, &inst);
    i.type = ptx::Type::b64;
    i.in = {*word};
    i.out = *outs;
    return {};
}

Result<void> Builder::convert_address(Instance& at, const Instruction& inst, InstKind kind) {
    auto outs = destinations(at, inst, inst.operands[0]);
    if (!outs) return outs.error();
    auto s = source(at, inst, inst.operands[1]);
    if (!s) return s.error();
    Inst& c = emit(kind, &inst);
    c.space = details_->space();
    c.type = inst.type(0) == ptx::Type::none ? ptx::Type::u64 : inst.type(0);
    c.in = {*s};
    c.out = *outs;
    return {};
}

Result<void> Builder::one_input(Instance& at, const Instruction& inst, InstKind kind) {
    auto s = source(at, inst, inst.operands[0]);
    if (!s) return s.error();
    emit(kind, &inst).in = {*s};
    return {};
}

Result<void> Builder::warp_op(Instance& at, const Instruction& inst, InstKind kind) {
    auto outs = destinations(at, inst, inst.operands[0]);
    if (!outs) return outs.error();
    std::vector<Operand> in;
    for (std::size_t i = 1; i < inst.operands.size(); ++i) {
        auto s = source(at, inst, inst.operands[i]);
        if (!s) return s.error();
        in.push_back(*s);
    }
    Inst& w = emit(kind, &inst);
    w.type = inst.type(0);
    w.in = std::move(in);
    w.out = std::move(*outs);
    return {};
}

Result<void> Builder::barrier(Instance& at, const Instruction& inst) {
    Inst b;
    b.kind = InstKind::barrier;
    b.ptx = details_;
    const bool reduces = inst.has(Mod::red);
    if (reduces && inst.operands.size() < 3) return unsupported(inst, "needs a result, a barrier and a predicate");
    if (reduces) {
        auto outs = destinations(at, inst, inst.operands[0]);
        if (!outs) return outs.error();
        b.out = *outs;
    }
    // The operands after the result: barrier number (0 when it is missing), thread count, predicate (of .red).
    b.in.resize(3);
    b.in[0] = Operand::integer(0);
    const std::size_t first = reduces ? 1 : 0, predicate = inst.operands.size() - (reduces ? 1 : 0);
    for (std::size_t i = first; i < inst.operands.size(); ++i) {
        const auto place = i == predicate ? 2 : i - first;
        if (place > 2 || (place == 2 && i != predicate)) break;
        auto s = source(at, inst, inst.operands[i]);
        if (!s) return s.error();
        b.in[place] = *s;
    }
    f_.waits = true;
    append(std::move(b));
    return {};
}

Result<void> Builder::set_registers(const Instruction& inst) {
    const auto& o = inst.operands[0];
    if (!inst.has(Mod::inc) && !inst.has(Mod::dec)) return unsupported(inst, "needs .inc or .dec");
    if (o.kind != OK::integer || o.value < 24 || o.value > 256 || o.value % 8 != 0)
        return unsupported(inst, "the number of registers must be a constant from 24 to 256, a multiple of 8");
    emit(InstKind::nop, &inst);
    return {};
}

Result<void> Builder::matrix(Instance& at, const Instruction& inst) {
    if (inst.op != Op::mma && (inst.op != Op::wmma || inst.has(Mod::load) || inst.has(Mod::store)))
        return matrix_memory(at, inst);
    Inst m;
    m.kind = InstKind::matrix;
    m.ptx = details_;
    m.type = inst.types.empty() ? ptx::Type::b16 : inst.types.back();
    m.space = details_->space();
    auto outs = destinations(at, inst, inst.operands[0]);
    if (!outs) return outs.error();
    m.out = *outs;
    for (std::size_t i = 1; i < inst.operands.size(); ++i)
        if (auto r = sources(at, inst, inst.operands[i], m.in); !r) return r;
    append(std::move(m));
    return {};
}

/// ldmatrix, stmatrix, wmma.load, wmma.store. in: address, [stride], then the stored fragment.
Result<void> Builder::matrix_memory(Instance& at, const Instruction& inst) {
    const bool stores = inst.op == Op::stmatrix || (inst.op == Op::wmma && inst.has(Mod::store));
    Inst m;
    m.kind = stores ? InstKind::matrix_store : InstKind::matrix_load;
    m.ptx = details_;
    m.type = inst.types.empty() ? ptx::Type::b16 : inst.types.back();
    m.space = details_->space();
    if (auto r = address(at, inst, inst.operands[stores ? 0 : 1], m); !r) return r;
    if (!stores) {
        auto outs = destinations(at, inst, inst.operands[0]);
        if (!outs) return outs.error();
        m.out = *outs;
    }
    if (inst.op == Op::wmma && inst.operands.size() > 2)
        if (auto r = sources(at, inst, inst.operands[2], m.in); !r) return r;
    if (stores)
        if (auto r = sources(at, inst, inst.operands[1], m.in); !r) return r;
    append(std::move(m));
    return {};
}

}  // namespace warpwright::simt
