// Loads and stores of device memory whose lanes lie equal steps apart, a sector or more each: nothing is asked lane by
// lane. Used by memory_access.cpp.
#pragma once

#include <cstdint>

#include "engine/shared/executor.hpp"

namespace warpwright::engine {

/// Does and counts the access where it is of this kind and within the allocation that its site remembers; else false,
/// with nothing done. `scalars`: of the site's form.
bool row_access(BlockContext* c, std::uint32_t site, const SiteInfo& info, const std::int64_t* scalars,
                std::uint64_t mask, void* data, bool store);

}  // namespace warpwright::engine
