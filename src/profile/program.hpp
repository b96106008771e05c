// What can be said of a program before it runs: is it one for CUDA, which runtime does it want, what else does it need.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpwright::profile {

struct ProgramFacts {
    bool elf = false;                    ///< a 64-bit ELF file
    bool device_code = false;            ///< has fat binaries
    std::string runtime;                 ///< "libcudart.so.13" where it is linked to the shared one
    std::vector<std::string> libraries;  ///< other CUDA libraries it needs: "libcublas.so.13"
    bool own_path = false;               ///< DT_RPATH: goes before LD_LIBRARY_PATH
};

/// Reads the file; nothing where it cannot be read.
std::optional<ProgramFacts> look_at(const std::string& file);

/// What stands against running it on the emulated GPU, in one line; empty: nothing seen.
std::string objection(const ProgramFacts& facts, const std::string& name);

}  // namespace warpwright::profile
