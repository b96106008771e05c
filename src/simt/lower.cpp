// The list of passes.
#include <algorithm>

#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

/// Blocks that wait start with the waiting instruction, so that lanes which arrived earlier can be put back there.
void split_at_waits(Function& f) {
    auto waits = [](const Inst& i) {
        switch (i.kind) {
            case InstKind::barrier:
            case InstKind::async_wait:
            case InstKind::matrix_async:
            case InstKind::warp_barrier:
            case InstKind::matrix:
            case InstKind::matrix_load:
            case InstKind::matrix_store:
            case InstKind::matrix_move:
                return true;
            case InstKind::shuffle:
            case InstKind::vote:
            case InstKind::match:
            case InstKind::reduce:
            case InstKind::elect:
                return i.ptx->has(ptx::Mod::sync);
            case InstKind::sleep:
                return false;
            default:
                return false;
        }
    };
    for (BlockId b = 0; b < f.blocks.size(); ++b) {
        for (std::size_t k = 0; k < f.blocks[b].insts.size(); ++k) {
            if (!waits(f.blocks[b].insts[k])) continue;
            const bool barrier = f.blocks[b].insts[k].kind == InstKind::barrier;
            if (k > 0 || b == 0) {
                auto fresh = static_cast<BlockId>(f.blocks.size());
                f.blocks.emplace_back();
                auto& from = f.blocks[b];
                auto& to = f.blocks[fresh];
                to.insts.assign(std::make_move_iterator(from.insts.begin() + static_cast<long>(k)),
                                std::make_move_iterator(from.insts.end()));
                from.insts.resize(k);
                to.end = from.end;
                to.sync = true;
                from.end = {};
                from.end.kind = Terminator::Kind::jump;
                from.end.counted = false;
                from.end.targets = {fresh};
                break;  // the rest is found when `fresh` is reached
            }
            f.blocks[b].sync = true;
            if (!barrier) continue;
            // A barrier stands alone: what follows it is a resume point.
            {
                auto fresh = static_cast<BlockId>(f.blocks.size());
                f.blocks.emplace_back();
                auto& from = f.blocks[b];
                auto& to = f.blocks[fresh];
                to.insts.assign(std::make_move_iterator(from.insts.begin() + 1),
                                std::make_move_iterator(from.insts.end()));
                from.insts.resize(1);
                to.end = from.end;
                from.end = {};
                from.end.kind = Terminator::Kind::jump;
                from.end.counted = false;
                from.end.targets = {fresh};
            }
            break;
        }
    }
}

}  // namespace

/// Most 32-bit registers live at once, at any instruction; a few more for addresses and the machine's own use. What
/// ptxas would take is not known without it: an estimate, and called one wherever it is shown.
unsigned estimate_registers(const Function& f) {
    auto width = [&](ValueId v) -> unsigned {
        const auto t = f.values[v].type;
        return t == ptx::Type::pred ? 0 : std::max(1u, ptx::bits(t) / 32);
    };
    const auto in = live_in(f, {});
    unsigned most = 0;
    for (const auto& block : f.blocks) {
        BitSet live(f.values.size());
        for (auto t : block.end.targets) {
            live.merge(in[t]);
            for (const auto& i : f.blocks[t].insts)
                if (i.kind == InstKind::phi && i.out[0] != kNone) live.set(i.out[0]);
        }
        unsigned now = 0;
        live.each([&](ValueId v) { now += width(v); });
        most = std::max(most, now);
        for (auto i = block.insts.rbegin(); i != block.insts.rend(); ++i) {
            for (auto v : i->out)
                if (v != kNone && live.test(v)) live.reset(v), now -= width(v);
            if (i->kind != InstKind::phi)
                for (const auto& o : i->in)
                    if (o.is_value() && !live.test(o.value)) live.set(o.value), now += width(o.value);
            most = std::max(most, now);
        }
    }
    return std::min(255u, most + 6);
}

Result<Function> lower(const ptx::Module& module, ptx::SymbolId function, bool places) {
    auto built = build(module, function, places);
    if (!built) return built;
    Function& f = *built;
    order(f);
    split_at_waits(f);
    order(f);
    to_ssa(f);
    remove_dead(f);
    find_spins(f);
    f.registers_estimate = estimate_registers(f);
    if (auto broken = verify(f); !broken.empty())
        return Error{ErrorKind::internal, "warp IR of '" + f.name + "' is broken: " + broken, {module.name, 0, 0}, ""};
    return built;
}

}  // namespace warpwright::simt
