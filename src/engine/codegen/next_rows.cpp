// A thread that sums up every n-th element, or goes down a column, reads a line or two on a page and then goes on to
// another page. The processor fetches ahead within a page, and follows some dozens of pages at a time; a loop's rows
// are more. But warps run one after the other, and the next one's lanes follow this one's in each of the rows. How far
// a round of the loop steps is computed before it, from what its variables advance by; it is no more than a hint, so
// that numbers which wrap do no harm. Likewise a block of 32 x 8 threads has eight rows and more, and the next block's
// lanes follow in each. Rows that begin whole pages apart are all in one set of the first level, which has eight or
// twelve lines: what is asked for goes to the second level, where it stays until its warp comes, and so may be asked
// for several warps or blocks ahead.
#include "engine/codegen/next_rows.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <map>

#include "engine/codegen/linear_forms.hpp"
#include "engine/codegen/two_ways.hpp"
#include "engine/codegen/values.hpp"
#include "simt/details.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;
using simt::Op;
using simt::Operand;

namespace {

/// From this many bytes on rows lie far apart: eight pages.
constexpr std::uint64_t kFar = 32 * 1024;
constexpr unsigned kLine = 64;
/// Lines are asked for so many warps ahead in loops, and so many blocks ahead elsewhere: measured.
constexpr unsigned kWarpsAhead = 2, kBlocksAhead = 4, kBlocksAheadOfStores = 2;
/// LLVM's number for a line that goes to the second level (prefetcht1).
constexpr unsigned kSecondLevel = 2;

/// What scalars change by from one round of a loop to the next.
class Rounds {
public:
    Rounds(FunctionState& fn, const simt::Loop& loop) : fn_(fn), loop_(loop) {}

    /// Null: not known.
    V change(const Operand& o, unsigned depth = 0) {
        if (!varies(o)) return fn_.i64(0);
        if (depth == kDeepest || !fn_.scalar_kind(o.value)) return nullptr;
        if (const auto known = known_.find(o.value); known != known_.end()) return known->second;
        V found = change_of(maker(o), o, depth);
        return known_[o.value] = found;
    }

private:
    static constexpr unsigned kDeepest = 12;

    V change_of(const simt::Inst& i, const Operand& o, unsigned depth) {
        const auto of = [&](std::size_t k) { return change(i.in[k], depth + 1); };
        switch (i.kind) {
            case InstKind::phi:
                return fn_.ir.values[o.value].block == loop_.header ? advance(i, o) : nullptr;
            case InstKind::move:
            case InstKind::add_offset:
            case InstKind::to_generic:
            case InstKind::from_generic:
                return of(0);
            case InstKind::data:
                break;
            default:
                return nullptr;
        }
        switch (i.ptx->op) {
            case Op::cvt:
                return of(0);
            case Op::add:
            case Op::sub:
                return joined(of(0), of(1), i.ptx->op == Op::add);
            case Op::mad:
                return joined(times(i, depth), of(2), true);
            case Op::mul:
                return times(i, depth);
            case Op::shl:
                // (PTX shifts by 64 and more to zero, for which LLVM has no number.)
                return i.in[1].is_integer() && i.in[1].bits < 64
                           ? scaled(of(0), fn_.i64(std::uint64_t{1} << i.in[1].bits))
                           : nullptr;
            default:
                return nullptr;
        }
    }

    bool varies(const Operand& o) const {
        return o.is_value() && std::ranges::count(loop_.blocks, fn_.ir.values[o.value].block) != 0;
    }
    const simt::Inst& maker(const Operand& o) const {
        const auto& value = fn_.ir.values[o.value];
        return fn_.ir.blocks[value.block].insts[value.inst];
    }
    /// Of what does not vary: as 64 bits.
    V number(const Operand& o) {
        if (!o.is_value()) return fn_.i64(o.bits);
        V x = scalar(fn_, o, value_type(fn_, o.value));
        x = adapt(fn_, x, fn_.b.getIntNTy(x->getType()->getScalarSizeInBits()));
        return fn_.b.CreateSExtOrTrunc(x, fn_.b.getInt64Ty());
    }
    V joined(V a, V b, bool sum) {
        if (!a || !b) return nullptr;
        return sum ? fn_.b.CreateAdd(a, b) : fn_.b.CreateSub(a, b);
    }
    V scaled(V a, V by) { return a ? fn_.b.CreateMul(a, by) : nullptr; }
    V times(const simt::Inst& i, unsigned depth) {
        for (const unsigned k : {1u, 0u})
            if (!varies(i.in[k]) && (i.in[k].is_integer() || (i.in[k].is_value() && fn_.scalar_kind(i.in[k].value))))
                return scaled(change(i.in[1 - k], depth + 1), number(i.in[k]));
        return nullptr;
    }
    /// What a variable of the loop changes by.
    V advance(const simt::Inst& phi, const Operand& variable) {
        for (std::size_t k = 0; k < phi.in.size(); ++k)
            if (phi.from[k] == loop_.latch) return further(phi.in[k], variable, 0);
        return nullptr;
    }
    /// How far a scalar lies from a variable of the loop.
    V further(const Operand& o, const Operand& variable, unsigned depth) {
        if (!varies(o) || depth == kDeepest || !fn_.scalar_kind(o.value)) return nullptr;
        if (o.value == variable.value) return fn_.i64(0);
        const auto& i = maker(o);
        if (i.kind == InstKind::move) return further(i.in[0], variable, depth + 1);
        if (i.kind == InstKind::add_offset)
            return joined(further(i.in[0], variable, depth + 1), fn_.i64(static_cast<std::uint64_t>(i.offset)), true);
        if (i.kind != InstKind::data || (i.ptx->op != Op::add && i.ptx->op != Op::sub)) return nullptr;
        const bool sum = i.ptx->op == Op::add, second = !varies(i.in[1]);
        if (!second && (!sum || varies(i.in[0]))) return nullptr;
        const auto& by = i.in[second];
        if (by.is_value() ? !fn_.scalar_kind(by.value) : !by.is_integer()) return nullptr;
        return joined(further(i.in[!second], variable, depth + 1), number(by), sum);
    }

