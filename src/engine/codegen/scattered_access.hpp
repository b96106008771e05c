// Affine loads and stores without runs (strides, transposed tiles): one bounds check for all lanes, then each lane's
// own scalar access at an offset from the base, or one load of all that lies between them.
#pragma once

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

/// Whether an access is of this kind, in a converged copy.
bool scatterable(const FunctionState& fn, const Access& a);
/// The address of the lowest lane's bytes, and how many there are up to the end of the highest one's.
V scattered_address(FunctionState& fn, const Access& a, V base);
std::uint64_t scattered_span(const FunctionState& fn, const Access& a);
/// False where the access is not of this kind; nothing is written then. Converged copies only.
bool scattered_load(FunctionState& fn, const Access& a);
bool scattered_store(FunctionState& fn, const Access& a);

}  // namespace warpwright::engine::codegen
