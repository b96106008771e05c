// What a request that generated code leaves to the runtime costs: sectors, wavefronts, and the sums of its site.
#pragma once

#include <cstdint>

#include "counters/access.hpp"
#include "engine/runtime/lane_pattern.hpp"
#include "engine/shared/executor.hpp"

namespace warpwright::engine {

/// What the site does to the banks of shared memory.
counters::SharedOp shared_op(const SiteInfo& site);
/// The site's last request of shared memory on this host thread.
counters::LastRequest& last_request(BlockContext* c, std::uint32_t site);
/// Counts one request whose lanes are known, by the space each lane's address turned out to be in.
void count_request(BlockContext* c, std::uint32_t site, const SiteInfo& info, const std::uint64_t* addresses,
                   std::uint64_t mask, std::uint64_t in_shared, std::uint64_t in_local);
/// The same for a request of shared or global memory that was like its site's last one. Whether the order that moved it
/// has all that counting such requests needs.
bool count_again(BlockContext* c, std::uint32_t site, const SiteInfo& info, const std::uint64_t* addresses,
                 std::uint64_t mask, LanePattern& pattern);

}  // namespace warpwright::engine
