// Guards and branches.
#include "simt/lowering/builder.hpp"

namespace warpwright::simt {

using ptx::Op;

void Builder::branch_if(Operand guard, BlockId then, BlockId otherwise, bool counted) {
    auto& end = f_.blocks[current_].end;
    end.kind = Terminator::Kind::branch;
    end.ptx = details_;
    end.condition = guard;
    end.targets = {then, otherwise};
    end.counted = counted;
}

Result<void> Builder::multiway(Instance& at, const Instruction& inst) {
    auto index = source(at, inst, inst.operands[0]);
    if (!index) return index.error();
    auto& end = f_.blocks[current_].end;
    end.kind = Terminator::Kind::multiway;
    end.ptx = details_;
    end.condition = *index;
    for (auto label : inst.branch_targets) end.targets.push_back(at.label_blocks[label]);
    if (end.targets.empty()) return unsupported(inst, "its list of branch targets is empty or missing");
    return {};
}

/// An instruction that ends its block; the next instruction begins a new one.
Result<void> Builder::branch(Instance& at, const Instruction& inst) {
    auto& end = f_.blocks[current_].end;
    if (inst.op == Op::bra) {
        jump_to(at.label_blocks[inst.operands[0].label], &inst, true);
    } else if (inst.op == Op::brx) {
        if (auto r = multiway(at, inst); !r) return r;
    } else if (inst.op == Op::ret && at.after != kNone) {
        jump_to(at.after, &inst, true);
    } else {
        end.ptx = details_;
        end.kind = inst.op == Op::trap                ? Terminator::Kind::trap
                   : inst.op == Op::exit || f_.kernel ? Terminator::Kind::exit
                                                      : Terminator::Kind::ret;
    }
    current_ = new_block();
    return {};
}

/// Computes always and keeps the result by select: this is cheaper than a branch, and such instructions have no side
/// effects.
Result<void> Builder::guarded_by_select(Instance& at, const Instruction& inst, Operand guard) {
    const auto first = f_.blocks[current_].insts.size();
    if (auto r = instruction(at, inst); !r) return r;
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
            s.ptx = details_;
            s.counted = false;
            s.in = {guard, Operand::of(fresh), Operand::of(kept)};
            s.out = {kept};
            selects.push_back(std::move(s));
        }
    for (auto& s : selects) insts.push_back(std::move(s));
    return {};
}

Result<void> Builder::guarded(Instance& at, const Instruction& inst) {
    if (!inst.guard) return instruction(at, inst);
    Operand guard = Operand::of(at.register_base + inst.guard->reg);
    guard.negated = inst.guard->negated;
    if (inst.op == Op::bra) {
        auto next = new_block();
        branch_if(guard, at.label_blocks[inst.operands[0].label], next, true);
        current_ = next;
        return {};
    }
    const auto& facts = ptx::facts(inst.op);
    if (facts.pure) return guarded_by_select(at, inst, guard);
    auto then = new_block(), next = new_block();
    branch_if(guard, then, next, false);
    current_ = then;
    if (auto r = instruction(at, inst); !r) return r;
    if (facts.form != ptx::Form::jump) jump_to(next, nullptr, false);
    current_ = next;
    return {};
}

}  // namespace warpwright::simt
