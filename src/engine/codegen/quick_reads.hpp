// Tests of checked reads that generated code makes itself, because they mostly succeed: device memory whose marks say
// that it is quiet, and shared memory that is calm, of which the code also writes the block's log.
#pragma once

#include <vector>

#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// A place that lanes of one shape or two read together, or of one shape write.
struct Place {
    V address = nullptr;
    unsigned words = 0;
    std::vector<std::uint32_t> shapes;
};

/// 1 where words of device memory are quiet (shadow/shadow.hpp) and their address is aligned to `each`. It is the first
/// test of ww_chk_run.
V quiet_at(FunctionState& fn, const Place& p, unsigned each);

/// Reads of shared memory, aligned to `each` if the first is, that the log may take (shadow/deferred_reads.hpp): all
/// that CalmReads::read() asks.
struct CalmRead {
    std::vector<V> marks;  ///< by place: where its words' marks are
    V count = nullptr, calm = nullptr;
};
CalmRead calm_at(FunctionState& fn, const std::vector<Place>& places, unsigned each);
/// Logs them, with what the shapes have in common.
void log_reads(FunctionState& fn, const CalmRead& r, const std::vector<Place>& places, std::uint32_t site,
               std::uint32_t kind);

}  // namespace warpwright::engine::codegen
