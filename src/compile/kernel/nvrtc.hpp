// Compiles CUDA C++ to PTX through NVIDIA's run-time compiler, where a machine has it: for real GPUs, whose newest
// instructions clang may not know. It is found when the program runs; no NVIDIA software is needed to build.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compile/kernel/compile.hpp"
#include "support/library_search.hpp"

namespace warpwright::compile {

/// Where NVRTC is looked for; $WARPWRIGHT_NVRTC names the only place.
struct NvrtcSearch : LibrarySearch {
    static NvrtcSearch of_machine() { return {LibrarySearch::of_machine(Setting::nvrtc)}; }
};

/// Library files and names in the order in which they are tried.
std::vector<std::string> nvrtc_candidates(const LibrarySearch& search);

/// The CUDA headers (cuda_fp16.h and so on) that belong to the library at `path`; those folders that exist.
std::vector<std::string> nvrtc_headers(const std::string& path);

class Nvrtc {
public:
    /// The first library that works and is not newer than `newest` (the driver's CUDA, major * 1000 + minor * 10; 0 =
    /// any), because the driver would refuse its PTX. ErrorKind::no_device says what was found or tried.
    static Result<std::shared_ptr<const Nvrtc>> open(const NvrtcSearch& search, int newest);

    /// "NVRTC 12.8".
    std::string text() const;
    int version() const { return version_; }
    const std::string& path() const { return path_; }

    /// The name of the newest architecture it knows that runs on a device of this capability (90): "compute_90a", the
    /// device's own features included. Empty when there is none.
    std::string architecture(int compute_capability) const;

    /// Compiles for `architecture`. Its errors are those of compile().
    Result<CompiledPtx> compile(const CompileRequest& request, const std::string& architecture,
                                const CompileOptions& options) const;

private:
    struct Api;
    std::string text_for(const std::string& architecture) const;

    std::shared_ptr<const Api> api_;
    std::string path_;
    int version_ = 0;
    std::vector<int> architectures_;  ///< 75, 80, 90, ...
};

/// PTX for a real device: by NVRTC where there is one; by clang otherwise, and where NVRTC lacks a header that ours
/// have. `nvrtc` is null where none was found; CompiledPtx::compiler says which it was.
Result<CompiledPtx> compile_for_device(const CompileRequest& request, int compute_capability, const Nvrtc* nvrtc,
                                       const CompileOptions& options);

/// clang's name for the newest architecture it knows that runs on a device of this capability: "sm_90a"; empty when
/// none.
std::string clang_architecture(int compute_capability);

}  // namespace warpwright::compile
