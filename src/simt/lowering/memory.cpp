// Loads, stores, atomics and asynchronous copies of PTX -> warp IR.
#include <algorithm>

#include "simt/lowering/builder.hpp"
#include "support/covers.hpp"

namespace warpwright::simt {

using ptx::Mod;
using OK = ptx::Operand::Kind;

namespace {

ptx::Type element_type(const ptx::Instruction& inst) { return inst.types.empty() ? ptx::Type::b32 : inst.types.back(); }

}  // namespace

/// .shared::cluster addresses may belong to another block: they are resolved like generic ones.
void Builder::reach_cluster(const Instruction& inst, Inst& access) {
    if (!inst.has(Mod::shared_cluster)) return;
    const auto out = temp(ptx::Type::b64);
    Inst& g = emit_glue(InstKind::to_generic, inst);
    g.space = Space::shared;
    g.type = ptx::Type::u64;
    g.in = {access.in[0]};
    g.out = {out};
    access.in[0] = Operand::of(out);
    access.space = Space::generic;
}

/// Whether an operand of ld.param is in the kernel's own parameter block. What a register addresses is, in the kernel's
/// own text; in a function, also in one that was inlined, it is a parameter that has been put into memory.
bool Builder::is_kernel_parameter(const Instance& at, const ptx::Operand& a) const {
    if (!f_.kernel || inline_stack_.size() != 1) return false;
    if (a.base != ptx::Operand::Base::variable) return true;
    const auto& own = at.source->parameters;
    return module_.variables[a.symbol].function == at.id && std::count(own.begin(), own.end(), a.symbol);
}

Result<void> Builder::load_parameter(Instance& at, const Instruction& inst, std::vector<ValueId> outs) {
    const auto& a = inst.operands[1];
    const auto type = element_type(inst);
    const bool own = is_kernel_parameter(at, a);
    if (!own && a.base == ptx::Operand::Base::variable) {
        std::uint64_t offset = static_cast<std::uint64_t>(a.offset);
        auto storage = storage_of(at, a.symbol);
        for (auto out : outs) {
            load_storage(inst, storage, offset, type);
            Inst& l = f_.blocks[current_].insts.back();
            l.counted = out == outs.front();
            if (out != kNone) l.out = {out};
            offset += ptx::bytes(type);
        }
        return {};
    }
    Inst p;
    p.kind = own ? InstKind::param : InstKind::load;
    p.ptx = details_;
    p.type = type;
    p.space = own ? Space::param : Space::local;
    if (auto r = address(at, inst, a, p); !r) return r;
    if (!own) {
        p.out = std::move(outs);
        append(std::move(p));
        return {};
    }
    if (p.in[0].is_integer()) {
        // Two's complement, which wraps: what is beyond the parameters is refused below.
        p.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(p.offset) + p.in[0].bits);
        p.in.clear();
        // A structure's last words are sometimes read as part of a wider vector.
        const auto most = (std::uint64_t{f_.param_bytes} + 15) / 16 * 16;
        if (f_.kernel && !covers(0, most, static_cast<std::uint64_t>(p.offset), ptx::bytes(type) * outs.size()))
            return unsupported(inst, "reads at offset " + std::to_string(p.offset) + " of the kernel's parameters, " +
                                         "which take " + std::to_string(f_.param_bytes) + " bytes");
    }
    p.out = std::move(outs);
    append(std::move(p));
    return {};
}

/// 128-bit elements travel as two halves each.
void Builder::join_halves(const Instruction& inst, Inst load, const std::vector<ValueId>& outs) {
    const auto type = load.type;
    load.type = ptx::Type::b64;
    for (std::size_t k = 0; k < 2 * outs.size(); ++k) load.out.push_back(temp(ptx::Type::b64));
    const auto halves = load.out;
    append(std::move(load));
    for (std::size_t k = 0; k < outs.size(); ++k) {
        if (outs[k] == kNone) continue;
        Inst& join = emit_glue(InstKind::pack, inst);
        join.type = type;
        join.in = {Operand::of(halves[2 * k]), Operand::of(halves[2 * k + 1])};
        join.out = {outs[k]};
    }
}

