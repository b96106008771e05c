// How many registers a thread of a kernel needs: what an assembler would allocate, from the machine view.
#pragma once

#include "simt/ir.hpp"

namespace warpwright::machine {

/// What any kernel has besides its values.
inline constexpr unsigned kOfEveryKernel = 4;

/// 32-bit registers of a thread: the most that are live at once in the order of issue, and the few that every kernel
/// has, within what the kernel's launch bounds and .maxnreg leave. An estimate: only the assembler knows.
unsigned registers(const simt::Function& f);

/// The same without those limits: what goes beyond them is spilled to local memory.
unsigned registers_needed(const simt::Function& f);

/// Registers that a kernel's launch bounds and .maxnreg leave a thread; 255 where it has none.
unsigned registers_allowed(const simt::Function& f);

}  // namespace warpwright::machine
