// Loads and stores whose lanes form a few runs of consecutive elements, or of one element: whole vectors and
// broadcasts, with one bounds check per run.
#pragma once

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

void run_load(FunctionState& fn, const Access& a);
/// The loads, or stores, of the runs alone, checked and counted; `base`: the address that their offsets begin at. What
/// was loaded is put together by bundle().
V load_runs(FunctionState& fn, const Access& a, V base);
void store_runs(FunctionState& fn, const Access& a, V base, const std::vector<V>& values);
void run_store(FunctionState& fn, const Access& a);

}  // namespace warpwright::engine::codegen
