// What generated code and the functions that it calls agree on beside their parameters.
#pragma once

#include <cstdint>

namespace warpwright::engine {

/// In the number of the block: what was wrong is the index of the multiway branch at its end.
inline constexpr std::uint32_t kBadIndex = 0x80000000u;
/// In the number of the block: the launch is looked at at a call in it, and not at the end of a loop.
inline constexpr std::uint32_t kAtCall = 0x40000000u;

}  // namespace warpwright::engine
