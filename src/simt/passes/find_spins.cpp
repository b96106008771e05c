// Loops that may spin on memory, and the instructions by which warps talk to each other.
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

bool talks_to_others(const Inst& i, bool in_loop) {
    const bool apart = i.space == ptx::Space::shared && !in_loop;
    switch (i.kind) {
        case InstKind::atomic:
            return !apart;
        case InstKind::store:
            return !apart && i.ptx && i.ptx->access.strong();
        default:
            return !apart && watches(i);
    }
}

namespace {

/// Whether what it touches, or orders, is a block's own.
bool within_block(const Inst& i) {
    if (i.kind == InstKind::fence) return i.ptx && i.ptx->access.scope == Scope::block;
    return i.space == ptx::Space::shared || i.kind == InstKind::sleep || i.kind == InstKind::async_op;
}

}  // namespace

bool talks_to_other_blocks(const Inst& i) { return talks_to_others(i, true) && !within_block(i); }

bool watches_other_blocks(const Inst& i) { return i.kind != InstKind::call && watches(i) && !within_block(i); }

bool never_left(const Function& f, BlockId latch) {
    const auto ends = [&](BlockId b) {
        return leaves(f, f.loops[f.blocks[latch].loop], b) ||
               std::any_of(f.blocks[b].insts.begin(), f.blocks[b].insts.end(), [](const Inst& i) {
                   return i.kind == InstKind::call || i.kind == InstKind::system_call || i.kind == InstKind::trap;
               });
    };
    if (f.irreducible || f.blocks[latch].loop == kNone) return false;
    const auto& loop = f.loops[f.blocks[latch].loop];
    return loop.latch == latch && std::none_of(loop.blocks.begin(), loop.blocks.end(), ends);
}

bool may_watch_in_loop(const Block& block) {
    return block.loop != kNone && std::any_of(block.insts.begin(), block.insts.end(), watches);
}

Result<void> find_spins(Function& f) {
    std::vector<bool> block_watches(f.blocks.size(), false);
    for (BlockId b = 0; b < f.blocks.size(); ++b)
        block_watches[b] = std::any_of(f.blocks[b].insts.begin(), f.blocks[b].insts.end(), watches);
    bool any_spins = false;
    for (auto& loop : f.loops) {
        auto any = [&](auto&& what) { return std::any_of(loop.blocks.begin(), loop.blocks.end(), what); };
        loop.spins =
            any([&](BlockId b) { return block_watches[b]; }) && any([&](BlockId b) { return leaves(f, loop, b); });
        any_spins |= loop.spins;
    }
    if (any_spins || f.irreducible) f.strict = true;
    if (!any_spins)
        for (auto& b : f.blocks) b.yield = false;
    return {};
}

}  // namespace warpwright::simt
