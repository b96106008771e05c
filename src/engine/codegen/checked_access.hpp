// What code for a checked launch does besides: it asks before every regular access, and tells of fences, warp-level
// waits and masks. Irregular accesses and atomics go through the runtime anyway, which knows of the checkers.
#pragma once

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

/// Lanes one after the other whose places are as far from each other, known when the code is made.
struct Strided {
    unsigned first = 0, count = 0;
    std::int64_t offset = 0, stride = 0;
};
std::vector<Strided> strided(const Access& a, unsigned lanes);

/// 1 where the access may be done in its regular way: the form's assumptions hold, it is within bounds, written before
/// it is read, and no race. All of that is then noted.
V regular_in_order(FunctionState& fn, const Access& a);
/// The same for what scattered_load() and scattered_store() do.
V strided_in_order(FunctionState& fn, const Access& a, V base);

/// Values that are only moved, packed and stored: what is read into them is copied, not looked at.
void find_copies(FunctionState& fn);
/// By element of a load: whether all that happens to it is that it is stored elsewhere.
std::uint32_t copied_elements(const FunctionState& fn, const simt::Inst& i);

void check_copies(FunctionState& fn, const simt::Inst& i);
void check_fence(FunctionState& fn, const simt::Inst& i);
/// The member mask of a warp-level instruction: whether it names the lanes that are there.
void check_members(FunctionState& fn, const simt::Inst& i, const simt::Operand& member, V active);
void check_shuffle(FunctionState& fn, const simt::Inst& i, V active);

}  // namespace warpwright::engine::codegen
