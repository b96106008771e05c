// One load or store as it is written: its pattern of addresses over the lanes, its place in memory and its bounds
// check.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// Lanes one after the other that access consecutive elements, or all the same one.
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
    unsigned bytes = 0;  ///< an element
    unsigned count = 1;  ///< elements a lane
    unsigned total() const { return bytes * count; }
    ptx::Space space{};
    bool store = false;
    bool aligned = false;   ///< lane offsets are multiples of the access width
    std::vector<Run> runs;  ///< affine addresses; empty when unstructured
    const simt::Affine* affine = nullptr;
    std::uint64_t run_bytes(const Run& r) const { return r.contiguous ? r.count * total() : total(); }
};

Access classify(FunctionState& fn, const simt::Inst& i);
/// Of a uniform address or an affine base, offset included, i64.
V address_scalar(FunctionState& fn, const Access& a);
V address_vector(FunctionState& fn, const simt::Operand& o, std::int64_t offset);
/// Where a run begins; `base`: the address of the affine base.
V run_address(FunctionState& fn, const Access& a, const Run& r, V base);
V host_pointer(FunctionState& fn, const Access& a, V address);
/// Makes sure that [address, address + span) may be accessed; `lanes`: who would be to blame. On a miss the runtime
/// looks the address up and either remembers the allocation or records the fault.
void check_bounds(FunctionState& fn, const Access& a, V address, std::uint64_t span, V lanes, std::uint64_t most);
/// What a store writes: a vector an element.
std::vector<V> store_values(FunctionState& fn, const Access& a);
/// Keeps what a load has read: a vector an element, put together by bundle().
void define_loaded(FunctionState& fn, const Access& a, V bundled);

}  // namespace warpwright::engine::codegen
