// Loops that may spin on memory.
#include <algorithm>

#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

/// Whether an instruction observes other warps: a loop around it may be waiting for them.
bool watches(const Inst& i) {
    switch (i.kind) {
        case InstKind::sleep:
        case InstKind::fence:
        case InstKind::call:
            return true;
        case InstKind::atomic:
            return !i.out.empty() && i.out[0] != kNone;
        case InstKind::load:
            return i.ptx && i.ptx->access.looks_again();
        case InstKind::async_op:
            // Testing whether a phase is complete does not wait for it (try_wait does: the retry around it does not
            // spin).
            return i.ptx->has(Mod::test_wait);
        default:
            return false;
    }
}

bool leaves(const Function& f, const Loop& loop, BlockId b) {
    for (auto t : f.blocks[b].end.targets)
        if (!std::binary_search(loop.blocks.begin(), loop.blocks.end(), t)) return true;
    return false;
}

}  // namespace

Result<void> find_spins(Function& f) {
    std::vector<bool> block_watches(f.blocks.size(), false);
    for (BlockId b = 0; b < f.blocks.size(); ++b)
        block_watches[b] = std::any_of(f.blocks[b].insts.begin(), f.blocks[b].insts.end(), watches);
    for (auto& loop : f.loops) {
        auto any = [&](auto&& what) { return std::any_of(loop.blocks.begin(), loop.blocks.end(), what); };
        loop.spins =
            any([&](BlockId b) { return block_watches[b]; }) && any([&](BlockId b) { return leaves(f, loop, b); });
        if (!loop.spins) continue;
        f.strict = true;
        for (auto b : f.blocks[loop.header].preds)
            if (std::binary_search(loop.blocks.begin(), loop.blocks.end(), b)) f.blocks[b].yield = true;
    }
    if (f.irreducible) f.strict = true;
    return {};
}

}  // namespace warpwright::simt
