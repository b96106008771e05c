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

/// The program's line that an instruction belongs to, given its own place and where it was inlined: its own place if
/// neither is the program's. No line: unknown.
SourceLine own_place(const Module& module, SourceLine source, SourceLine inlined_at);

}  // namespace warpwright::ptx
