// One PTX instruction that is no branch or call -> warp IR instructions.
#include <algorithm>

#include "simt/builder.hpp"

namespace warpwright::simt {

using ptx::Mod;
using ptx::Op;
using ptx::Space;
using OK = ptx::Operand::Kind;

Operand Builder::variable_address(Instance& at, const ptx::Instruction& inst, std::uint32_t symbol,
                                  std::int64_t offset) {
    const auto& v = module_.variables[symbol];
    switch (v.space) {
        case Space::shared:
            return Operand::integer(f_.placements[symbol].offset + static_cast<std::uint64_t>(offset));
        case Space::local: {
            auto& place = f_.placements[symbol];
            if (!place.placed) {
                std::uint64_t align = std::max<std::uint64_t>(v.align ? v.align : 1, 8);
                f_.local_bytes = (f_.local_bytes + align - 1) / align * align;
                place = {f_.local_bytes, true};
                f_.local_bytes += v.size;
            }
            // In a really called function local memory starts at the frame: the engine adds its base.
            Inst& a = emit(InstKind::address, &inst);
            a.counted = false;
            a.symbol = symbol;
            a.space = Space::local;
            a.type = ptx::Type::b64;
            a.offset = static_cast<std::int64_t>(place.offset) + offset;
            auto out = temp(ptx::Type::b64);
            a.out = {out};
            return Operand::of(out);
        }
        case Space::param: {
            if (f_.kernel && inline_stack_.size() == 1 && v.function == at.id)
                for (std::size_t i = 0; i < at.source->parameters.size(); ++i)
                    if (at.source->parameters[i] == symbol)
                        return Operand::integer(f_.param_offsets[i] + static_cast<std::uint64_t>(offset));
            auto s = storage_of(at, symbol);
            storages_[s].in_memory = true;
            Inst& a = emit(InstKind::address, &inst);
            a.counted = false;
            a.symbol = s;
            a.space = Space::param;  // promote() turns it into a local address
            a.type = ptx::Type::b64;
            a.offset = offset;
            auto out = temp(ptx::Type::b64);
            f_.blocks[current_].insts.back().out = {out};
            return Operand::of(out);
        }
        default: {
            Inst& a = emit(InstKind::address, &inst);
            a.counted = false;
            a.symbol = symbol;
            a.space = v.space;
            a.type = ptx::Type::b64;
            a.offset = offset;
            auto out = temp(ptx::Type::b64);
            f_.blocks[current_].insts.back().out = {out};
            return Operand::of(out);
        }
    }
}

Result<Operand> Builder::source(Instance& at, const ptx::Instruction& inst, const ptx::Operand& o) {
    switch (o.kind) {
        case OK::reg: {
            auto r = Operand::of(at.register_base + o.reg);
            r.negated = o.negated;
            return r;
        }
        case OK::integer:
            return Operand::integer(o.value);
        case OK::real: {
            Operand r;
            r.kind = Operand::Kind::real;
            r.bits = o.value;
            r.f32_bits = o.is_f32_bits;
            return r;
        }
        case OK::special: {
            Inst& s = emit(InstKind::special, &inst);
            s.counted = false;
            s.special = o.special;
            auto out = temp(ptx::bits(o.special) == 64  ? ptx::Type::b64
                            : ptx::bits(o.special) == 1 ? ptx::Type::pred
                                                        : ptx::Type::b32);
            f_.blocks[current_].insts.back().out = {out};
            return Operand::of(out);
        }
        case OK::variable:
            return variable_address(at, inst, o.symbol, o.offset);
        case OK::function: {
            emit(InstKind::function, &inst).symbol = o.symbol;
            auto out = temp(ptx::Type::b64);
            auto& i = f_.blocks[current_].insts.back();
            i.out = {out};
            i.counted = false;
            return Operand::of(out);
        }
        case OK::sink:
            return Operand{};
        default:
            return unsupported(inst, "this kind of operand is not supported here");
    }
}

Result<std::vector<ValueId>> Builder::destinations(Instance& at, const ptx::Instruction& inst, const ptx::Operand& o) {
    std::vector<ValueId> out;
    auto add = [&](const ptx::Operand& e) {
        if (e.kind == OK::reg)
            out.push_back(at.register_base + e.reg);
        else if (e.kind == OK::sink)
            out.push_back(kNone);
        else
            return false;
        return true;
    };
    if (o.kind == OK::vector || o.kind == OK::pair) {
        for (const auto& e : o.elements)
            if (!add(e)) return unsupported(inst, "a destination must be a register");
    } else if (!add(o)) {
        return unsupported(inst, "a destination must be a register");
    }
    return out;
}

Result<void> Builder::address(Instance& at, const ptx::Instruction& inst, const ptx::Operand& o, Inst& into) {
    if (o.kind != OK::address && o.kind != OK::variable) {
        if (o.kind != OK::reg) return unsupported(inst, "an address in brackets is expected");
        into.in.push_back(Operand::of(at.register_base + o.reg));
        return {};
    }
    if (o.kind == OK::variable || o.base == ptx::Operand::Base::variable) {
        auto a = variable_address(at, inst, o.symbol, 0);
        into.offset = o.offset;
        into.in.push_back(a);
    } else if (o.base == ptx::Operand::Base::reg) {
        into.in.push_back(Operand::of(at.register_base + o.reg));
        into.offset = o.offset;
    } else {
        into.in.push_back(Operand::integer(static_cast<std::uint64_t>(o.offset)));
    }
    return {};
}

Space space_of(const ptx::Instruction& inst) {
    for (auto m : inst.mods) switch (m) {
            case Mod::global:
                return Space::global;
            case Mod::shared:
            case Mod::shared_cta:
            case Mod::shared_cluster:
                return Space::shared;
            case Mod::local:
                return Space::local;
            case Mod::const_:
                return Space::constant;
            case Mod::param:
            case Mod::param_entry:
            case Mod::param_func:
                return Space::param;
            default:
                break;
        }
    return Space::generic;
}

Result<void> Builder::effect(Instance& at, const ptx::Instruction& inst) {
    if (is_async(inst)) return async_op(at, inst);
    switch (ptx::op_class(inst.op)) {
        case ptx::Class::later:
            return unsupported(inst, "is known but not executed by this version of the emulated GPU");
        case ptx::Class::memory:
            return memory(at, inst);
        case ptx::Class::warp:
            return warp_op(at, inst);
        case ptx::Class::barrier:
            return barrier(at, inst);
        case ptx::Class::tensor:
            return matrix(at, inst);
        case ptx::Class::control:
            if (inst.op == Op::call) return call(at, inst);
            if (inst.op == Op::nanosleep) {
                auto t = source(at, inst, inst.operands[0]);
                if (!t) return t.error();
                emit(InstKind::sleep, &inst).in = {*t};
                return {};
            }
            if (inst.op == Op::brkpt) {
                emit(InstKind::trap, &inst);
                return {};
            }
            emit(InstKind::nop, &inst);
            return {};
        case ptx::Class::move:
            if (inst.op == Op::mov) return move(at, inst);
            if (inst.op == Op::cvta) return convert_address(at, inst);
            if (inst.op == Op::createpolicy) {
                auto outs = destinations(at, inst, inst.operands[0]);
                if (!outs) return outs.error();
                Inst& i = emit(InstKind::move, &inst);
                i.type = ptx::Type::b64;
                i.in = {Operand::integer(0)};
                i.out = *outs;
                return {};
            }
            return data(at, inst);
        default:
            if (inst.op == Op::isspacep) return convert_address(at, inst);
            return data(at, inst);
    }
}

Result<void> Builder::data(Instance& at, const ptx::Instruction& inst) {
    auto outs = destinations(at, inst, inst.operands[0]);
    if (!outs) return outs.error();
    std::vector<Operand> in;
    for (std::size_t i = 1; i < inst.operands.size(); ++i) {
        const auto& o = inst.operands[i];
        if (inst.op == Op::lop3 && o.kind == OK::integer && i >= 4) {
            in.push_back(Operand::integer(o.value));
            continue;
        }
        auto s = source(at, inst, o);
        if (!s) return s.error();
        in.push_back(*s);
    }
    const bool carry_in = inst.op == Op::addc || inst.op == Op::subc || inst.op == Op::madc;
    const bool carry_out = inst.has(Mod::cc);
    if ((carry_in || carry_out) && at.carry == kNone) {
        at.carry = temp(ptx::Type::pred);
        // Reading CC.CF before anything set it reads 0.
        Inst m;
        m.kind = InstKind::move;
        m.ptx = &inst;
        m.counted = false;
        m.type = ptx::Type::pred;
        m.in = {Operand::integer(0)};
        m.out = {at.carry};
        auto& first = f_.blocks[0].insts;
        first.insert(first.begin(), std::move(m));
    }
    if (carry_in) in.push_back(Operand::of(at.carry));
    if (carry_out) outs->push_back(at.carry);
    Inst& d = emit(InstKind::data, &inst);
    d.in = std::move(in);
    d.out = std::move(*outs);
    d.type = inst.type(0);
    return {};
}

Result<void> Builder::move(Instance& at, const ptx::Instruction& inst) {
    const auto& dst = inst.operands[0];
    const auto& src = inst.operands[1];
    auto outs = destinations(at, inst, dst);
    if (!outs) return outs.error();
    if (dst.kind == OK::vector) {
        auto s = source(at, inst, src);
        if (!s) return s.error();
        Inst& u = emit(InstKind::unpack, &inst);
        u.type = inst.type(0);
        u.in = {*s};
        u.out = *outs;
        return {};
    }
    if (src.kind == OK::vector) {
        std::vector<Operand> in;
        for (const auto& e : src.elements) {
            auto s = source(at, inst, e);
            if (!s) return s.error();
            in.push_back(*s);
        }
        Inst& p = emit(InstKind::pack, &inst);
        p.type = inst.type(0);
        p.in = std::move(in);
        p.out = *outs;
        return {};
    }
    if (src.kind == OK::special) {
        Inst& s = emit(InstKind::special, &inst);
        s.special = src.special;
        s.out = *outs;
        return {};
    }
    auto s = source(at, inst, src);
    if (!s) return s.error();
    Inst& m = emit(InstKind::move, &inst);
    m.type = inst.type(0);
    m.in = {*s};
    m.out = *outs;
    return {};
}

Result<void> Builder::convert_address(Instance& at, const ptx::Instruction& inst) {
    auto outs = destinations(at, inst, inst.operands[0]);
    if (!outs) return outs.error();
    auto s = source(at, inst, inst.operands[1]);
    if (!s) return s.error();
    Inst& c = emit(inst.op == Op::isspacep ? InstKind::in_space
                   : inst.has(Mod::to)     ? InstKind::from_generic
                                           : InstKind::to_generic,
                   &inst);
    c.space = space_of(inst);
    c.type = inst.type(0) == ptx::Type::none ? ptx::Type::u64 : inst.type(0);
    c.in = {*s};
    c.out = *outs;
    return {};
}

Result<void> Builder::warp_op(Instance& at, const ptx::Instruction& inst) {
    if (inst.op == Op::bar_warp) {
        auto m = source(at, inst, inst.operands[0]);
        if (!m) return m.error();
        emit(InstKind::warp_barrier, &inst).in = {*m};
        return {};
    }
    auto outs = destinations(at, inst, inst.operands[0]);
    if (!outs) return outs.error();
    std::vector<Operand> in;
    for (std::size_t i = 1; i < inst.operands.size(); ++i) {
        auto s = source(at, inst, inst.operands[i]);
        if (!s) return s.error();
        in.push_back(*s);
    }
    InstKind kind = InstKind::nop;
    switch (inst.op) {
        case Op::shfl:
            kind = InstKind::shuffle;
            break;
        case Op::vote:
            kind = InstKind::vote;
            break;
        case Op::match:
            kind = InstKind::match;
            break;
        case Op::redux:
            kind = InstKind::reduce;
            break;
        case Op::activemask:
            kind = InstKind::active_mask;
            break;
        case Op::elect:
            kind = InstKind::elect;
            break;
        case Op::movmatrix:
            kind = InstKind::matrix_move;
            break;
        default:
            return unsupported(inst, "is not executed by this version of the emulated GPU");
    }
    Inst& w = emit(kind, &inst);
    w.type = inst.type(0);
    w.in = std::move(in);
    w.out = std::move(*outs);
    return {};
}

Result<void> Builder::barrier(Instance& at, const ptx::Instruction& inst) {
    if (inst.op == Op::membar || inst.op == Op::fence) {
        emit(InstKind::fence, &inst);
        return {};
    }
    if (inst.op != Op::bar && inst.op != Op::barrier)
        return unsupported(inst, "is not executed by this version of the emulated GPU");
    Inst b;
    b.kind = InstKind::barrier;
    b.ptx = &inst;
    std::size_t i = 0;
    if (inst.has(Mod::red)) {
        auto outs = destinations(at, inst, inst.operands[0]);
        if (!outs) return outs.error();
        b.out = *outs;
        i = 1;
    }
    // in: barrier number, thread count (none = all), predicate (bar.red)
    const std::size_t predicate = inst.has(Mod::red) ? inst.operands.size() - 1 : inst.operands.size();
    b.in.resize(3);
    if (i < predicate) {
        auto s = source(at, inst, inst.operands[i++]);
        if (!s) return s.error();
        b.in[0] = *s;
    } else {
        b.in[0] = Operand::integer(0);
    }
    if (i < predicate) {
        auto s = source(at, inst, inst.operands[i++]);
        if (!s) return s.error();
        b.in[1] = *s;
    }
    if (predicate < inst.operands.size()) {
        auto s = source(at, inst, inst.operands[predicate]);
        if (!s) return s.error();
        b.in[2] = *s;
    }
    f_.waits = true;
    f_.blocks[current_].insts.push_back(std::move(b));
    return {};
}

Result<void> Builder::matrix(Instance& at, const ptx::Instruction& inst) {
    const bool wmma_memory = inst.op == Op::wmma && (inst.has(Mod::load) || inst.has(Mod::store));
    Inst m;
    m.ptx = &inst;
    m.type = inst.types.empty() ? ptx::Type::b16 : inst.types.back();
    m.space = space_of(inst);
    auto add = [&](const ptx::Operand& o) -> Result<void> {
        if (o.kind == OK::vector) {
            for (const auto& e : o.elements) {
                auto s = source(at, inst, e);
                if (!s) return s.error();
                m.in.push_back(*s);
            }
            return {};
        }
        auto s = source(at, inst, o);
        if (!s) return s.error();
        m.in.push_back(*s);
        return {};
    };
    std::size_t first_source = 1;
    const bool stores = inst.op == Op::stmatrix || (inst.op == Op::wmma && inst.has(Mod::store));
    const bool memory = wmma_memory || inst.op == Op::ldmatrix || inst.op == Op::stmatrix;
    if (memory) {
        m.kind = stores ? InstKind::matrix_store : InstKind::matrix_load;
        if (auto r = address(at, inst, inst.operands[stores ? 0 : 1], m); !r) return r;
        if (!stores) {
            auto outs = destinations(at, inst, inst.operands[0]);
            if (!outs) return outs.error();
            m.out = *outs;
        }
        // in: address, [stride], then the stored fragment
        if (wmma_memory && inst.operands.size() > 2) {
            if (auto r = add(inst.operands[2]); !r) return r;
        }
        if (stores)
            if (auto r = add(inst.operands[1]); !r) return r;
    } else {
        m.kind = InstKind::matrix;
        auto outs = destinations(at, inst, inst.operands[0]);
        if (!outs) return outs.error();
        m.out = *outs;
        for (std::size_t i = first_source; i < inst.operands.size(); ++i)
            if (auto r = add(inst.operands[i]); !r) return r;
    }
    f_.blocks[current_].insts.push_back(std::move(m));
    return {};
}

}  // namespace warpwright::simt
