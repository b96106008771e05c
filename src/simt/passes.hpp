// The warp IR's passes: the list of them (pipeline.cpp), what each does, and what runs the list.
#pragma once

#include <functional>
#include <memory>
#include <optional>
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

// Each pass takes the function as the one before it left it. An error is located: the function's place in the PTX text.

/// Parameter variables of calls -> registers, or local memory where an address is taken or accesses overlap.
Result<void> promote_parameters(Function& f);
/// Drops unreachable blocks, joins chains, gives each loop one latch and one entry edge, finds loops, and orders blocks
/// so that loops are contiguous (the priority order of the thread-frontier scheme). Loops nested deeper than
/// kMaxLoopDepth are an error.
Result<void> order_blocks(Function& f);
/// Cuts blocks before what may wait, so that lanes which arrived earlier can be put back there.
Result<void> split_at_waits(Function& f);
/// Registers -> static single assignment with phis (Cytron et al. 1991), only where a register is live.
Result<void> to_ssa(Function& f);
/// Removes instructions whose results nobody uses and that have no effect.
Result<void> remove_dead(Function& f);
/// Marks loops that may spin on memory, and sets Function::strict where such a loop's exit depends on lanes.
Result<void> find_spins(Function& f);
/// Sets Function::registers_estimate.
Result<void> estimate_registers(Function& f);

struct Pass {
    std::string_view name;
    Result<void> (*run)(Function&);
};
/// What lower() runs after build(), in this order.
std::span<const Pass> passes();
/// The name under which build() stands before them.
inline constexpr std::string_view kBuild = "build";
/// Whether a pass (or kBuild) is called this.
bool is_pass(std::string_view name);

/// Checks what the stage of the function promises and the engine relies on: targets, predecessors and phis that agree,
/// inputs and results of each kind, types, definitions that dominate their uses, loops. The text names the first thing
/// that is broken; empty: nothing is.
std::string verify(const Function& f);
/// The graph as text, for tests and --dump-ir.
std::string print(const Function& f);

struct LowerOptions {
    bool places = false;  ///< see build()
    /// verify() after each pass, else only after the last. On in debug builds and where WARPWRIGHT_VERIFY_IR is set in
    /// the environment (to anything but 0), as it is for the tests.
    bool verify_each = verifies_by_default();
    /// Called after build() and after each pass.
    std::function<void(std::string_view pass, const Function&)> after;

    static bool verifies_by_default();
};
/// build() and all passes for one function.
Result<Function> lower(const ptx::Module& module, ptx::SymbolId function, const LowerOptions& options);
Result<Function> lower(const ptx::Module& module, ptx::SymbolId function, bool places = false);

/// An error of a pass, at the function's line of the PTX text.
Error pass_error(const Function& f, const std::string& what, const std::string& hint = "");

/// For each block, the blocks after it in the order that may have waiting lanes while it runs.
std::vector<std::vector<BlockId>> frontiers(const Function& f, const std::vector<bool>& divergent);

/// A set of values, or of other numbers, as a sorted list: what is live somewhere is few of all values.
class ValueSet {
public:
    explicit ValueSet(std::size_t = 0) {}
    bool test(std::size_t i) const;
    void set(std::size_t i);
    void reset(std::size_t i);
    /// True when `o` had something that was not there yet.
    bool merge(const ValueSet& o);
    template <class F>
    void each(F&& fn) const {
        for (auto i : sorted_) fn(i);
    }
    std::size_t size() const { return sorted_.size(); }

private:
    std::vector<std::uint32_t> sorted_;
};
using BitSet = ValueSet;

/// Values live on entry to each block; results of the block's own phis are not among them.
/// `extra[v]`: further values that are used wherever v is (components of affine values). May be empty.
std::vector<ValueSet> live_in(const Function& f, const std::vector<std::vector<ValueId>>& extra);

/// Blocks that a warp of which no lane has left can be in with some of its lanes only: those between a branch that may
/// split lanes and the place where its ways meet again. Where they never do, only a short way out counts.
std::vector<bool> partial_regions(const Function& f, const std::vector<bool>& divergent);

}  // namespace warpwright::simt
