// Removes instructions without effect whose results are not used. Each stays as a counted no-op, because the hardware
// executes what the text says.
#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

bool pure(const Inst& i) { return facts(i.kind).pure; }

/// The values on which an instruction with an effect, or a branch, depends.
std::vector<bool> needed(const Function& f) {
    std::vector<bool> live(f.values.size(), false);
    std::vector<ValueId> todo;
    auto need = [&](const Operand& o) {
        if (!o.is_value() || live[o.value]) return;
        live[o.value] = true;
        todo.push_back(o.value);
    };
    for (const auto& b : f.blocks) {
        for (const auto& i : b.insts)
            if (!pure(i))
                for (const auto& o : i.in) need(o);
        need(b.end.condition);
    }
    while (!todo.empty()) {
        const auto& v = f.values[todo.back()];
        todo.pop_back();
        const auto& i = f.blocks[v.block].insts[v.inst];
        if (pure(i))
            for (const auto& o : i.in) need(o);
    }
    return live;
}

}  // namespace

Result<void> remove_dead(Function& f) {
    const auto live = needed(f);
    for (BlockId b = 0; b < f.blocks.size(); ++b) {
        std::vector<Inst> kept;
        for (auto& i : f.blocks[b].insts) {
            bool used = !pure(i);
            for (auto v : i.out) used |= v != kNone && live[v];
            if (used) {
                for (auto& v : i.out) {
                    if (v == kNone) continue;
                    f.values[v].block = b;
                    f.values[v].inst = static_cast<std::uint32_t>(kept.size());
                    if (!live[v]) v = kNone;
                }
                kept.push_back(std::move(i));
            } else if (i.counted && i.ptx) {
                Inst n;
                n.kind = InstKind::nop;
                n.ptx = i.ptx;
                kept.push_back(std::move(n));
            }
        }
        f.blocks[b].insts = std::move(kept);
    }
    return {};
}

}  // namespace warpwright::simt
