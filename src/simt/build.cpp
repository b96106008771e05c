// PTX function -> control-flow graph over registers.
#include <functional>

#include "ptx/place.hpp"
#include "simt/builder.hpp"

namespace warpwright::simt {

using ptx::Op;

ptx::Type register_class(ptx::Type type) {
    using T = ptx::Type;
    switch (type) {
        case T::pred:
        case T::f32:
        case T::f64:
            return type;
        default:
            break;
    }
    switch (ptx::bits(type)) {
        case 1:
            return T::pred;
        case 4:
        case 8:
        case 16:
            return T::b16;
        case 32:
            return T::b32;
        case 128:
            return T::b128;
        default:
            return T::b64;
    }
}

ValueId Builder::temp(ptx::Type type) {
    f_.values.push_back({register_class(type), kNone, kNone});
    return static_cast<ValueId>(f_.values.size() - 1);
}

Inst& Builder::emit(InstKind kind, const ptx::Instruction* inst) {
    auto& insts = f_.blocks[current_].insts;
    insts.emplace_back();
    insts.back().kind = kind;
    insts.back().ptx = inst;
    return insts.back();
}

Error Builder::unsupported(const ptx::Instruction& inst, const std::string& why) const {
    return Error{ErrorKind::input, inst.spelling() + ": " + why, {module_.name, inst.line, inst.column}, ""};
}

BlockId Builder::new_block() {
    f_.blocks.emplace_back();
    return static_cast<BlockId>(f_.blocks.size() - 1);
}

void Builder::jump_to(BlockId target, const ptx::Instruction* inst, bool counted) {
    auto& end = f_.blocks[current_].end;
    end.kind = Terminator::Kind::jump;
    end.targets = {target};
    end.ptx = inst;
    end.counted = counted;
}

CallGraph call_graph(const ptx::Module& module) {
    CallGraph g;
    const auto n = module.functions.size();
    g.callees.resize(n);
    g.recursive.assign(n, false);
    g.address_taken.assign(n, false);
    g.size.assign(n, 0);
    for (const auto& variable : module.variables)
        for (const auto& r : variable.relocations)
            if (r.is_function && r.symbol < n) g.address_taken[r.symbol] = true;
    for (std::uint32_t i = 0; i < n; ++i)
        for (const auto& inst : module.functions[i].body) {
            if (inst.call && inst.call->target.kind == ptx::Operand::Kind::function &&
                system_call_of(module.functions[inst.call->target.symbol]) == SystemCall::none)
                g.callees[i].push_back(inst.call->target.symbol);
            for (const auto& o : inst.operands)
                if (o.kind == ptx::Operand::Kind::function && o.symbol < n) g.address_taken[o.symbol] = true;
        }
    // A function is recursive when it can reach itself.
    for (std::uint32_t i = 0; i < n; ++i) {
        std::vector<bool> seen(n, false);
        std::vector<std::uint32_t> todo = g.callees[i];
        while (!todo.empty()) {
            auto c = todo.back();
            todo.pop_back();
            if (c == i) g.recursive[i] = true;
            if (seen[c]) continue;
            seen[c] = true;
            todo.insert(todo.end(), g.callees[c].begin(), g.callees[c].end());
        }
    }
    std::vector<bool> done(n, false);
    std::function<std::uint64_t(std::uint32_t)> size = [&](std::uint32_t i) -> std::uint64_t {
        if (done[i]) return g.size[i];
        done[i] = true;
        std::uint64_t s = module.functions[i].body.size();
        for (auto c : g.callees[i])
            if (!g.recursive[c]) s += size(c);
        return g.size[i] = s;
    };
    for (std::uint32_t i = 0; i < n; ++i) size(i);
    return g;
}

void Builder::place_shared(const std::set<std::uint32_t>& functions) {
    // Every shared variable that a reachable function mentions, in order of declaration; the unsized extern
    // ones all start where the static ones end.
    std::vector<bool> used(module_.variables.size(), false);
    std::function<void(const ptx::Operand&)> mark = [&](const ptx::Operand& o) {
        if (o.kind == ptx::Operand::Kind::variable ||
            (o.kind == ptx::Operand::Kind::address && o.base == ptx::Operand::Base::variable))
            used[o.symbol] = true;
        for (const auto& e : o.elements) mark(e);
    };
    for (auto i : functions)
        for (const auto& inst : module_.functions[i].body) {
            for (const auto& o : inst.operands) mark(o);
            if (inst.call)
                for (const auto& o : inst.call->arguments) mark(o);
        }
    for (const auto& v : module_.variables)
        for (const auto& r : v.relocations)
            if (!r.is_function && r.symbol < used.size()) used[r.symbol] = true;
    f_.placements.assign(module_.variables.size(), {});
    std::uint64_t top = 0;
    std::uint64_t dynamic_align = 1;
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
        const auto& v = module_.variables[i];
        if (v.space != ptx::Space::shared || !used[i]) continue;
        std::uint64_t align = v.align ? v.align : std::max(1u, ptx::bytes(v.type) * v.vector);
        if (v.size == 0) {
            f_.dynamic_shared.push_back(i);
            dynamic_align = std::max(dynamic_align, align);
            continue;
        }
        top = (top + align - 1) / align * align;
        f_.placements[i] = {top, true};
        top += v.size;
    }
    f_.static_shared = top;
    top = (top + dynamic_align - 1) / dynamic_align * dynamic_align;
    for (auto i : f_.dynamic_shared) f_.placements[i] = {top, true};
    if (!f_.dynamic_shared.empty()) f_.static_shared = top;
}

