// From a program's source to code that kernels can be taken from.
#pragma once

#include <string>
#include <vector>

#include "opencl/state/objects.hpp"

namespace warpwright::opencl {

/// Compiles the source and loads the code: the program has a status and a log then. CL_SUCCESS, or why not.
cl_int build(Program& program, const std::string& options);
/// Compiles the source alone, with headers that are programs.
cl_int compile_only(Program& program, const std::string& options,
                    std::vector<std::pair<std::string, std::string>> headers);
/// Makes an executable program of compiled ones.
cl_int link(Program& program, const std::vector<std::shared_ptr<Program>>& parts, const std::string& options);
/// Code for launches with an offset, made where there is none yet; null where that fails.
cudart::Binary* shifted_code(Program& program);

/// A program as bytes, and from them; the latter takes plain PTX too.
std::string to_binary(const Program& program);
bool from_binary(Program& program, std::string_view bytes);

/// What a kernel's parameters are.
std::vector<Space> spaces_of(const std::string& ptx, const std::string& kernel);

}  // namespace warpwright::opencl