    FunctionState& fn_;
    const simt::Loop& loop_;
    std::map<simt::ValueId, V> known_;  ///< by value: its change
};

/// Accesses whose lanes follow each other, but for those whose lines another one has asked for.
std::vector<const Access*> rows_of(FunctionState& fn, const std::vector<Access>& accesses, bool stores) {
    std::vector<const Access*> out;
    std::vector<Linear> known;
    LinearForms forms(fn, 64);
    for (const auto& a : accesses) {
        if ((a.store && !stores) || a.space != simt::Space::global || a.runs.size() != 1 || !a.runs[0].contiguous)
            continue;
        const auto span = static_cast<std::int64_t>(a.run_bytes(a.runs[0]));
        const auto form = lowest_address(fn, forms, a, &a.runs[0]);
        const auto near = [&](const Linear& x) {
            const auto apart = sum(form, x, -1);
            return apart.times.empty() && apart.constant > -span && apart.constant < span;
        };
        if (std::ranges::any_of(known, near)) continue;
        known.push_back(form);
        out.push_back(&a);
    }
    return out;
}

/// Whether a round steps far, either way.
V is_far(FunctionState& fn, V step) {
    return fn.b.CreateICmpUGT(fn.b.CreateAdd(step, fn.i64(kFar - 1)), fn.i64(2 * (kFar - 1)));
}

bool is_in_loop(const FunctionState& fn) { return fn.ir.blocks[fn.at.block].loop != simt::kNone; }

/// Whether each warp is a row of a block of several: what lies behind it is the next block's, which begins when all
/// rows are done.
bool are_rows_of_block(const FunctionState& fn) {
    const auto& block = fn.options.block;
    return block.x == fn.lanes && block.threads() > fn.lanes;
}

bool may_ask(const FunctionState& fn) { return fn.at.converged && (is_in_loop(fn) || are_rows_of_block(fn)); }

void ask_for(FunctionState& fn, const Access& a) {
    V address = run_address(fn, a, a.runs[0], address_scalar(fn, a));
    const auto bytes = a.run_bytes(a.runs[0]);
    const auto ahead = is_in_loop(fn) ? kWarpsAhead : a.store ? kBlocksAheadOfStores : kBlocksAhead;
    for (std::uint64_t at = 0; at < bytes; at += kLine) {
        V place = host_pointer(fn, a, fn.b.CreateAdd(address, fn.i64(ahead * bytes + at)));
        fn.b.CreateIntrinsic(llvm::Intrinsic::prefetch, {place->getType()},
                             {place, fn.i32(a.store), fn.i32(kSecondLevel), fn.i32(1)});
    }
}

}  // namespace

void fetch_next_rows(FunctionState& fn, const std::vector<Access>& accesses) {
    if (!may_ask(fn)) return;
    if (!is_in_loop(fn)) {
        for (const auto* a : rows_of(fn, accesses, true)) ask_for(fn, *a);
        return;
    }
    const auto number = fn.ir.blocks[fn.at.block].loop;
    Rounds rounds(fn, fn.ir.loops[number]);
    std::vector<const Access*> rows;
    V far = nullptr;
    for (const auto* a : rows_of(fn, accesses, false)) {
        V step = rounds.change(a->inst->in[0]);
        if (!step) continue;
        V condition = is_far(fn, step);
        // (A step that is known to be short.)
        if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition); known && known->isZero()) continue;
        far = far ? fn.b.CreateAnd(far, condition) : condition;
        rows.push_back(a);
    }
    if (rows.empty()) return;
    auto fetch = fn.new_block("next_rows"), on = fn.new_block("fetched");
    fn.b.CreateCondBr(far, fetch, on);
    fn.b.SetInsertPoint(fetch);
    for (const auto* a : rows) ask_for(fn, *a);
    fn.b.CreateBr(on);
    fn.b.SetInsertPoint(on);
}

void fetch_next_row(FunctionState& fn, const Access& a) {
    // (Of a stretch it is done; its second version seldom runs.)
    if (!may_ask(fn) || fn.options.check || fn.at.again || fn.at.in_bounds.contains(a.inst)) return;
    if (a.space != simt::Space::global || (a.store && is_in_loop(fn))) return;
    auto best = fn.new_block("best"), on = fn.new_block("on");
    begin_versions(fn.b, best, on);
    fn.b.SetInsertPoint(best);
    fetch_next_rows(fn, {a});
    fn.b.CreateBr(on);
    add_size_of_blocks(fn, best, on);
    fn.b.SetInsertPoint(on);
}

}  // namespace warpwright::engine::codegen
