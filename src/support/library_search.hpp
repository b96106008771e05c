// The places where NVIDIA's libraries may be on a machine. Each is looked for in the same places: the user's choice,
// NVIDIA's Python wheels, CUDA toolkits, and the places of the system's loader.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/result.hpp"
#include "support/settings.hpp"
#include "support/shared_library.hpp"

namespace warpwright {

/// The places, in this order.
struct LibrarySearch {
    std::optional<std::string> own;     ///< a library or a folder of them: then no other place is searched
    std::vector<std::string> packages;  ///< Python's site-packages folders, for NVIDIA's wheels
    std::vector<std::string> toolkits;  ///< CUDA toolkits' folders, `*` allowed
    bool loader = true;                 ///< the places of the system's loader

    /// This machine's: `own_place` (Setting::nvrtc) names `own`; the rest from VIRTUAL_ENV, CONDA_PREFIX,
    /// PYTHONPATH, CUDA_HOME, CUDA_PATH, the python3 in PATH and the usual folders.
    static LibrarySearch of_machine(Setting own_place);
};

/// The names of a library.
struct LibraryName {
    std::string file;   ///< "libcublas": files are libcublas.so, libcublas.so.13 and so on
    std::string wheel;  ///< its folder among the wheels of CUDA 12 and before: "cublas" (nvidia/cublas/lib)
    std::vector<std::string> loader;  ///< names for the loader, in this order: "libcublas.so.13"
};

/// Library files and names in the order in which they are tried.
std::vector<std::string> library_candidates(const LibrarySearch& search, const LibraryName& name);

/// Full path of an executable called `name` (or itself a path); empty when there is none.
std::string find_program(const std::string& name);
/// What to say where it is not found: there is no such file, or it may not be executed.
Error no_program(const std::string& name);

}  // namespace warpwright
