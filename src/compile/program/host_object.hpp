// The host's side of one source: an object file, from the cache of earlier builds where nothing it was made of has
// changed.
#pragma once

#include <string>
#include <vector>

#include "compile/kernel/command.hpp"
#include "compile/kernel/compile.hpp"

namespace warpwright::compile {

struct HostSource {
    std::vector<std::string> command;  ///< the compiler and its options, without the files' names
    std::string source, object;        ///< files
    std::string folder;                ///< for files on the way; words of `command` may name files in it
};

/// Compiles a file's host side, which reads the kernels too, and with them the grids they launch. Errors: as compile()
/// has them.
Result<void> compile_host(const HostSource& job, const Tools& tools, const CompileOptions& options);

}  // namespace warpwright::compile
