// Machine instructions by class, in the classes in which instructions of PTX are counted (mix_* in record/metrics.inc).
#pragma once

#include <array>
#include <cstdint>

#include "machine/code.hpp"

namespace warpwright::machine {

enum class Mix : std::uint8_t { fp32, fp64, fp16, integer, special, convert, tensor, memory, warp, control, move };
inline constexpr unsigned kMixes = 11;

/// An operation's issue slots by class; their sum is Op::issues. Of an expansion the special function unit's are known;
/// a division of integers converts there and back.
std::array<unsigned, kMixes> mix_of(const Op& op);

}  // namespace warpwright::machine
