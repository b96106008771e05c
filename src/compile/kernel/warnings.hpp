// The compiler's warnings, for people.
#pragma once

#include <string>
#include <vector>

namespace warpwright::compile {

/// Adds the warnings in a compiler's output that have a place, one line each ("k.cu:3:9: warning: unused variable 'x'
/// [-Wunused-variable]"), unless the list has the line already: a template warns once for each instance, and a file is
/// compiled for both sides. What the compiler says of its own command line is left out.
void add_warnings(const std::string& diagnostics, std::vector<std::string>& warnings);

/// The options of clang's for warnings that nvcc gives without being asked, and clang does not.
std::vector<std::string> nvcc_warning_flags();

/// What is an error for clang although nvcc and g++ take it, with a warning (narrowing) or without one: `register`, a
/// constant outside its enumeration, `x.template f` without arguments in a class's own list.
const std::vector<std::string>& accepted_by_nvcc_flags();

}  // namespace warpwright::compile
