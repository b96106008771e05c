// Loads, stores, atomics and asynchronous copies of PTX -> warp IR.
#include <algorithm>

#include "simt/builder.hpp"

namespace warpwright::simt {

using ptx::Mod;
using ptx::Op;
using ptx::Space;
using OK = ptx::Operand::Kind;

/// .shared::cluster addresses may be those of another block: they are looked up as generic ones are.
void Builder::reach_cluster(const ptx::Instruction& inst, Inst& access) {
    if (!inst.has(Mod::shared_cluster)) return;
    const auto out = temp(ptx::Type::b64);
    Inst& g = emit(InstKind::to_generic, &inst);
    g.counted = false;
    g.space = Space::shared;
    g.type = ptx::Type::u64;
    g.in = {access.in[0]};
    g.out = {out};
    access.in[0] = Operand::of(out);
    access.space = Space::generic;
}

Result<void> Builder::memory(Instance& at, const ptx::Instruction& inst) {
    const auto space = space_of(inst);
    switch (inst.op) {
        case Op::ld:
        case Op::ldu: {
            auto outs = destinations(at, inst, inst.operands[0]);
            if (!outs) return outs.error();
            const auto& a = inst.operands[1];
            const auto type = inst.types.empty() ? ptx::Type::b32 : inst.types.back();
            if (space == Space::param) {
                const bool kernel_param =
                    f_.kernel && (a.base != ptx::Operand::Base::variable ||
                                  (module_.variables[a.symbol].function == at.id && inline_stack_.size() == 1 &&
                                   std::count(at.source->parameters.begin(), at.source->parameters.end(), a.symbol)));
                if (!kernel_param && a.base == ptx::Operand::Base::variable) {
                    std::uint64_t offset = static_cast<std::uint64_t>(a.offset);
                    auto storage = storage_of(at, a.symbol);
                    for (auto out : *outs) {
                        auto v = load_storage(inst, storage, offset, type);
                        f_.blocks[current_].insts.back().counted = out == outs->front();
                        if (out != kNone) f_.blocks[current_].insts.back().out = {out};
                        (void)v;
                        offset += ptx::bytes(type);
                    }
                    return {};
                }
                Inst p;
                p.kind = InstKind::param;
                p.ptx = &inst;
                p.type = type;
                p.space = Space::param;
                if (auto r = address(at, inst, a, p); !r) return r;
                if (p.in[0].is_integer()) {
                    p.offset += static_cast<std::int64_t>(p.in[0].bits);
                    p.in.clear();
                }
                p.out = *outs;
                f_.blocks[current_].insts.push_back(std::move(p));
                return {};
            }
            Inst l;
            l.kind = InstKind::load;
            l.ptx = &inst;
            l.space = space;
            l.type = type;
            if (auto r = address(at, inst, a, l); !r) return r;
            reach_cluster(inst, l);
            if (ptx::bytes(type) <= 8) {
                l.out = *outs;
                f_.blocks[current_].insts.push_back(std::move(l));
                return {};
            }
            // 128-bit elements travel as two halves each.
            l.type = ptx::Type::b64;
            for (std::size_t k = 0; k < 2 * outs->size(); ++k) l.out.push_back(temp(ptx::Type::b64));
            const auto halves = l.out;
            f_.blocks[current_].insts.push_back(std::move(l));
            for (std::size_t k = 0; k < outs->size(); ++k) {
                if ((*outs)[k] == kNone) continue;
                Inst& join = emit(InstKind::pack, &inst);
                join.counted = false;
                join.type = type;
                join.in = {Operand::of(halves[2 * k]), Operand::of(halves[2 * k + 1])};
                join.out = {(*outs)[k]};
            }
            return {};
        }
        case Op::st: {
            const auto& a = inst.operands[0];
            const auto& d = inst.operands[1];
            const auto type = inst.types.empty() ? ptx::Type::b32 : inst.types.back();
            std::vector<Operand> values;
            auto add = [&](const ptx::Operand& e) -> Result<void> {
                auto s = source(at, inst, e);
                if (!s) return s.error();
                values.push_back(*s);
                return {};
            };
            if (d.kind == OK::vector) {
                for (const auto& e : d.elements)
                    if (auto r = add(e); !r) return r;
            } else if (auto r = add(d); !r) {
                return r;
            }
            if (space == Space::param) {
                if (a.base != ptx::Operand::Base::variable) return unsupported(inst, "expects a parameter's name");
                std::uint64_t offset = static_cast<std::uint64_t>(a.offset);
                auto storage = storage_of(at, a.symbol);
                for (std::size_t i = 0; i < values.size(); ++i) {
                    store_storage(inst, storage, offset, type, values[i]);
                    f_.blocks[current_].insts.back().counted = i == 0;
                    offset += ptx::bytes(type);
                }
                return {};
            }
            Inst s;
            s.kind = InstKind::store;
            s.ptx = &inst;
            s.space = space;
            s.type = type;
            if (auto r = address(at, inst, a, s); !r) return r;
            reach_cluster(inst, s);
            if (ptx::bytes(type) > 8) s.type = ptx::Type::b64;
            for (auto& v : values) {
                if (ptx::bytes(type) <= 8) {
                    s.in.push_back(v);
                    continue;
                }
                const auto low = temp(ptx::Type::b64), high = temp(ptx::Type::b64);
                Inst& split = emit(InstKind::unpack, &inst);
                split.counted = false;
                split.type = type;
                split.in = {v};
                split.out = {low, high};
                s.in.push_back(Operand::of(low));
                s.in.push_back(Operand::of(high));
            }
            f_.blocks[current_].insts.push_back(std::move(s));
            return {};
        }
        case Op::atom:
        case Op::red: {
            Inst a;
            a.kind = InstKind::atomic;
            a.ptx = &inst;
            a.space = space;
            a.type = inst.types.empty() ? ptx::Type::b32 : inst.types.back();
            const std::size_t first = inst.op == Op::atom ? 1 : 0;
            std::vector<ValueId> results;
            if (first) {
                auto outs = destinations(at, inst, inst.operands[0]);
                if (!outs) return outs.error();
                results = *outs;
            }
            if (auto r = address(at, inst, inst.operands[first], a); !r) return r;
            reach_cluster(inst, a);
            // A trailing L2 cache policy is no operand of the operation.
            auto last = inst.operands.size() - (inst.has(Mod::L2_cache_hint) ? 1 : 0);
            for (std::size_t i = first + 1; i < last; ++i) {
                const auto& o = inst.operands[i];
                if (o.kind == OK::vector) {
                    for (const auto& e : o.elements) {
                        auto s = source(at, inst, e);
                        if (!s) return s.error();
                        a.in.push_back(*s);
                    }
                    continue;
                }
                auto s = source(at, inst, o);
                if (!s) return s.error();
                a.in.push_back(*s);
            }
            a.out = results;
            f_.blocks[current_].insts.push_back(std::move(a));
            return {};
        }
        case Op::cp_async: {
            Inst c;
            c.kind = InstKind::copy_async;
            c.ptx = &inst;
            c.space = Space::shared;
            if (auto r = address(at, inst, inst.operands[0], c); !r) return r;
            Inst from;
            if (auto r = address(at, inst, inst.operands[1], from); !r) return r;
            // in: shared address, global address, [source size or ignore predicate]; offset applies to the first,
            // the second's is folded in by an explicit add.
            if (from.offset != 0) {
                auto sum = temp(ptx::Type::b64);
                Inst& add = emit(InstKind::to_generic, &inst);
                add.counted = false;
                add.space = Space::global;
                add.type = ptx::Type::u64;
                add.in = {from.in[0]};
                add.offset = from.offset;
                add.out = {sum};
                c.in.push_back(Operand::of(sum));
            } else {
                c.in.push_back(from.in[0]);
            }
            c.type = ptx::Type::b8;
            if (inst.operands.size() < 3 || inst.operands[2].kind != OK::integer)
                return unsupported(inst, "the copy size must be a constant 4, 8 or 16");
            c.symbol = static_cast<std::uint32_t>(inst.operands[2].value);
            if (c.symbol != 4 && c.symbol != 8 && c.symbol != 16)
                return unsupported(inst, "the copy size must be a constant 4, 8 or 16");
            auto last = inst.operands.size() - (inst.has(Mod::L2_cache_hint) ? 1 : 0);
            if (last > 3) {
                auto s = source(at, inst, inst.operands[3]);
                if (!s) return s.error();
                c.in.push_back(*s);
            }
            f_.blocks[current_].insts.push_back(std::move(c));
            return {};
        }
        case Op::cp_async_commit_group:
        case Op::cp_async_wait_group:
        case Op::cp_async_wait_all:
            emit(InstKind::copy_group, &inst);
            return {};
        case Op::ldmatrix:
        case Op::stmatrix:
            return matrix(at, inst);
        case Op::prefetch:
        case Op::prefetchu:
        case Op::applypriority:
        case Op::discard:
            emit(InstKind::prefetch, &inst);
            return {};
        default:
            return unsupported(inst, "is not executed by this version of the emulated GPU");
    }
}

}  // namespace warpwright::simt
