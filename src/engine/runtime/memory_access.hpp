// The accesses of a warp's lanes that generated code leaves to the runtime.
#pragma once

#include <cstdint>

#include "engine/shared/executor.hpp"

namespace warpwright::engine {

/// One access of the lanes of `mask`, checked and counted at `site` as `info` says; data is [element][lane].
bool move_lanes(BlockContext* c, WarpFrame* f, std::uint32_t site, const SiteInfo& info, const std::uint64_t* addresses,
                std::uint64_t mask, void* data, bool store);
/// Host addresses of 16-byte rows in shared memory for the first `count` lanes; false after recording a fault.
bool locate_shared(BlockContext* c, WarpFrame* f, const SiteInfo& info, const std::uint64_t* addresses,
                   std::uint64_t mask, unsigned count, std::uint8_t** out);

}  // namespace warpwright::engine
