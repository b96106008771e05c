// Reads PTX text (ISA 7.0 to 9.x, as clang and nvcc write it; older texts too where the grammar is
// the same) into a Module. Any `.version` and `.target` are taken.
#pragma once

#include <string>
#include <string_view>

#include "ptx/ast.hpp"
#include "support/result.hpp"

namespace warpwright::ptx {

/// Parses a whole text. `name` is what messages call it. Malformed text gives one Error (kind input)
/// with the line and column; an unknown opcode or modifier is named, with what is spelled alike.
/// Nesting, register counts and initialised bytes are bounded (limits.hpp), so no text can exhaust memory.
Result<Module> parse(std::string_view text, std::string name);

}  // namespace warpwright::ptx
