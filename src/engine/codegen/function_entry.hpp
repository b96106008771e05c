// The start of a function: its declaration, its blocks, the slots of values and masks, and the pointers that all other
// emitters use.
#pragma once

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

void write_entry(FunctionState& fn);

}  // namespace warpwright::engine::codegen
