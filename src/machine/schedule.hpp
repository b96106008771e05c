// Puts the operations of a block in the order in which an assembler issues them. Private to this room.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/code.hpp"

namespace warpwright::machine {

/// List scheduling by the longest way to the block's end (R. Sethi, J. Ullman; see S. Muchnick, "Advanced Compiler
/// Design and Implementation", 17.1.2): loads come early, and what reads them late. Order is kept between accesses of
/// one memory where one of them writes, and around barriers and fences. Loads whose results nobody has read yet take at
/// most `room` registers, as long as anything else can be issued: all loads, or those of other memory than shared
/// alone.
enum class Early : std::uint8_t { all, not_shared };
void schedule(std::vector<Op>& ops, unsigned room = ~0u, Early which = Early::all);

}  // namespace warpwright::machine
