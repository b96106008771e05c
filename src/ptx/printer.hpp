// Writes a Module back as PTX text that parse() reads to an equal module, and says whether two
// modules are equal. Scopes are flattened: function-scope names that repeat get a number.
#pragma once

#include <string>

#include "ptx/ast.hpp"

namespace warpwright::ptx {

std::string print(const Module& module);

/// One function as print() writes it, without the module around it.
std::string print(const Module& module, const Function& function);

/// One instruction with the names of its function, without guard labels or `.loc`.
std::string print(const Module& module, const Function& function, const Instruction& instruction);

/// Empty when the two modules have the same meaning, else a description of the first difference. Places in the text,
/// names local to a function, and the order of symbols are not compared.
std::string difference(const Module& a, const Module& b);

}  // namespace warpwright::ptx
