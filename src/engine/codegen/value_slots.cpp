// Every value that is read in another block than its own gets a place in the frame. Values live there where they are so
// many, in so many blocks, that LLVM would take longer to find registers for them than for all else.
#include "engine/codegen/value_slots.hpp"

#include <llvm/ADT/BitVector.h>

#include <algorithm>

#include "engine/codegen/arith/arith.hpp"
#include "engine/codegen/divergence.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

using simt::BlockId;
using simt::InstKind;
using simt::kNone;
using simt::Operand;
using simt::Shape;

namespace {

/// The number of blocks times the number of values to merge at the start of each: above this limit, LLVM's register
/// coalescer takes longer than everything else. Registers, of which there are 16, would save no more than a load or a
/// store. A predicate of 32 lanes is one register with AVX-512, and two without.
constexpr std::uint64_t kMostMerges = 4096;
/// The same for vectors: a loop may well keep its accumulators in registers in a function of many blocks.
constexpr std::uint64_t kMostVectorMerges = 16384;
/// Above this many vectors that cross blocks, their slots are in memory: as registers, their live ranges over all
/// blocks would keep LLVM busy for a minute, only to be spilled (32 lanes of f32 take 4 of AVX2's 16 registers).
constexpr std::uint64_t kMostVectorSlots = 96;

/// Marks the values that another block reads in any way: as operands, on phi edges, as parts of affine forms.
void find_crossing(FunctionState& fn) {
    fn.values.crosses.assign(fn.ir.values.size(), false);
    auto use = [&](const Operand& o, simt::BlockId b) {
        if (!o.is_value()) return;
        if (fn.ir.values[o.value].block != b) fn.values.crosses[o.value] = true;
        for (auto e : fn.values.extra[o.value])
            if (fn.ir.values[e].block != b) fn.values.crosses[e] = true;
    };
    for (simt::BlockId b = 0; b < fn.ir.blocks.size(); ++b) {
        for (const auto& i : fn.ir.blocks[b].insts) {
            if (i.kind == InstKind::phi) {
                if (i.out[0] != kNone) fn.values.crosses[i.out[0]] = true;
                for (std::size_t k = 0; k < i.in.size(); ++k) use(i.in[k], i.from[k]);
            } else {
                for (const auto& o : i.in) use(o, b);
            }
        }
        use(fn.ir.blocks[b].end.condition, b);
    }
}

/// By counts of the function alone, so that each processor's code keeps the same values in memory.
InMemory choose_memory(const FunctionState& fn) {
    std::uint64_t scalars = 0, predicates = 0, vectors = 0;
    for (simt::ValueId v = 0; v < fn.ir.values.size(); ++v) {
        if (!fn.values.crosses[v]) continue;
        ++(fn.scalar_kind(v) ? scalars : fn.ir.values[v].type == simt::Type::pred ? predicates : vectors);
    }
    const std::uint64_t blocks = fn.ir.blocks.size();
    return {blocks * scalars > kMostMerges, blocks * predicates > kMostMerges,
            predicates + vectors > kMostVectorSlots || blocks * vectors > kMostVectorMerges};
}

}  // namespace

void find_affine_parts(FunctionState& fn) {
    fn.values.extra.assign(fn.ir.values.size(), {});
    for (const auto& [v, a] : fn.shapes.affine) {
        auto add_scalar = [&](const simt::Product& scalar) {
            for (const auto& p : scalar) fn.values.extra[v].push_back(p.value);
        };
        auto add_terms = [&](const simt::Affine& form) {
            for (const auto& t : form.terms) add_scalar(t.scalar);
        };
        add_terms(a);
        for (const auto& [assumed, factor] : a.assumes) {
            add_scalar(assumed.scalar);
            fn.values.extra[v].push_back(assumed.widening.value);
            auto at = fn.shapes.affine.find(assumed.widening.value);
            if (at != fn.shapes.affine.end()) add_terms(at->second);
        }
    }
}

