// Which source lines are the program's own: a finding at an instruction that comes from a toolkit header should name
// the program's line that used it.
#pragma once

#include <string_view>

#include "ptx/ast.hpp"
#include "support/result.hpp"

namespace warpwright::ptx {

/// True for a header of the CUDA toolkit or the system.
bool is_toolkit_header(std::string_view path);

/// Whether it is a line of the program itself.
bool is_own(const Module& module, const SourceLine& line);

/// The program's line that an instruction belongs to, given its own place and where it was inlined: its own place if
/// neither is the program's. No line: unknown.
SourceLine own_place(const Module& module, SourceLine source, SourceLine inlined_at);

/// What people are told: the program's line; else the place in the PTX text, where people gave that (a module named
/// .ptx, or without lines of a source), and the file alone where a compiler made it.
Location told_place(const Module& module, SourceLine source, SourceLine inlined_at, std::uint32_t line,
                    std::uint32_t column);

}  // namespace warpwright::ptx
