// Reads PTX text (ISA 7.0 to 9.x, as clang and nvcc write it; older texts too where the grammar is the same) into a
// Module. Any `.version` and `.target` are accepted.
#pragma once

#include <string>
#include <string_view>

#include "ptx/ast.hpp"
#include "support/result.hpp"

namespace warpwright::ptx {

/// Parses a whole text. `name` is its name in messages. Malformed text gives one Error (kind input) with the line and
/// column; an unknown opcode or modifier is named, with similar spellings. Nesting, register counts and initialised
/// bytes are limited (limits.hpp), so no text can exhaust memory.
Result<Module> parse(std::string_view text, std::string name);

}  // namespace warpwright::ptx
