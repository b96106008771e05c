// The places of linked code, for samples of this machine's time. No LLVM here.
#pragma once

#include <string>
#include <vector>

#include "support/host_time.hpp"

namespace warpwright::engine::codegen {

/// The places in object code whose `symbol` was linked to that address, in the order of addresses; none where it does
/// not tell of them.
std::vector<host_time::CodePlace> places_of(const std::string& object, const std::string& symbol, const void* linked);

}  // namespace warpwright::engine::codegen
