// Builds whole programs: kernels become PTX in a fat binary, host code is compiled by clang against our headers, and
// both are linked to our runtime library. NVIDIA's compiler and libraries take no part.
#pragma once

#include <string>
#include <vector>

#include "compile/kernel/compile.hpp"

namespace warpwright::compile {

struct WholeRequest {
    std::vector<std::string> sources;  ///< .cu; .cpp, .c and .o unchanged
    std::string program;
    std::string runtime_folder;  ///< holds libcudart.so.13
    std::vector<std::string> defines, include_dirs;
    std::vector<std::string> flags;       ///< as in CompileRequest; -l and -L go to the linker; -c: an object is made;
                                          ///< -dlink: one with the linked device code of objects; -lib: an
                                          ///< archive; -shared: a library; --default-stream=per-thread
    std::vector<std::string> host_flags;  ///< for the host's compiler alone
    std::string cuda_path;  ///< a toolkit whose additional headers may be included (Thrust, CUB); empty: none
    /// The architecture of the kernels, "sm_90". Empty: sm_80, and the program runs on every device model. Models below
    /// a given architecture refuse the program, as a GPU does.
    std::string arch;
    bool line_info = true;    ///< of kernels
    bool host_lines = false;  ///< for the host's code too
};

/// Builds the program. Errors are those of compile(), with the place of the first diagnostic.
Result<void> build_program(const WholeRequest& request, const CompileOptions& options);

}  // namespace warpwright::compile
