// One load or store of the program: its pattern of addresses over the lanes, its place in memory and its bounds
// check.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Consecutive lanes that access consecutive elements, or all the same one.
struct Run {
    unsigned first = 0, count = 0;
    bool contiguous = false;
    std::int64_t offset = 0;
    std::vector<std::int64_t> scale;  ///< of each term
    unsigned same_as = 0;             ///< an earlier run at the same addresses, or itself
};

struct Access {
    const simt::Inst* inst = nullptr;
    unsigned site = 0;
    unsigned bytes = 0;  ///< of an element
    unsigned count = 1;  ///< elements per lane
    unsigned total() const { return bytes * count; }
    simt::Space space{};
    bool store = false;
    bool aligned = false;   ///< lane offsets are multiples of the access width
    std::vector<Run> runs;  ///< affine addresses; empty when unstructured
    const simt::Affine* affine = nullptr;
    std::uint64_t run_bytes(const Run& r) const { return r.contiguous ? r.count * total() : total(); }
    /// The runs that lie nowhere where an earlier one does.
    std::vector<const Run*> distinct_runs() const;
    /// Whether all lanes are at two places, as when a warp spans two rows of a matrix and all lanes of a row read one
    /// column.
    bool has_two_places() const;
};

Access classify(FunctionState& fn, const simt::Inst& i);
/// Whether LLVM may not join such a load with others, nor move it out of a loop.
bool looks_again(const simt::Inst& i);
/// Whether the address is one of shared memory in a register of 32 bits, in which sums wrap around.
bool is_narrow(FunctionState& fn, const Access& a);
/// The address as i64, if it is uniform; or the base of an affine address, with the offset.
V address_scalar(FunctionState& fn, const Access& a);
V address_vector(FunctionState& fn, const simt::Operand& o, std::int64_t offset);
/// The start of a run; `base`: the address of the affine base.
V run_address(FunctionState& fn, const Access& a, const Run& r, V base);
V host_pointer(FunctionState& fn, const Access& a, V address);
/// The bytes of the longest run, for the bounds checks of all.
std::uint64_t longest_run(const Access& a);
/// Whether [address, address + span) is outside of the allocation that a site remembers, or of shared memory, or is
/// not aligned to the access's width.
V out_of_bounds(FunctionState& fn, const Access& a, unsigned site, V address, std::uint64_t span);
/// Whether an access needs nothing asked before it is done in its regular way: it is not checked, and its form rests on
/// no assumption, or on one that was found to hold.
bool is_regular(const FunctionState& fn, const Access& a);
/// Whether every lane is known to be within the kernel's own variables in shared memory, and aligned.
bool is_inside(const FunctionState& fn, const Access& a);
/// Checks that [address, address + span) may be accessed; the fault would name one of `lanes`. On a miss the runtime
/// looks the address up and either remembers the allocation or records the fault.
void check_bounds(FunctionState& fn, const Access& a, V address, std::uint64_t span, V lanes, std::uint64_t most);
/// The values that a store writes: one vector per element.
std::vector<V> store_values(FunctionState& fn, const Access& a);
/// Keeps the values that a load has read: one vector per element, put together by bundle().
void define_loaded(FunctionState& fn, const Access& a, V bundled);

}  // namespace warpwright::engine::codegen
