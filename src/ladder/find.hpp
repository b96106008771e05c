// Finds ladders: those that come with the program, and a user's own.
#pragma once

#include <string>
#include <vector>

#include "ladder/ladder.hpp"

namespace warpwright::ladder {

struct LadderPlace {
    std::string name;  ///< of the folder
    std::string file;  ///< its ladder.toml
};

/// The ladders in the folders of WARPWRIGHT_KERNELS (separated by ':'), in share/warpwright/kernels beside the
/// program's bin/, in the source tree and in the configured prefix; sorted, each name once (the first folder wins).
std::vector<LadderPlace> list_ladders();

/// The folders in which kernels are looked for, in order; some may not exist.
std::vector<std::string> kernel_folders();

/// The ladder.toml of a ladder by name or path, which is not read. Errors as of find_ladder.
Result<std::string> ladder_file(const std::string& name_or_path);

/// Reads a ladder by name ("matmul") or by path (a folder or a ladder.toml). A name that is not in the list is tried as
/// a path. ErrorKind::usage with the known names if nothing is found.
Result<Ladder> find_ladder(const std::string& name_or_path);

}  // namespace warpwright::ladder
