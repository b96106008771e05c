// What an assembler keeps in local memory of a kernel whose values need more registers than its limits leave it.
#pragma once

#include <optional>

#include "machine/code.hpp"
#include "simt/ir.hpp"

namespace warpwright::machine {

/// Appends the blocks of `f` within the registers that the kernel may have. Where they suffice that is append().
///
/// Where they do not, operations stay in the order of the program, and at each place the values that are read latest
/// give up their registers (L. Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems
/// Journal 5(2), 1966; over blocks as M. Braun and S. Hack, "Register Spilling and Live-Range Splitting for SSA-Form
/// Programs", CC 2009): an exit from a loop makes a use far, and a loop begins with what it reads first. A value that
/// gives up its register is stored once, where it is made, and loaded before it is read again.
///
/// `told`: what an assembler said that it spills of this function. Nothing is spilled then where it spills nothing;
/// else the number of registers is chosen with which the bytes of all accesses come nearest to its own.
Spills append_within_registers(Code& code, const simt::Function& f, const std::optional<Spills>& told = std::nullopt);

/// What that spills without being told, for one kernel alone.
Spills spills(const simt::Function& f);

}  // namespace warpwright::machine
