// Facts about a program before it runs: whether it is a CUDA program, its runtime, and the other libraries it needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpwright::profile {

struct ProgramFacts {
    bool elf = false;                    ///< a 64-bit ELF file
    bool device_code = false;            ///< has fat binaries
    bool static_runtime = false;         ///< has the static runtime in it, by name: not stripped
    std::string runtime;                 ///< "libcudart.so.13" where it is linked to the shared one
    bool driver = false;                 ///< linked to the driver library, libcuda.so.1
    bool opencl = false;                 ///< linked to the loader of OpenCL
    std::vector<std::string> libraries;  ///< other CUDA libraries it needs: "libcublas.so.13"
    bool own_path = false;               ///< DT_RPATH: goes before LD_LIBRARY_PATH
};

/// Reads the file; nothing if it cannot be read.
std::optional<ProgramFacts> look_at(const std::string& file);

/// What prevents it from running on the emulated GPU, in one line; empty: nothing was found.
std::string objection(const ProgramFacts& facts, const std::string& name);

}  // namespace warpwright::profile
