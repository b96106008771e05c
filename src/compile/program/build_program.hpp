// Whole programs: kernels to PTX and into a fat binary, host code through clang against our headers, linked to our
// runtime library. NVIDIA's compiler and libraries take no part.
#pragma once

#include <string>
#include <vector>

#include "compile/kernel/compile.hpp"

namespace warpwright::compile {

struct WholeRequest {
    std::vector<std::string> sources;  ///< .cu, and .cpp, .c, .o as they are
    std::string program;
    std::string runtime_folder;  ///< holds libcudart.so.13
    std::vector<std::string> defines, include_dirs;
    std::vector<std::string> flags;  ///< as CompileRequest has them; -l and -L go to the linker
    std::string cuda_path;           ///< a toolkit whose further headers may be included (Thrust, CUB); empty: none
    /// What kernels are compiled for, "sm_90". Empty: sm_80, and the program runs on every device model; one that is
    /// asked for is refused by models below it, as a GPU refuses it.
    std::string arch;
    bool line_info = true;    ///< of kernels
    bool host_lines = false;  ///< of the host's code too
};

/// Builds the program. Errors as compile() has them, with the place of the first diagnostic.
Result<void> build_program(const WholeRequest& request, const CompileOptions& options);

}  // namespace warpwright::compile
