// What kernels are compiled for: the emulated device or a real one, and by which compiler.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "compile/kernel/nvrtc.hpp"

namespace warpwright::lab {

/// What kernels are compiled for, and which compilers were used; shared by the threads that compile.
struct Target {
    int compute_capability = 0;  ///< of a real device; 0 = the emulated one
    bool opencl = false;         ///< the device takes OpenCL C: its platform compiles
    std::shared_ptr<const compile::Nvrtc> nvrtc;
    /// Of one run of the compiler, by the clock and of processor time; 0 = as CompileOptions has them.
    double seconds = 0, processor_seconds = 0;
    std::mutex mutex;
    std::set<std::string> compilers;  ///< "NVRTC 12.8 for compute_90a"
};

/// What the device loads. For an OpenCL device that is the source of a .cl file with the macros before it; else PTX:
/// compiles .cu and .cl files, caching on disk; reads .ptx files. For the emulated device with the distribution's
/// clang (where there is none with NVRTC), for a real one with NVRTC where there is one. `warnings` receives clang's,
/// one line each.
Result<std::string> compile_to_ptx(const std::string& path, const std::vector<std::string>& defines,
                                   const std::vector<std::string>& includes, Target& target,
                                   std::vector<std::string>* warnings = nullptr);

/// A confined process that compiles kernels (compile_to_ptx) reads our headers as this process has parsed them.
void hand_down_headers();

/// Which compiler and which of our files compile for the emulated device: the same text where these are the same.
std::string compiling_tools();

/// Which compilers were used, for one line; empty for the emulated device where clang compiled for it.
std::string compilers_text(Target& target);

}  // namespace warpwright::lab
