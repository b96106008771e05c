// Compiles CUDA C++ and OpenCL C to PTX text, through the distribution's clang and the headers in toolchain/, with a
// disk cache. No NVIDIA software takes part. docs/compile.md explains the parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::compile {

struct CompileRequest {
    /// The source file. With `text`, its name in messages and line information; its folder serves #include "...".
    std::string path;
    std::optional<std::string> text;  ///< the source itself, instead of the file
    std::string language = "cuda";    ///< "cuda" or "opencl"
    /// The value of __CUDA_ARCH__ and the target of the PTX. sm_80 is the newest whose instructions the emulated GPU
    /// has in full: from sm_90 on, sources choose Hopper's own (thread block clusters, TMA, wgmma).
    std::string arch = "sm_80";
    std::vector<std::string> defines;  ///< "TILE=16" or "NDEBUG"
    std::vector<std::string> include_dirs;
    /// Further flags: clang's, and nvcc's --use_fast_math, --fmad=false, --ftz=, --prec-div=, --prec-sqrt=, -lineinfo,
    /// --maxrregcount=, --expt-*, --extended-lambda, -arch= in their one-word spellings.
    std::vector<std::string> flags;
    bool line_info = true;  ///< carry source lines (.loc) in the PTX
    /// Where the text uses names that nothing declares, it is compiled once more with host_headers(): malloc, memset.
    bool may_need_host_headers = false;
};

struct CompileOptions {
    std::string cache_dir;       ///< empty = no cache; support's default_cache_directory() is the usual one
    std::string compiler;        ///< clang++ 19; empty = $WARPWRIGHT_CLANG, clang++-19, /usr/lib/llvm-19/bin/clang++
    std::string toolchain_dir;   ///< the folder that holds include/; empty = find_toolchain()
    std::string libclc_dir;      ///< the folder of libclc's bitcode; empty = $WARPWRIGHT_LIBCLC, /usr/lib/clc
    std::string* log = nullptr;  ///< receives the compiler's full output, on failure too
    std::vector<std::string>* warnings = nullptr;  ///< receives those with a place (compile/kernel/warnings.hpp)
    double timeout_s = 600;                        ///< seconds that one run of the compiler may take; 0 = any
    double processor_s = 0;                        ///< the same of processor time; 0 = by timeout_s alone
};

struct CompiledPtx {
    std::string ptx;
    std::vector<std::string> entries;  ///< linkage names of the kernels, in order of appearance
    std::string log;                   ///< warnings of the compiler, then of the cache
    bool from_cache = false;
    std::string compiler;  ///< the compiler and its target: "NVRTC 12.8 for compute_90a" (compile_for_device)
};

/// Compiles. Errors: ErrorKind::input with the place of the first diagnostic, the others in further lines of its text;
/// no_device when a tool is missing (the hint says what to install); usage for unknown flags; limit when the compiler
/// exceeds its time.
Result<CompiledPtx> compile(const CompileRequest& request, const CompileOptions& options = {});

/// A process that has no cache of its own (a confined one) compiles such requests with the headers that this process
/// has parsed: DiskCache::hand_down. Where that fails it parses them itself.
void hand_down_headers(const CompileRequest& request, const CompileOptions& options);

/// The folder of our headers: $WARPWRIGHT_TOOLCHAIN, ../share/warpwright/toolchain beside the executable, the source
/// tree that this was built from.
Result<std::string> find_toolchain();

}  // namespace warpwright::compile
