// Blocks that wait start with the waiting instruction, so that lanes which arrived earlier can wait there. In a
// function that may spin, the instructions by which blocks talk to each other start a block too: a warp's turn ends
// before them.
#include <algorithm>

#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

/// True for the instruction itself, not for glue that the lowering put before it (`counted` tells them apart).
bool waits(const Inst& i) { return i.counted && i.ptx && i.kind != InstKind::nop && i.ptx->waits; }

/// Where a block is cut: before each instruction that waits (the first block of the function also before its first
/// instruction), and after each barrier, which is alone in its block because a resume point follows it.
/// In a function whose warps may spin (`talks`), also before each instruction by which blocks talk to each other.
std::vector<std::size_t> cuts(const Block& block, bool entry, bool talks) {
    std::vector<std::size_t> out;
    auto cut = [&](std::size_t at) {
        if ((at > 0 || entry) && (out.empty() || out.back() != at)) out.push_back(at);
    };
    for (std::size_t k = 0; k < block.insts.size(); ++k) {
        if (talks && talks_to_others(block.insts[k], block.loop != kNone)) cut(k);
        if (!waits(block.insts[k])) continue;
        cut(k);
        if (block.insts[k].kind == InstKind::barrier) cut(k + 1);
    }
    return out;
}

/// The marks of a block that begins with its first instruction.
void mark(Block& block, bool talks) {
    block.sync = !block.insts.empty() && waits(block.insts[0]);
    block.yield = talks && !block.insts.empty() && talks_to_others(block.insts[0], block.loop != kNone);
}

void jump(Block& from, BlockId to) {
    from.end = {};
    from.end.kind = Terminator::Kind::jump;
    from.end.counted = false;
    from.end.targets = {to};
}

}  // namespace

Result<void> split_at_waits(Function& f) {
    const auto count = static_cast<BlockId>(f.blocks.size());
    const bool talks = std::any_of(f.blocks.begin(), f.blocks.end(), may_watch_in_loop);
    for (BlockId b = 0; b < count; ++b) {
        const auto at = cuts(f.blocks[b], b == 0, talks);
        if (b != 0) mark(f.blocks[b], talks);
        if (at.empty()) continue;
        auto all = std::move(f.blocks[b].insts);
        auto end = std::move(f.blocks[b].end);
        auto take = [&](BlockId to, std::size_t first, std::size_t last) {
            f.blocks[to].insts.assign(std::make_move_iterator(all.begin() + static_cast<long>(first)),
                                      std::make_move_iterator(all.begin() + static_cast<long>(last)));
        };
        take(b, 0, at[0]);
        auto last = b;
        for (std::size_t k = 0; k < at.size(); ++k) {
            const auto fresh = static_cast<BlockId>(f.blocks.size());
            f.blocks.emplace_back();
            f.blocks[fresh].loop = f.blocks[b].loop;  // stale as soon as the blocks are ordered again
            jump(f.blocks[last], fresh);
            take(fresh, at[k], k + 1 < at.size() ? at[k + 1] : all.size());
            mark(f.blocks[fresh], talks);
            last = fresh;
        }
        f.blocks[last].end = std::move(end);
    }
    f.stage = Stage::built;
    return {};
}

}  // namespace warpwright::simt
