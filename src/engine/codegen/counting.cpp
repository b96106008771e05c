// The instructions of a block are listed in the layout when its first copy is written, so that the generated code
// counts executions only: the counts of instructions are products of both.
#include "engine/codegen/counting.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "engine/codegen/code_places.hpp"
#include "engine/codegen/warp_chain.hpp"
#include "engine/shared/abi.hpp"
#include "simt/details.hpp"

namespace warpwright::engine::codegen {

using simt::BlockId;

void bump(FunctionState& fn, V pointer, V by) {
    fn.b.CreateStore(fn.b.CreateAdd(fn.b.CreateLoad(fn.b.getInt64Ty(), pointer), by), pointer);
}

V site_field(FunctionState& fn, unsigned site, unsigned offset) {
    return fn.field(fn.sites, site * sizeof(Site) + offset);
}

namespace {

V block_counter(FunctionState& fn, BlockId b, unsigned k) {
    return fn.field(fn.counters, 8 * (b * kBlockCounters + k));
}

/// Whether the code being written is the first copy of its block.
bool first_copy(const FunctionState& fn) { return (fn.at.converged || !fn.flow.full_copy) && !fn.at.again; }

}  // namespace

namespace {

/// Takes the instructions of a block off those that the launch may still execute.
void spend(FunctionState& fn, BlockId b) {
    const auto& block = fn.ir.blocks[b];
    std::int64_t all = block.end.counted;
    for (const auto& i : block.insts) all += i.counted;
    if (all)
        bump(fn, fn.field(fn.ctx, offsetof(BlockContext, instructions_left)), fn.i64(static_cast<std::uint64_t>(-all)));
}

}  // namespace

void count_block(FunctionState& fn, BlockId b) {
    const PlacedAs as(fn, host_time::Work::counting);
    if (fn.options.limited) spend(fn, b);
    if (!fn.options.counters) return;
    count_for_warp(fn, b);
    if (fn.at.converged) {
        bump(fn, block_counter(fn, b, 0), fn.i64(1));
    } else {
        bump(fn, block_counter(fn, b, 1), fn.i64(1));
        V lanes = fn.mask64(fn.b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, fn.at.mask));
        bump(fn, block_counter(fn, b, 2), lanes);
    }
}

Pace pace_of(const simt::Block& block, const simt::Inst* from) {
    using simt::InstKind;
    constexpr std::uint64_t kSleepUnit = 4;  // nanoseconds of an instruction, about
    constexpr std::uint64_t kLongestSleep = 1'000'000;
    // A fence of the device keeps its warp for 650 cycles on an H100, whatever was stored before.
    constexpr std::uint64_t kFenceTrips = 2, kFenceUnits = 20;
    // An atomic's old value comes 80 cycles later than what is loaded from the second level: as many as of 20
    // instructions.
    constexpr std::uint64_t kAtomicUnits = 20;
    Pace out;
    bool counts = from == nullptr, under_way = false;
    for (const auto& i : block.insts) {
        counts |= &i == from;
        if (!counts) continue;
        if (i.counted) ++out.instructions;
        const bool near = i.space == simt::Space::shared || i.space == simt::Space::local ||
                          i.space == simt::Space::constant || i.space == simt::Space::param;
        const bool reads = i.kind == InstKind::load || (i.kind == InstKind::atomic && !i.out.empty());
        // What several instructions of a block read is under way at the same time, up to a fence.
        if (reads && !near && !under_way) {
            ++out.trips, under_way = true;
            if (i.kind == InstKind::atomic) out.instructions += kAtomicUnits;
        }
        if (i.kind == InstKind::fence && (!i.ptx || i.ptx->access.scope != simt::Scope::block))
            out.trips += kFenceTrips, out.instructions += kFenceUnits, under_way = false;
        if (i.kind == InstKind::sleep && i.in[0].is_integer())
            out.instructions += std::min(i.in[0].bits, kLongestSleep) / kSleepUnit;
    }
    if (block.end.counted) ++out.instructions;
    return out;
}

void keep_clock(FunctionState& fn, BlockId b) {
    if (!fn.keeps_clock) return;
    const auto takes = pace_of(fn.ir.blocks[b]);
    if (takes.instructions) bump(fn, fn.field(fn.frame, offsetof(WarpFrame, executed)), fn.i64(takes.instructions));
    if (takes.trips) bump(fn, fn.field(fn.frame, offsetof(WarpFrame, trips)), fn.i64(takes.trips));
}

void count_instruction(FunctionState& fn, const simt::Inst& i) {
    if (!i.counted || !i.ptx || !first_copy(fn)) return;
    CountedInst c;
    c.ptx = i.ptx;
    c.block = fn.at.block;
    c.is_barrier = i.kind == simt::InstKind::barrier;
    fn.layout.insts.push_back(c);
}

void count_end(FunctionState& fn, BlockId b) {
    const auto& end = fn.ir.blocks[b].end;
    if (!end.ptx || !end.counted) return;
    if (end.targets.size() > 1) fn.layout.block_end[b] = end.ptx;
    if (first_copy(fn)) fn.layout.insts.push_back({end.ptx, b});
}

void count_matrix_flops(FunctionState& fn, const simt::Inst& i, double flops) {
    auto& insts = fn.layout.insts;
    if (!insts.empty() && insts.back().ptx == i.ptx) insts.back().matrix_flops = flops;
}

void count_divergence(FunctionState& fn, BlockId b, const std::vector<V>& masks) {
    if (!fn.options.counters || !fn.layout.block_end[b]) return;
    const PlacedAs as(fn, host_time::Work::counting);
    if (fn.at.converged) return bump(fn, block_counter(fn, b, 3), fn.i64(1));
    // Divergent when at least two targets get lanes.
    V ways = fn.i64(0);
    for (auto m : masks)
        ways = fn.b.CreateAdd(ways, fn.b.CreateZExt(fn.b.CreateICmpNE(m, fn.mask_constant(0)), fn.b.getInt64Ty()));
    V divergent = fn.b.CreateZExt(fn.b.CreateICmpUGT(ways, fn.i64(1)), fn.b.getInt64Ty());
    bump(fn, block_counter(fn, b, 3), divergent);
}

}  // namespace warpwright::engine::codegen
