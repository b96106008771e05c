// The limits of the lowering, so that no kernel makes it run out of memory or time.
#pragma once

#include <cstdint>

namespace warpwright::simt {

/// A function that is larger than either of these, including what is inlined into it, is not inlined.
inline constexpr std::uint64_t kMaxInlinedInstructions = 60'000;
inline constexpr std::uint64_t kMaxInlinedBlocks = 2'048;
/// Calls are inlined until they have added this many instructions to a function; later ones stay calls.
inline constexpr std::uint64_t kMaxGrowth = 240'000;
/// The limit for one function, with everything inlined into it.
inline constexpr std::uint64_t kMaxInstructions = 1u << 22;
inline constexpr std::uint64_t kMaxBlocks = 1u << 17;
inline constexpr std::uint64_t kMaxRegisters = 1u << 24;
inline constexpr unsigned kMaxLoopDepth = 256;

}  // namespace warpwright::simt
