// The warp IR's passes: their list (pipeline.cpp), what each does, and the function that runs them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "simt/ir.hpp"
#include "support/result.hpp"
#include "support/work_limit.hpp"

namespace warpwright::simt {

/// The engine's implementation of a function, if there is one; for some functions even if the module defines them.
SystemCall system_call_of(const ptx::Function& callee);
/// The same for the device's side of the runtime library, by name.
SystemCall device_call_of(std::string_view name);

struct BuildOptions {
    /// Instructions inlined from toolkit headers record the program's line that called them.
    bool places = false;
    /// The decoded instructions of the module, where several functions of it are lowered; null: new ones.
    std::shared_ptr<Decoded> decoded = nullptr;
};
/// Builds the graph of a PTX function over PTX registers: direct calls are inlined, guards become control flow or
/// selects.
Result<Function> build(const ptx::Module& module, ptx::SymbolId function, const BuildOptions& options = {});

// Each pass takes the function as the previous one left it. An error is located: the function's place in the PTX text.

/// Makes parameter variables of calls registers, or local memory if an address is taken or accesses overlap.
Result<void> promote_parameters(Function& f);
/// Drops unreachable blocks, joins chains, gives each loop one latch and one entry edge, finds loops, and orders blocks
/// so that loops are contiguous (the priority order of the thread-frontier scheme). Loops nested deeper than
/// kMaxLoopDepth are an error.
Result<void> order_blocks(Function& f);
/// Cuts blocks before instructions that may wait, so that lanes which arrived earlier can wait there.
Result<void> split_at_waits(Function& f);
/// Converts registers to static single assignment with phis (Cytron et al. 1991), only where a register is live.
Result<void> to_ssa(Function& f);
/// Removes instructions without effect whose results are not used.
Result<void> remove_dead(Function& f);
/// Marks loops that may spin on memory, and sets Function::strict where there is one. Elsewhere no turn ends.
Result<void> find_spins(Function& f);
/// The blocks in which lanes may be ahead of each other: of a strict function, those that run after a turn has ended
/// and before all threads of the block have met at a barrier. Elsewhere lanes meet as in every other function.
std::vector<bool> apart_in(const Function& f);
/// Whether other warps, of this block or of others, may see or change what the instruction does: a warp's turn ends
/// before it. Shared memory counts in loops alone.
bool talks_to_others(const Inst& i, bool in_loop);
/// The same for other blocks alone; and whether it observes them, so that a loop around it may wait for them.
bool talks_to_other_blocks(const Inst& i);
bool watches_other_blocks(const Inst& i);
/// Whether a loop that ends with this block has no way out: no branch leaves it, and nothing in it ends threads.
bool never_left(const Function& f, BlockId latch);
/// Whether a block in a loop observes other warps.
bool may_watch_in_loop(const Block& block);
/// Sets Function::registers_estimate.
Result<void> estimate_registers(Function& f);

struct Pass {
    std::string_view name;
    Result<void> (*run)(Function&);
};
/// The passes that lower() runs after build(), in this order.
std::span<const Pass> passes();
/// The name of build() in the list of passes.
inline constexpr std::string_view kBuild = "build";
/// Whether a pass (or kBuild) has this name.
bool is_pass(std::string_view name);

/// Checks the properties of the function's stage, on which the engine relies: targets, predecessors and phis that
/// agree, inputs and results of each kind, types, definitions that dominate their uses, loops. Returns a description of
/// the first violation; empty: there is none.
std::string verify(const Function& f);
/// The graph as text, for tests and --dump-ir.
std::string print(const Function& f);

struct LowerOptions {
    BuildOptions build = {};
    /// verify() after each pass, else only after the last. It is on in debug builds and where WARPWRIGHT_VERIFY_IR is
    /// set in the environment (to anything but 0), as it is for the tests.
    bool verify_each = verifies_by_default();
    WorkLimit limit = {};  ///< asked after build() and after each pass: Cause::time_limit
    /// Called after build() and after each pass.
    std::function<void(std::string_view pass, const Function&)> after;

    static bool verifies_by_default();
};
/// Runs build() and all passes for one function.
Result<Function> lower(const ptx::Module& module, ptx::SymbolId function, const LowerOptions& options);
Result<Function> lower(const ptx::Module& module, ptx::SymbolId function, bool places = false);

/// What ends work on a function whose time is over.
Error out_of_time(const ptx::Module& module, const ptx::Function& function);

/// An error of a pass, located at the function's line of the PTX text.
Error pass_error(const Function& f, const std::string& what, const std::string& hint = "");

/// For each block, the later blocks in the order that may have waiting lanes while it runs.
std::vector<std::vector<BlockId>> frontiers(const Function& f, const std::vector<bool>& divergent);

/// A set of values, or of other numbers, as a sorted list: few of all values are live at any place.
class ValueSet {
public:
    explicit ValueSet(std::size_t = 0) {}
    bool test(std::size_t i) const;
    void set(std::size_t i);
    void reset(std::size_t i);
    /// True when `o` had an element that was not there yet.
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

/// The blocks that a complete warp can run with a part of its lanes: those between a branch that may split lanes and
/// the place where its paths meet again. If they never meet, only a short way out counts.
std::vector<bool> partial_regions(const Function& f, const std::vector<bool>& divergent);

}  // namespace warpwright::simt
