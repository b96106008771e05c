// Affine loads and stores without runs (strides, transposed tiles): one bounds check for all lanes, then each lane's
// own scalar access at an offset from the base.
#pragma once

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

/// False where the access is not of this kind; nothing is written then. Converged copies only.
bool scattered_load(FunctionState& fn, const Access& a);
bool scattered_store(FunctionState& fn, const Access& a);

}  // namespace warpwright::engine::codegen