void find_slots(FunctionState& fn) {
    fn.values.slots.assign(fn.ir.values.size(), nullptr);
    fn.values.local.assign(fn.ir.values.size(), nullptr);
    fn.values.save_offset.assign(fn.ir.values.size(), 0);
    find_crossing(fn);
    std::uint64_t at = (sizeof(WarpFrame) + 63) / 64 * 64, most = 64;
    fn.layout.pending_offset = at;
    if (fn.flow.pending_in_frame || !fn.flow.stub.empty()) at += 8 * fn.ir.blocks.size();
    at = (at + 63) / 64 * 64;
    fn.values.in_memory = choose_memory(fn);
    for (simt::ValueId v = 0; v < fn.ir.values.size(); ++v) {
        if (!fn.values.crosses[v]) continue;
        const auto bits =
            std::max<std::uint64_t>(8, fn.ir.values[v].type == simt::Type::pred ? 8 : simt::bits(fn.ir.values[v].type));
        const std::uint64_t bytes = fn.scalar_kind(v) ? 16 : bits / 8 * fn.lanes;
        // Vectors have their natural alignment, which is their size: loads and stores of slots in the frame state no
        // other.
        if (!fn.scalar_kind(v)) {
            at = (at + bytes - 1) / bytes * bytes;
            most = std::max(most, bytes);
        }
        fn.values.save_offset[v] = at;
        at += (bytes + 15) / 16 * 16;
    }
    fn.layout.frame_bytes = (at + most - 1) / most * most;
}

/// Finds the values that may be a NaN with the host's bits: results of float arithmetic, and copies of them.
void find_nans(FunctionState& fn) {
    fn.values.nan.assign(fn.ir.values.size(), false);
    bool changed = true;
    while (changed) {
        changed = false;
        for (const auto& block : fn.ir.blocks)
            for (const auto& i : block.insts) {
                bool may = false;
                if (i.kind == InstKind::data) {
                    may = i.ptx && is_arith(*i.ptx) && result_needs_canonical_nan(*i.ptx);
                    if (i.ptx && i.ptx->op == simt::Op::selp)
                        for (const auto& o : i.in) may |= o.is_value() && fn.values.nan[o.value];
                }
                if (i.kind == InstKind::phi || i.kind == InstKind::select || i.kind == InstKind::move)
                    for (const auto& o : i.in) may |= o.is_value() && fn.values.nan[o.value];
                if (!may) continue;
                for (auto v : i.out)
                    if (v != kNone && !fn.values.nan[v]) fn.values.nan[v] = changed = true;
            }
    }
}

simt::BitSet live_with_phis(const FunctionState& fn, BlockId b) {
    simt::BitSet set = fn.values.live[b];
    for (const auto& p : fn.ir.blocks[b].insts) {
        if (p.kind != simt::InstKind::phi) break;
        if (p.out[0] == kNone) continue;
        set.set(p.out[0]);
        for (auto e : fn.values.extra[p.out[0]]) set.set(e);
    }
    return set;
}

static bool is_saved(const FunctionState& fn, simt::ValueId v) { return fn.values.slots[v] && !fn.values.in_frame[v]; }

void find_live_where_picked(FunctionState& fn) {
    std::vector<bool> live(fn.ir.values.size(), false);
    for (BlockId b = 0; b < fn.ir.blocks.size(); ++b)
        if (may_be_picked(fn, b)) live_with_phis(fn, b).each([&](simt::ValueId v) { live[v] = is_saved(fn, v); });
    for (simt::ValueId v = 0; v < live.size(); ++v)
        if (live[v]) fn.values.live_where_picked.set(v);
}