Result<void> Builder::load(Instance& at, const Instruction& inst) {
    auto outs = destinations(at, inst, inst.operands[0]);
    if (!outs) return outs.error();
    const auto space = details_->space();
    if (space == Space::param) return load_parameter(at, inst, std::move(*outs));
    Inst l;
    l.kind = InstKind::load;
    l.ptx = details_;
    l.space = space;
    l.type = element_type(inst);
    if (auto r = address(at, inst, inst.operands[1], l); !r) return r;
    reach_cluster(inst, l);
    if (ptx::bytes(l.type) > 8) {
        join_halves(inst, std::move(l), *outs);
        return {};
    }
    l.out = std::move(*outs);
    append(std::move(l));
    return {};
}

Result<void> Builder::store_parameter(Instance& at, const Instruction& inst, const std::vector<Operand>& values) {
    const auto& a = inst.operands[0];
    if (a.base != ptx::Operand::Base::variable) return unsupported(inst, "expects a parameter's name");
    const auto type = element_type(inst);
    std::uint64_t offset = static_cast<std::uint64_t>(a.offset);
    auto storage = storage_of(at, a.symbol);
    for (std::size_t i = 0; i < values.size(); ++i) {
        store_storage(inst, storage, offset, type, values[i]);
        f_.blocks[current_].insts.back().counted = i == 0;
        offset += ptx::bytes(type);
    }
    return {};
}

void Builder::split_halves(const Instruction& inst, const std::vector<Operand>& values, Inst& store) {
    const auto type = store.type;
    store.type = ptx::Type::b64;
    for (const auto& v : values) {
        const auto low = temp(ptx::Type::b64), high = temp(ptx::Type::b64);
        Inst& split = emit_glue(InstKind::unpack, inst);
        split.type = type;
        split.in = {v};
        split.out = {low, high};
        store.in.push_back(Operand::of(low));
        store.in.push_back(Operand::of(high));
    }
}

Result<void> Builder::store(Instance& at, const Instruction& inst) {
    std::vector<Operand> values;
    if (auto r = sources(at, inst, inst.operands[1], values); !r) return r;
    const auto space = details_->space();
    if (space == Space::param) return store_parameter(at, inst, values);
    Inst s;
    s.kind = InstKind::store;
    s.ptx = details_;
    s.space = space;
    s.type = element_type(inst);
    if (auto r = address(at, inst, inst.operands[0], s); !r) return r;
    reach_cluster(inst, s);
    if (ptx::bytes(s.type) > 8)
        split_halves(inst, values, s);
    else
        s.in.insert(s.in.end(), values.begin(), values.end());
    append(std::move(s));
    return {};
}

Result<void> Builder::atomic(Instance& at, const Instruction& inst) {
    Inst a;
    a.kind = InstKind::atomic;
    a.ptx = details_;
    a.space = details_->space();
    a.type = element_type(inst);
    std::size_t first = 0;
    if (ptx::facts(inst.op).destination == ptx::Destination::first) {
        auto outs = destinations(at, inst, inst.operands[0]);
        if (!outs) return outs.error();
        a.out = std::move(*outs);
        first = 1;
    }
    if (auto r = address(at, inst, inst.operands[first], a); !r) return r;
    reach_cluster(inst, a);
    for (std::size_t i = first + 1; i < operands_of(inst); ++i)
        if (auto r = sources(at, inst, inst.operands[i], a.in); !r) return r;
    append(std::move(a));
    return {};
}

Result<void> Builder::copy_async(Instance& at, const Instruction& inst) {
    Inst c;
    c.kind = InstKind::copy_async;
    c.ptx = details_;
    c.space = Space::shared;
    c.type = ptx::Type::b8;
    if (auto r = address(at, inst, inst.operands[0], c); !r) return r;
    Inst from;
    if (auto r = address(at, inst, inst.operands[1], from); !r) return r;
    // The instruction's offset belongs to the first address; the second's is added before.
    if (from.offset != 0) {
        auto sum = temp(ptx::Type::b64);
        Inst& add = emit_glue(InstKind::add_offset, inst);
        add.type = ptx::Type::u64;
        add.in = {from.in[0]};
        add.offset = from.offset;
        add.out = {sum};
        c.in.push_back(Operand::of(sum));
    } else {
        c.in.push_back(from.in[0]);
    }
    const auto& size = inst.operands[2];
    if (size.kind != OK::integer || (size.value != 4 && size.value != 8 && size.value != 16))
        return unsupported(inst, "the copy size must be a constant 4, 8 or 16");
    c.copy_bytes = static_cast<std::uint32_t>(size.value);
    if (operands_of(inst) > 3) {
        auto s = source(at, inst, inst.operands[3]);
        if (!s) return s.error();
        c.in.push_back(*s);
    }
    append(std::move(c));
    return {};
}

}  // namespace warpwright::simt
