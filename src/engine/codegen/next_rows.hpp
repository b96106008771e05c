// Lines that a later warp will read or write, asked for while this one goes through rows that lie far apart.
#pragma once

#include <vector>

#include "engine/codegen/access.hpp"

namespace warpwright::engine::codegen {

/// Of these accesses of the block being written, asks for what lies behind each one's lanes where no processor sees a
/// sequence: of loads, where the loop steps over so many bytes; outside of loops, where each warp of a block is a row.
void fetch_next_rows(FunctionState& fn, const std::vector<Access>& accesses);
/// The same for an access that is not in a stretch (joint_bounds.hpp), in code that is not quick to make.
void fetch_next_row(FunctionState& fn, const Access& a);

}  // namespace warpwright::engine::codegen
