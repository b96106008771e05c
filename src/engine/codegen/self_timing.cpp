// What an instruction takes is the machine view's: the operations that an assembler would make of it, each with its
// unit.
#include "engine/codegen/self_timing.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "engine/shared/abi.hpp"
#include "engine/shared/self_timing.hpp"
#include "machine/view.hpp"
#include "simt/details.hpp"

namespace warpwright::engine::codegen {

using simt::BlockId;
using Table = SelfTiming::Table;

namespace {

/// Above this many instructions the code would take long to compile, and nobody measures latencies with it.
constexpr std::size_t kMostTimed = 4096;

V later(FunctionState& fn, V a, V b) { return fn.b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, a, b); }

V clock_place(FunctionState& fn) { return fn.field(fn.frame, offsetof(WarpFrame, ticks)); }

V figure(FunctionState& fn, std::size_t offset) {
    V table = fn.load_field(fn.b.getPtrTy(), fn.ctx, offsetof(BlockContext, ticks));
    return fn.load_field(fn.b.getInt64Ty(), table, offset);
}

V of_pipe(FunctionState& fn, std::size_t table, machine::Pipe pipe) {
    return figure(fn, table + sizeof(std::uint64_t) * static_cast<std::size_t>(pipe));
}

/// When the value can be read.
V ready(FunctionState& fn, const simt::Operand& o) {
    return o.is_value() ? fn.b.CreateLoad(fn.b.getInt64Ty(), fn.times.ready[o.value]) : fn.i64(0);
}

V all_ready(FunctionState& fn, const simt::Inst& i, V from) {
    for (const auto& in : i.in)
        if (in.is_value()) from = later(fn, from, ready(fn, in));
    return from;
}

void results_at(FunctionState& fn, const simt::Inst& i, V when) {
    for (const auto v : i.out)
        if (v != simt::kNone) fn.b.CreateStore(when, fn.times.ready[v]);
}

/// Until when the instruction keeps its warp beyond its issue, as the simple clock has it (counting.cpp): a sleep of a
/// known length for about as many cycles as nanoseconds, a fence of the device or of more.
V held(FunctionState& fn, const simt::Inst& i, V now) {
    constexpr std::uint64_t kLongestSleep = 1'000'000;
    if (i.kind == simt::InstKind::sleep && i.in[0].is_integer())
        return fn.b.CreateAdd(now, fn.i64(std::min<std::uint64_t>(i.in[0].bits, kLongestSleep) * kTicks));
    if (i.kind == simt::InstKind::fence && i.ptx && i.ptx->access.scope != simt::Scope::block)
        return fn.b.CreateAdd(now, figure(fn, offsetof(Table, fence)));
    return now;
}

const std::vector<machine::Op>& operations(const FunctionState& fn, const simt::Inst& i) {
    const auto at = static_cast<std::size_t>(&i - fn.ir.blocks[fn.at.block].insts.data());
    return fn.times.operations[fn.at.block][at];
}

}  // namespace

bool times_itself(const simt::Function& f) {
    if (f.has_calls || !f.kernel) return false;
    std::size_t all = 0;
    unsigned reads = 0;
    for (const auto& block : f.blocks) {
        all += block.insts.size();
        for (const auto& i : block.insts)
            if (simt::reads_clock(i)) reads += block.loop == simt::kNone ? 1 : 2;
    }
    return reads > 1 && all <= kMostTimed;
}

void plan_times(FunctionState& fn) {
    if (fn.options.function || !times_itself(fn.ir)) return;
    fn.times.on = fn.layout.times_itself = true;
    machine::Code code;
    machine::append(code, fn.ir, machine::Order::program);
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b) {
        const auto& insts = fn.ir.blocks[b].insts;
        auto& of_block = fn.times.operations.emplace_back(insts.size());
        for (auto& op : code.blocks[b].ops) {
            const auto made = std::find_if(insts.begin(), insts.end(),
                                           [&](const simt::Inst& i) { return op.ptx && i.ptx == op.ptx; });
            if (made != insts.end()) of_block[static_cast<std::size_t>(made - insts.begin())].push_back(op);
        }
    }
}

void make_time_slots(FunctionState& fn) {
    if (!fn.times.on) return;
    // After a wait all values are there: what was under way has come meanwhile.
    for (std::size_t v = 0; v < fn.ir.values.size(); ++v) {
        fn.times.ready.push_back(fn.b.CreateAlloca(fn.b.getInt64Ty(), nullptr, "at" + std::to_string(v)));
        fn.b.CreateStore(fn.i64(0), fn.times.ready.back());
    }
}

void time_instruction(FunctionState& fn, const simt::Inst& i) {
    if (!fn.times.on || i.kind == simt::InstKind::phi) return;
    const auto& ops = operations(fn, i);
    if (ops.empty()) return results_at(fn, i, all_ready(fn, i, fn.i64(0)));
    V begin = all_ready(fn, i, fn.b.CreateLoad(fn.b.getInt64Ty(), clock_place(fn))), now = begin, last = begin;
    std::uint64_t chain = 0;
    for (const auto& op : ops) {
        last = now;
        V each = of_pipe(fn, offsetof(Table, issue), op.pipe);
        now = fn.b.CreateAdd(now, fn.b.CreateMul(each, fn.i64(std::max<unsigned>(1, op.issues))));
        chain = std::max<std::uint64_t>(chain, op.chain);
    }
    now = held(fn, i, now);
    fn.b.CreateStore(now, clock_place(fn));
    // Of an expansion the result comes its chain later; else a unit's latency after the last operation's issue.
    V from = chain ? fn.b.CreateAdd(begin, fn.i64(chain * kTicks)) : last;
    results_at(fn, i, later(fn, now, fn.b.CreateAdd(from, of_pipe(fn, offsetof(Table, result), ops.back().pipe))));
}

void time_result(FunctionState& fn, const simt::Inst& i, V takes) {
    results_at(fn, i, fn.b.CreateAdd(fn.b.CreateLoad(fn.b.getInt64Ty(), clock_place(fn)), takes));
}

void time_branch(FunctionState& fn, BlockId b) {
    if (!fn.times.on) return;
    const auto& end = fn.ir.blocks[b].end;
    if (!end.counted || end.targets.empty()) return;
    V now = fn.b.CreateLoad(fn.b.getInt64Ty(), clock_place(fn));
    if (end.condition.is_value())
        now = later(fn, now, fn.b.CreateAdd(ready(fn, end.condition), figure(fn, offsetof(Table, guard))));
    fn.b.CreateStore(fn.b.CreateAdd(now, figure(fn, offsetof(Table, branch))), clock_place(fn));
}

void time_phis(FunctionState& fn, BlockId from, BlockId to) {
    if (!fn.times.on) return;
    std::vector<std::pair<simt::ValueId, V>> writes;
    for (const auto& phi : fn.ir.blocks[to].insts) {
        if (phi.kind != simt::InstKind::phi) break;
        for (std::size_t k = 0; k < phi.in.size(); ++k)
            if (phi.from[k] == from && phi.out[0] != simt::kNone) writes.emplace_back(phi.out[0], ready(fn, phi.in[k]));
    }
    for (const auto& [v, when] : writes) fn.b.CreateStore(when, fn.times.ready[v]);
}

bool is_past_first(const FunctionState& fn, const simt::Inst& i) {
    return std::any_of(operations(fn, i).begin(), operations(fn, i).end(),
                       [](const auto& op) { return op.past_first; });
}

}  // namespace warpwright::engine::codegen
