// Loads and stores that the runtime does lane by lane, because the addresses have no pattern, or not the one for which
// the code was made.
#pragma once

#include "engine/codegen/access.hpp"
#include "support/host_time.hpp"

namespace warpwright::engine::codegen {

/// What the host's time goes to where lanes have addresses of their own.
host_time::Work irregular_work(const Access& a);
void runtime_load(FunctionState& fn, const Access& a);
void runtime_store(FunctionState& fn, const Access& a);
/// The rare path of a regular access: takes back what is counted for every execution, and lets the runtime do the
/// access. Returns what was loaded, put together by bundle().
V irregular_load(FunctionState& fn, const Access& a);
void irregular_store(FunctionState& fn, const Access& a, const std::vector<V>& values);
/// What the runtime loads, one vector per element; it counts the access itself.
std::vector<V> runtime_load_values(FunctionState& fn, const Access& a, bool hardly_ever);
void runtime_store_values(FunctionState& fn, const Access& a, const std::vector<V>& values, bool hardly_ever);

}  // namespace warpwright::engine::codegen
