// The code of OpenCL programs: their source is compiled while they run, as a vendor's OpenCL does it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launch/declared.hpp"
#include "support/result.hpp"

namespace warpwright::cudart {

struct OpenclSource {
    std::string name, text;          ///< name: of its file in messages and by lines
    std::vector<std::string> flags;  ///< of clang
    /// Files that it includes by these names, before any in folders.
    std::vector<std::pair<std::string, std::string>> headers;
};

/// The PTX; `log` receives what the compiler says, also where it fails.
Result<std::string> opencl_ptx(const OpenclSource& source, std::string& log);

/// What the source says of a kernel's parameters.
std::vector<launch::Declared> opencl_parameters(const std::string& kernel, std::size_t count,
                                                const std::string& source);

}  // namespace warpwright::cudart
