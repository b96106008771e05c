// The passes over the warp IR, in the order lower() runs them (lower.cpp lists them in one function).
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "simt/ir.hpp"
#include "support/result.hpp"

namespace warpwright::simt {

/// What the engine has of a function: of some even where the module defines it.
SystemCall system_call_of(const ptx::Function& callee);
/// The same for the device's side of the runtime library, by name.
SystemCall device_call_of(std::string_view name);

/// PTX function -> graph over PTX registers; direct calls inlined, guards made control flow or selects.
/// `places`: what is inlined from headers of the toolkit's is told apart by the program's line that called it.
Result<Function> build(const ptx::Module& module, ptx::SymbolId function, bool places = false);
/// Drops unreachable blocks, gives each loop one latch and one entry edge, finds loops, and orders blocks so
/// that loops are contiguous (the priority order of the thread-frontier scheme).
void order(Function& f);
/// Registers -> static single assignment with phis (Cytron et al. 1991).
void to_ssa(Function& f);
/// Removes instructions whose results nobody uses and that have no effect.
void remove_dead(Function& f);
/// Marks loops that may spin on memory, and sets Function::strict where such a loop's exit depends on lanes.
void find_spins(Function& f);
/// Checks the invariants the engine relies on; the text names the first broken one. Empty = fine.
std::string verify(const Function& f);
/// The graph as text, for tests and --dump-ir.
std::string print(const Function& f);

/// All of the above for one function.
Result<Function> lower(const ptx::Module& module, ptx::SymbolId function, bool places = false);

/// Thread frontier of each block: the blocks (after it in order) that may hold waiting lanes while it runs.
/// `divergent[b]`: whether block b's terminator may split lanes. (Diamos et al. 2011.)
std::vector<std::vector<BlockId>> frontiers(const Function& f, const std::vector<bool>& divergent);

/// Values live on entry to each block, as a bit set over ValueId (phi results of the block included).
struct BitSet {
    std::vector<std::uint64_t> words;
    explicit BitSet(std::size_t n = 0) : words((n + 63) / 64) {}
    bool test(std::size_t i) const { return words[i / 64] >> (i % 64) & 1; }
    void set(std::size_t i) { words[i / 64] |= std::uint64_t{1} << (i % 64); }
    void reset(std::size_t i) { words[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
    bool merge(const BitSet& o) {
        bool changed = false;
        for (std::size_t i = 0; i < words.size(); ++i) {
            auto n = words[i] | o.words[i];
            changed |= n != words[i];
            words[i] = n;
        }
        return changed;
    }
    template <class F>
    void each(F&& fn) const {
        for (std::size_t i = 0; i < words.size(); ++i)
            for (auto w = words[i]; w; w &= w - 1) fn(static_cast<std::uint32_t>(i * 64 + __builtin_ctzll(w)));
    }
};
/// `extra[v]`: further values that are used wherever v is (components of affine values). May be empty.
std::vector<BitSet> live_in(const Function& f, const std::vector<std::vector<ValueId>>& extra);

/// Blocks that a warp of which no lane has left can be in with some of its lanes only: those between a branch that may
/// split lanes and the place where its ways meet again. Where they never do, only a short way out counts.
std::vector<bool> partial_regions(const Function& f, const std::vector<bool>& divergent);

/// Immediate dominators by block (entry: itself), for a graph in priority order.
std::vector<BlockId> dominators(const Function& f);

}  // namespace warpwright::simt