namespace {

/// More bits of blocks and values take longer than the stores that they save.
constexpr std::uint64_t kMostKeptBits = std::uint64_t{1} << 22;

/// Whether a warp that comes to the block's end together waits there, with all that is live saved.
bool saves_at_end(const FunctionState& fn, BlockId b) {
    return std::any_of(fn.ir.blocks[b].insts.begin(), fn.ir.blocks[b].insts.end(), [](const simt::Inst& i) {
        return i.kind == InstKind::barrier && !i.ptx->has(simt::Mod::arrive);
    });
}

void forget_defined(const simt::Block& block, llvm::BitVector& known) {
    for (const auto& i : block.insts)
        for (auto v : i.out)
            if (v != kNone) known.reset(v);
}

/// The values that the frame has where a block ends, by those that it has where it begins.
llvm::BitVector kept_at_end(const FunctionState& fn, BlockId b, llvm::BitVector known) {
    if (saves_at_end(fn, b)) {
        known.reset();
        live_with_phis(fn, fn.ir.blocks[b].end.targets[0]).each([&](simt::ValueId v) { known[v] = is_saved(fn, v); });
    }
    // (A barrier's result is there only when it has ended.)
    forget_defined(fn.ir.blocks[b], known);
    return known;
}

}  // namespace

void find_kept(FunctionState& fn) {
    const auto blocks = fn.ir.blocks.size(), values = fn.ir.values.size();
    // (A warp that is alone in its block does not wait.)
    if (!fn.ir.waits || fn.options.single_warp || blocks * values > kMostKeptBits) return;
    std::vector<llvm::BitVector> at_start(blocks, llvm::BitVector(static_cast<unsigned>(values), true));
    at_start[0].reset();
    for (bool changed = true; changed;) {
        changed = false;
        for (BlockId b = 0; b < blocks; ++b) {
            const auto known = kept_at_end(fn, b, at_start[b]);
            for (auto t : fn.ir.blocks[b].end.targets)
                if (at_start[t].test(known)) at_start[t] &= known, changed = true;
        }
    }
    fn.values.kept.resize(blocks);
    for (BlockId b = 0; b < blocks; ++b) {
        if (!saves_at_end(fn, b)) continue;
        forget_defined(fn.ir.blocks[b], at_start[b]);
        fn.values.kept[b] = at_start[b];
    }
}

void save_at_barrier(FunctionState& fn, BlockId next) {
    simt::BitSet values;
    const auto phi = [&](simt::ValueId v) {
        const auto& value = fn.ir.values[v];
        return value.block == next && fn.ir.blocks[next].insts[value.inst].kind == InstKind::phi;
    };
    live_with_phis(fn, next).each([&](simt::ValueId v) {
        const bool there = !fn.values.kept.empty() && fn.values.kept[fn.at.block].test(v) && !phi(v);
        if (!there) values.set(v);
    });
    save(fn, values);
}

void save(FunctionState& fn, const simt::BitSet& values) {
    values.each([&](simt::ValueId v) {
        if (!is_saved(fn, v)) return;
        auto value = fn.b.CreateLoad(slot_type(fn, v), fn.values.slots[v]);
        if (value->getType()->isVectorTy() && value->getType()->getScalarSizeInBits() == 1) {
            V bits = mask_bits(fn, value);
            fn.b.CreateStore(bits, fn.field(fn.frame, fn.values.save_offset[v]));
        } else
            fn.b.CreateAlignedStore(value, fn.field(fn.frame, fn.values.save_offset[v]), llvm::Align(8));
    });
}

void restore(FunctionState& fn, const simt::BitSet& values) {
    values.each([&](simt::ValueId v) {
        if (!is_saved(fn, v)) return;
        auto t = slot_type(fn, v);
        V value;
        if (t->isVectorTy() && t->getScalarSizeInBits() == 1)
            value = mask_vector(fn, fn.b.CreateLoad(fn.mask_type, fn.field(fn.frame, fn.values.save_offset[v])));
        else
            value = fn.b.CreateAlignedLoad(t, fn.field(fn.frame, fn.values.save_offset[v]), llvm::Align(8));
        fn.b.CreateStore(value, fn.values.slots[v]);
    });
}

}  // namespace warpwright::engine::codegen