Result<void> Builder::run(ptx::SymbolId function) {
    const auto& source = module_.functions[function];
    f_.name = source.name;
    f_.module = &module_;
    f_.source = &source;
    f_.kernel = source.entry;
    std::set<std::uint32_t> reachable{function};
    std::vector<std::uint32_t> todo{function};
    bool indirect = false;
    auto add = [&](std::uint32_t i) {
        if (reachable.insert(i).second) todo.push_back(i);
    };
    while (!todo.empty()) {
        auto i = todo.back();
        todo.pop_back();
        for (auto c : graph_.callees[i]) add(c);
        for (const auto& inst : module_.functions[i].body)
            if (inst.call && inst.call->target.kind != ptx::Operand::Kind::function) indirect = true;
        if (indirect)
            for (std::uint32_t k = 0; k < module_.functions.size(); ++k)
                if (graph_.address_taken[k] && !module_.functions[k].entry) add(k);
    }
    // A really called function shares its kernel's placement: all of the module's shared variables count then.
    if (!source.entry)
        for (std::uint32_t k = 0; k < module_.functions.size(); ++k) reachable.insert(k);
    bool real = !source.entry;
    for (auto i : reachable) real |= graph_.recursive[i];
    if (real || indirect)
        for (std::uint32_t k = 0; k < module_.functions.size(); ++k) reachable.insert(k);
    place_shared(reachable);

    Instance top;
    top.source = &source;
    top.id = function;
    std::uint64_t offset = 0;
    for (auto p : source.parameters) {
        const auto& v = module_.variables[p];
        std::uint64_t align = v.align ? v.align : std::max(1u, ptx::bytes(v.type) * v.vector);
        offset = (offset + align - 1) / align * align;
        f_.param_offsets.push_back(static_cast<std::uint32_t>(offset));
        offset += v.size;
    }
    f_.param_bytes = static_cast<std::uint32_t>(offset);
    if (!source.entry) {
        // Frame of a really called function: results, then parameters, at its start.
        std::uint64_t at = 0;
        auto place = [&](ptx::SymbolId p) {
            const auto& v = module_.variables[p];
            Storage s;
            s.size = v.size;
            s.align = 8;
            s.in_memory = s.placed = true;
            s.offset = at;
            at += (v.size + 7) / 8 * 8;
            storages_.push_back(s);
            top.storages[p] = static_cast<std::uint32_t>(storages_.size() - 1);
        };
        for (auto p : source.results) place(p);
        for (auto p : source.parameters) place(p);
        f_.local_bytes = at;
    }
    current_ = new_block();
    if (auto r = body(top); !r) return r;
    promote();
    return {};
}

/// The instruction, with the line of the program's that it was called from, where it has none of its own.
const ptx::Instruction& Builder::placed(const Instance& at, const ptx::Instruction& inst) {
    if (!f_.placed || !at.from.line || ptx::is_own(module_, ptx::own_place(module_, inst))) return inst;
    auto& copy = f_.placed->emplace_back(inst);
    copy.inlined_at = at.from;
    return copy;
}

Result<void> Builder::body(Instance& at) {
    at.register_base = static_cast<std::uint32_t>(f_.values.size());
    for (const auto& r : at.source->registers) f_.values.push_back({register_class(r.type), kNone, kNone});
    at.label_blocks.clear();
    std::vector<std::vector<std::uint32_t>> labels_at(at.source->body.size() + 1);
    for (std::uint32_t i = 0; i < at.source->labels.size(); ++i) {
        at.label_blocks.push_back(new_block());
        labels_at[at.source->labels[i].instruction].push_back(i);
    }
    inline_stack_.push_back(at.id);
    for (std::size_t i = 0; i < at.source->body.size(); ++i) {
        for (auto label : labels_at[i]) {
            jump_to(at.label_blocks[label], nullptr, false);
            current_ = at.label_blocks[label];
        }
        if (auto r = one(at, placed(at, at.source->body[i])); !r) return r;
    }
    for (auto label : labels_at[at.source->body.size()]) {
        jump_to(at.label_blocks[label], nullptr, false);
        current_ = at.label_blocks[label];
    }
    // Falling off the end returns.
    auto& end = f_.blocks[current_].end;
    end.targets.clear();
    if (at.after != kNone)
        jump_to(at.after, nullptr, false);
    else
        end.kind = f_.kernel ? Terminator::Kind::exit : Terminator::Kind::ret, end.counted = false;
    inline_stack_.pop_back();
    return {};
}

