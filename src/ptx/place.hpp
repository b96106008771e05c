// Which source lines are the program's own: what is told of an instruction that a header of the toolkit's brought
// should name the line that used it.
#pragma once

#include <string_view>

#include "ptx/ast.hpp"

namespace warpwright::ptx {

/// A header of the CUDA toolkit's or the system's.
bool is_toolkit_header(std::string_view path);

/// Whether it is a line of the program itself.
bool is_own(const Module& module, const SourceLine& line);

/// The program's line that an instruction belongs to; its own place where there is none. No line: unknown.
SourceLine own_place(const Module& module, const Instruction& inst);

}  // namespace warpwright::ptx
