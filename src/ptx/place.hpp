// Which source lines are the program's own: a finding at an instruction that comes from a toolkit header should name
// the program's line that used it.
#pragma once

#include <string_view>

#include "ptx/ast.hpp"

namespace warpwright::ptx {

/// True for a header of the CUDA toolkit or the system.
bool is_toolkit_header(std::string_view path);

/// Whether it is a line of the program itself.
bool is_own(const Module& module, const SourceLine& line);

/// The program's line that an instruction belongs to, or its own place if there is none. No line: unknown.
SourceLine own_place(const Module& module, const Instruction& inst);

}  // namespace warpwright::ptx
