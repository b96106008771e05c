// Blocks that wait start with the waiting instruction, so that lanes which arrived earlier can wait there.
#include <algorithm>

#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

/// True for the instruction itself, not for glue that the lowering put before it (`counted` tells them apart).
bool waits(const Inst& i) { return i.counted && i.ptx && i.kind != InstKind::nop && i.ptx->waits; }

/// Where a block is cut: before each instruction that waits (the first block of the function also before its first
/// instruction), and after each barrier, which is alone in its block because a resume point follows it.
std::vector<std::size_t> cuts(const Block& block, bool entry) {
    std::vector<std::size_t> out;
    auto cut = [&](std::size_t at) {
        if ((at > 0 || entry) && (out.empty() || out.back() != at)) out.push_back(at);
    };
    for (std::size_t k = 0; k < block.insts.size(); ++k) {
        if (!waits(block.insts[k])) continue;
        cut(k);
        if (block.insts[k].kind == InstKind::barrier) cut(k + 1);
    }
    return out;
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
    for (BlockId b = 0; b < count; ++b) {
        const auto at = cuts(f.blocks[b], b == 0);
        if (!f.blocks[b].insts.empty()) f.blocks[b].sync = waits(f.blocks[b].insts[0]) && b != 0;
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
            jump(f.blocks[last], fresh);
            take(fresh, at[k], k + 1 < at.size() ? at[k + 1] : all.size());
            const auto& insts = f.blocks[fresh].insts;
            f.blocks[fresh].sync = !insts.empty() && waits(insts[0]);
            last = fresh;
        }
        f.blocks[last].end = std::move(end);
    }
    f.stage = Stage::built;
    return {};
}

}  // namespace warpwright::simt
