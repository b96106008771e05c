// Loads and stores whose lanes form a few runs of consecutive elements, or of one element: whole vectors and
// broadcasts, with one bounds check per run.
#pragma once

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

void run_load(FunctionState& fn, const Access& a);
void run_store(FunctionState& fn, const Access& a);

}  // namespace warpwright::engine::codegen
