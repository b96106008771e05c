// The steps of a function stand here in their order: analyses, entry, two copies of each block, and the dispatch of
// lanes that waited. Above a number of blocks the pending masks are kept in memory, because LLVM's compile time would
// grow as its square.
#include "engine/codegen/codegen.hpp"

#include <algorithm>

#include "engine/codegen/checked_access.hpp"
#include "engine/codegen/code_places.hpp"
#include "engine/codegen/control_flow.hpp"
#include "engine/codegen/function_entry.hpp"
#include "engine/codegen/function_state.hpp"
#include "engine/codegen/instruction.hpp"
#include "engine/codegen/joint_bounds.hpp"
#include "engine/codegen/masked_stubs.hpp"
#include "engine/codegen/phase_waits.hpp"
#include "engine/codegen/self_timing.hpp"
#include "engine/codegen/value_slots.hpp"
#include "engine/codegen/waiting.hpp"
#include "engine/codegen/warp_chain.hpp"
#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

namespace {

/// Above this many blocks the pending masks are kept in memory: in registers, each would have a phi in nearly every
/// block, and compile time would be quadratic in the number of blocks.
constexpr std::size_t kMostPendingSlots = 48;

/// Analyses the function before any code is written.
void analyse(FunctionState& fn, const std::string& symbol) {
    auto& layout = fn.layout;
    layout.symbol = symbol;
    layout.blocks = static_cast<std::uint32_t>(fn.ir.blocks.size());
    layout.block_end.assign(fn.ir.blocks.size(), nullptr);
    layout.block_line.assign(fn.ir.blocks.size(), nullptr);
    layout.strict = fn.ir.strict;
    fn.keeps_clock = fn.options.function || fn.ir.has_calls || simt::reads_clock(fn.ir) ||
                     std::any_of(fn.ir.blocks.begin(), fn.ir.blocks.end(), [](const auto& b) { return b.yield; });
    plan_times(fn);
    fn.flow.memory_pending = fn.ir.strict;
    fn.flow.pending_in_frame = fn.ir.strict || fn.ir.blocks.size() > kMostPendingSlots;
    // With fewer threads than lanes, or calls that are not inlined, no warp runs converged.
    fn.flow.full_copy = fn.options.block.threads() >= fn.lanes && !fn.ir.has_calls && !fn.options.function;
    find_affine_parts(fn);
    fn.values.live = simt::live_in(fn.ir, fn.values.extra);
    fn.flow.frontier = simt::frontiers(fn.ir, fn.shapes.divergent);
    find_phase_waits(fn);
    find_stubs(fn);
    find_slots(fn);
    find_nans(fn);
    if (fn.options.check) find_copies(fn);
}

/// One copy of a block.
Result<void> write_block(FunctionState& fn, simt::BlockId b, bool converged) {
    fn.at.converged = converged;
    fn.at.block = b;
    fn.at.ended = false;
    for (auto v : fn.values.local_set) fn.values.local[v] = nullptr;
    fn.values.local_set.clear();
    fn.at.accumulators.clear();
    place_between(fn, host_time::Work::branches);
    begin_block(fn, b);
    const auto& insts = fn.ir.blocks[b].insts;
    const auto emit = [&](std::size_t k) {
        if (fn.options.mark_lines) mark_line(fn, insts[k]);
        place_instruction(fn, insts[k]);
        return emit_instruction(fn, insts[k]);
    };
    const auto stretches = find_stretches(fn);
    auto next = stretches.begin();
    for (std::size_t k = 0; k < insts.size(); ++k) {
        const bool begins = next != stretches.end() && next->first == k;
        if (auto r = begins ? write_stretch(fn, *next, emit) : emit(k); !r) return r;
        if (begins) k = (next++)->last;
    }
    if (!fn.at.ended) {
        place_end(fn, fn.ir.blocks[b].end);
        time_branch(fn, b);
        end_block(fn, b);
    }
    return {};
}

}  // namespace

Result<void> write_function(llvm::Module& module, const simt::Function& f, const CodegenOptions& options,
                            KernelLayout& layout, const std::string& symbol) {
    FunctionState fn(module, f, options, layout);
    analyse(fn, symbol);
    write_entry(fn);
    find_live_where_picked(fn);
    find_kept(fn);
    for (simt::BlockId b = 0; b < f.blocks.size(); ++b)
        for (bool converged : {true, false}) {
            if (converged && !fn.flow.full_copy) continue;
            if (auto r = write_block(fn, b, converged); !r) return r;
        }
    place_between(fn, host_time::Work::branches);
    slow_dispatch(fn);
    for (simt::BlockId b = 0; b < f.blocks.size() && options.extent == Extent::whole; ++b)
        if (!fn.flow.stub.empty() && fn.flow.stub_reached[b]) after_stub(fn, b);
    chain_warps(fn);
    return {};
}

}  // namespace warpwright::engine::codegen
