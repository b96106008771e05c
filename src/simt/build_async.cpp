// What sm_90 added -> warp IR: mbarriers, bulk copies, clusters, wgmma; and textures and surfaces. Except for what
// waits, these become one kind of instruction each lane hands its operands to; what they mean is for the engine
// (async_op, tensor/wgmma).
#include <algorithm>

#include "simt/builder.hpp"

namespace warpwright::simt {

using ptx::Mod;
using ptx::Op;
using OK = ptx::Operand::Kind;

bool Builder::is_async(const ptx::Instruction& inst) {
    switch (inst.op) {
        case Op::mbarrier:
        case Op::barrier_cluster:
        case Op::cp_async_bulk:
        case Op::cp_reduce_async_bulk:
        case Op::cp_async_mbarrier_arrive:
        case Op::mapa:
        case Op::getctarank:
        case Op::griddepcontrol:
        case Op::setmaxnreg:
        case Op::wgmma:
        case Op::tex:
        case Op::tld4:
        case Op::txq:
        case Op::suld:
        case Op::sust:
        case Op::sured:
        case Op::istypep:
        case Op::suq:
            return true;
        case Op::fence:
            return inst.has(Mod::proxy) || inst.has(Mod::mbarrier_init) || inst.has(Mod::op_restrict_mbarrier_init);
        case Op::st:
        case Op::red:
            return inst.has(Mod::async);
        default:
            return false;
    }
}

/// An address is two inputs, itself and its offset, and then what follows it in the brackets; a vector its elements.
Result<void> Builder::async_inputs(Instance& at, const ptx::Instruction& inst, const ptx::Operand& o,
                                   std::vector<Operand>& in) {
    if (o.kind == OK::vector) {
        for (const auto& e : o.elements)
            if (auto r = async_inputs(at, inst, e, in); !r) return r;
        return {};
    }
    if (o.kind == OK::address) {
        Inst place;
        if (auto r = address(at, inst, o, place); !r) return r;
        in.push_back(place.in[0]);
        in.push_back(Operand::integer(static_cast<std::uint64_t>(place.offset)));
        for (const auto& e : o.elements)
            if (auto r = async_inputs(at, inst, e, in); !r) return r;
        return {};
    }
    auto s = source(at, inst, o);
    if (!s) return s.error();
    in.push_back(*s);
    return {};
}

Result<void> Builder::async_op(Instance& at, const ptx::Instruction& inst) {
    // One address space, one order of accesses, no register file to share out: nothing to do, but counted.
    const bool nothing =
        inst.op == Op::fence || inst.op == Op::griddepcontrol || (inst.op == Op::wgmma && !inst.has(Mod::mma_async));
    if (inst.op == Op::setmaxnreg) {
        const auto& o = inst.operands[0];
        if (!inst.has(Mod::inc) && !inst.has(Mod::dec)) return unsupported(inst, "needs .inc or .dec");
        if (o.kind != OK::integer || o.value < 24 || o.value > 256 || o.value % 8 != 0)
            return unsupported(inst, "the number of registers must be a constant from 24 to 256, a multiple of 8");
    }
    if (nothing || inst.op == Op::setmaxnreg) {
        emit(InstKind::nop, &inst);
        return {};
    }
    Inst a;
    a.ptx = &inst;
    a.type = inst.types.empty() ? ptx::Type::none : inst.types.back();
    a.kind = InstKind::async_op;
    if (inst.op == Op::wgmma) a.kind = InstKind::matrix_async;
    if ((inst.op == Op::mbarrier && inst.has(Mod::try_wait)) || (inst.op == Op::barrier_cluster && inst.has(Mod::wait)))
        a.kind = InstKind::async_wait;
    std::size_t first = 0;
    if (!inst.operands.empty() && inst.operands[0].kind != OK::address &&
        (inst.op == Op::mbarrier || inst.op == Op::mapa || inst.op == Op::getctarank || inst.op == Op::tex ||
         inst.op == Op::tld4 || inst.op == Op::txq || inst.op == Op::suld || inst.op == Op::suq ||
         inst.op == Op::istypep)) {
        // A fetch may say beside its channels whether they are resident: {a, b, c, d}|p.
        const auto& to = inst.operands[0];
        const bool beside = to.kind == OK::pair && to.elements[0].kind == OK::vector;
        auto outs = destinations(at, inst, beside ? to.elements[0] : to);
        if (!outs) return outs.error();
        a.out = *outs;
        if (beside) {
            auto resident = destinations(at, inst, to.elements[1]);
            if (!resident) return resident.error();
            a.out.insert(a.out.end(), resident->begin(), resident->end());
        }
        first = 1;
    }
    if (inst.op == Op::wgmma) {
        // D is read and written.
        auto outs = destinations(at, inst, inst.operands[0]);
        if (!outs) return outs.error();
        a.out = *outs;
    }
    const auto last = inst.operands.size() - (inst.has(Mod::L2_cache_hint) ? 1 : 0);
    for (auto i = first; i < last; ++i)
        if (auto r = async_inputs(at, inst, inst.operands[i], a.in); !r) return r;
    f_.blocks[current_].insts.push_back(std::move(a));
    return {};
}

}  // namespace warpwright::simt