Result<void> Builder::branch(Instance& at, const ptx::Instruction& inst) {
    auto open_next = [&] { current_ = new_block(); };
    if (inst.op == Op::bra) {
        auto target = at.label_blocks[inst.operands[0].label];
        jump_to(target, &inst, true);
        open_next();
        return {};
    }
    if (inst.op == Op::brx) {
        auto index = source(at, inst, inst.operands[0]);
        if (!index) return index.error();
        auto& end = f_.blocks[current_].end;
        end.kind = Terminator::Kind::multiway;
        end.ptx = &inst;
        end.condition = *index;
        for (auto label : inst.branch_targets) end.targets.push_back(at.label_blocks[label]);
        if (end.targets.empty()) return unsupported(inst, "its list of branch targets is empty or missing");
        open_next();
        return {};
    }
    if (inst.op == Op::ret && at.after != kNone) {
        jump_to(at.after, &inst, true);
        open_next();
        return {};
    }
    auto& end = f_.blocks[current_].end;
    end.ptx = &inst;
    if (inst.op == Op::trap) {
        end.kind = Terminator::Kind::trap;
    } else if (inst.op == Op::exit || f_.kernel) {
        end.kind = Terminator::Kind::exit;
    } else {
        end.kind = Terminator::Kind::ret;
    }
    open_next();
    return {};
}

Result<void> Builder::one(Instance& at, const ptx::Instruction& inst) {
    const bool ends =
        inst.op == Op::bra || inst.op == Op::brx || inst.op == Op::ret || inst.op == Op::exit || inst.op == Op::trap;
    auto run = [&]() -> Result<void> { return ends ? branch(at, inst) : effect(at, inst); };
    if (!inst.guard) return run();

    Operand guard = Operand::of(at.register_base + inst.guard->reg);
    guard.negated = inst.guard->negated;
    if (inst.op == Op::bra) {
        auto next = new_block();
        auto& end = f_.blocks[current_].end;
        end.kind = Terminator::Kind::branch;
        end.ptx = &inst;
        end.condition = guard;
        end.targets = {at.label_blocks[inst.operands[0].label], next};
        end.counted = true;
        current_ = next;
        return {};
    }
    const auto cls = ptx::op_class(inst.op);
    const bool pure = cls == ptx::Class::arithmetic || cls == ptx::Class::integer || cls == ptx::Class::special ||
                      cls == ptx::Class::convert || cls == ptx::Class::move;
    if (pure) {
        // Compute always, keep by select: cheaper than a branch, and data instructions have no side effects.
        const auto first = f_.blocks[current_].insts.size();
        if (auto r = run(); !r) return r;
        auto& insts = f_.blocks[current_].insts;
        std::vector<Inst> selects;
        for (std::size_t i = first; i < insts.size(); ++i)
            for (auto& out : insts[i].out) {
                if (out == kNone || out >= at.register_base + at.source->registers.size() || out < at.register_base)
                    continue;
                auto kept = out;
                auto fresh = temp(f_.values[kept].type);
                out = fresh;
                Inst s;
                s.kind = InstKind::select;
                s.ptx = &inst;
                s.counted = false;
                s.in = {guard, Operand::of(fresh), Operand::of(kept)};
                s.out = {kept};
                selects.push_back(std::move(s));
            }
        for (auto& s : selects) insts.push_back(std::move(s));
        return {};
    }
    auto then = new_block(), next = new_block();
    auto& end = f_.blocks[current_].end;
    end.kind = Terminator::Kind::branch;
    end.ptx = &inst;
    end.condition = guard;
    end.targets = {then, next};
    end.counted = false;
    current_ = then;
    if (auto r = run(); !r) return r;
    if (!ends) jump_to(next, nullptr, false);
    current_ = next;
    return {};
}

Result<Function> build(const ptx::Module& module, ptx::SymbolId function, bool places) {
    Function f;
    if (places) f.placed = std::make_shared<std::deque<ptx::Instruction>>();
    const auto graph = call_graph(module);
    Builder builder(module, graph, f);
    if (auto r = builder.run(function); !r) return r.error();
    return f;
}

}  // namespace warpwright::simt
