// Additional code for a checked launch: a test before every regular access, and calls for fences, warp-level waits and
// masks. Irregular accesses and atomics go through the runtime anyway, which calls the checkers.
#pragma once

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

/// Consecutive lanes whose addresses are equally far apart, by a distance known at compile time.
struct Strided {
    unsigned first = 0, count = 0;
    std::int64_t offset = 0, stride = 0;
};
std::vector<Strided> strided(const Access& a, unsigned lanes);

/// 1 where the access may be done in the regular way: the form's assumptions hold, it is within bounds, reads only
/// written bytes, and is no race. The access is then recorded.
V regular_in_order(FunctionState& fn, const Access& a);
/// The same for a plain load from device memory whose lanes happen to follow each other, one run from `base` on.
V followed_in_order(FunctionState& fn, const Access& a, V base);
/// The same for a plain store, of one element per lane.
V followed_store_in_order(FunctionState& fn, const Access& a, V base, V value);
/// The same for the accesses of scattered_load() and scattered_store().
V strided_in_order(FunctionState& fn, const Access& a, V base);
/// Whether an access is neither atomic, volatile nor ordered, and all of what it loads is read.
bool is_plain(const FunctionState& fn, const Access& a);

/// Finds values that are only moved, packed and stored: bytes read into them are copied, not used.
void find_copies(FunctionState& fn);
/// For each element of a load: whether it is only stored elsewhere.
std::uint32_t copied_elements(const FunctionState& fn, const simt::Inst& i);

/// By element: whether nothing at all reads what the load gives. Compilers load whole vectors where a program reads a
/// part of them.
std::uint32_t unused_elements(const FunctionState& fn, const simt::Inst& i);
/// Whether a store is of floats: by its type, or, where that says nothing (st.b32), by what has computed the values.
bool stores_floats(const FunctionState& fn, const simt::Inst& i);

void check_copies(FunctionState& fn, const simt::Inst& i);
void check_fence(FunctionState& fn, const simt::Inst& i);
void check_proxy_fence(FunctionState& fn, const simt::Inst& i);
/// Checks that the member mask of a warp-level instruction names the lanes that execute it.
void check_members(FunctionState& fn, const simt::Inst& i, const simt::Operand& member, V active);
void check_shuffle(FunctionState& fn, const simt::Inst& i, V active);

}  // namespace warpwright::engine::codegen
