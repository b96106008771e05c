// What generated code and ww_rt_bad_call() agree on beside its parameters.
#pragma once

#include <cstdint>

namespace warpwright::engine {

/// In the number of the block: what was wrong is the index of the multiway branch at its end.
inline constexpr std::uint32_t kBadIndex = 0x80000000u;

}  // namespace warpwright::engine
