// Lowers the instructions new in sm_90 to warp IR: mbarriers, bulk copies, clusters, tensor maps, wgmma; and textures
// and surfaces. Except for waits, each becomes an instruction to which each lane passes its operands; the engine gives
// them their meaning (engine/runtime, engine/tensor/wgmma).
#include "simt/lowering/builder.hpp"

namespace warpwright::simt {

using ptx::Form;
using OK = ptx::Operand::Kind;

/// An address is two inputs, itself and its offset, followed by the other items in the brackets; a vector is its
/// elements.
Result<void> Builder::async_inputs(Instance& at, const Instruction& inst, const ptx::Operand& o,
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

/// The registers of the first operand, if it is written; true when it is no input. A fetch may have a predicate beside
/// its channels that says whether they are resident: {a, b, c, d}|p.
Result<bool> Builder::async_results(Instance& at, const Instruction& inst, std::vector<ValueId>& out) {
    const auto& facts = ptx::facts(inst.op);
    const bool reads_too = facts.form == Form::wgmma;  // D
    if (!reads_too &&
        (facts.destination == ptx::Destination::none || inst.operands.empty() || inst.operands[0].kind == OK::address))
        return false;
    if (inst.operands.empty()) return unsupported(inst, "has no operands");
    const auto& to = inst.operands[0];
    const bool beside = to.kind == OK::pair && to.elements[0].kind == OK::vector;
    auto outs = destinations(at, inst, beside ? to.elements[0] : to);
    if (!outs) return outs.error();
    out = std::move(*outs);
    if (beside) {
        auto resident = destinations(at, inst, to.elements[1]);
        if (!resident) return resident.error();
        out.insert(out.end(), resident->begin(), resident->end());
    }
    return !reads_too;
}

Result<void> Builder::async_op(Instance& at, const Instruction& inst) {
    Inst a;
    a.ptx = details_;
    a.type = inst.types.empty() ? ptx::Type::none : inst.types.back();
    a.kind = ptx::facts(inst.op).form == Form::wgmma ? InstKind::matrix_async
             : inst.waits()                          ? InstKind::async_wait
                                                     : InstKind::async_op;
    auto written = async_results(at, inst, a.out);
    if (!written) return written.error();
    for (std::size_t i = *written ? 1 : 0; i < operands_of(inst); ++i)
        if (auto r = async_inputs(at, inst, inst.operands[i], a.in); !r) return r;
    append(std::move(a));
    return {};
}

}  // namespace warpwright::simt
