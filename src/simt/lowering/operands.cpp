// Operands of PTX instructions -> operands of the warp IR, with the instructions that make addresses of variables.
#include "simt/lowering/builder.hpp"

namespace warpwright::simt {

using OK = ptx::Operand::Kind;

Operand Builder::address_of(const Instruction& inst, Space space, std::uint32_t symbol, std::int64_t offset) {
    auto out = temp(ptx::Type::b64);
    Inst& a = emit_glue(InstKind::address, inst);
    a.symbol = symbol;
    a.space = space;
    a.type = ptx::Type::b64;
    a.offset = offset;
    a.out = {out};
    return Operand::of(out);
}

/// For a kernel's own parameter, its place in the parameter block. For another, the address of its storage, which must
/// then be memory (promote_parameters() makes it a local address).
Operand Builder::parameter_address(Instance& at, const Instruction& inst, std::uint32_t symbol, std::int64_t offset) {
    if (f_.kernel && inline_stack_.size() == 1 && module_.variables[symbol].function == at.id)
        for (std::size_t i = 0; i < at.source->parameters.size(); ++i)
            if (at.source->parameters[i] == symbol)
                return Operand::integer(f_.param_offsets[i] + static_cast<std::uint64_t>(offset));
    auto s = storage_of(at, symbol);
    f_.storages[s].in_memory = true;
    return address_of(inst, Space::param, s, offset);
}

Operand Builder::variable_address(Instance& at, const Instruction& inst, std::uint32_t symbol, std::int64_t offset) {
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
            // In a function that is not inlined, local memory starts at the frame: the engine adds its base.
            return address_of(inst, Space::local, symbol, static_cast<std::int64_t>(place.offset) + offset);
        }
        case Space::param:
            return parameter_address(at, inst, symbol, offset);
        default:
            return address_of(inst, v.space, symbol, offset);
    }
}

Result<Operand> Builder::source(Instance& at, const Instruction& inst, const ptx::Operand& o) {
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
            const auto width = ptx::bits(o.special);
            auto out = temp(width == 64 ? ptx::Type::b64 : width == 1 ? ptx::Type::pred : ptx::Type::b32);
            Inst& s = emit_glue(InstKind::special, inst);
            s.special = o.special;
            s.out = {out};
            return Operand::of(out);
        }
        case OK::variable:
            return variable_address(at, inst, o.symbol, o.offset);
        case OK::function: {
            auto out = temp(ptx::Type::b64);
            Inst& i = emit_glue(InstKind::function, inst);
            i.symbol = o.symbol;
            i.out = {out};
            return Operand::of(out);
        }
        case OK::sink:
            return Operand{};
        default:
            return unsupported(inst, "this kind of operand is not supported here");
    }
}

Result<void> Builder::sources(Instance& at, const Instruction& inst, const ptx::Operand& o, std::vector<Operand>& in) {
    auto add = [&](const ptx::Operand& e) -> Result<void> {
        auto s = source(at, inst, e);
        if (!s) return s.error();
        in.push_back(*s);
        return {};
    };
    if (o.kind != OK::vector) return add(o);
    for (const auto& e : o.elements)
        if (auto r = add(e); !r) return r;
    return {};
}

Result<std::vector<ValueId>> Builder::destinations(Instance& at, const Instruction& inst, const ptx::Operand& o) {
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

Result<void> Builder::address(Instance& at, const Instruction& inst, const ptx::Operand& o, Inst& into) {
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

}  // namespace warpwright::simt
