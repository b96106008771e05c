// Landlock, by the kernel's own interface: which files a process, and all that it starts, may use.
#pragma once

#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::confine {

/// The version of Landlock that the kernel offers; 0: none.
int landlock_version();

/// From now on this process reads what is under `read` but not under `hidden` (see Bounds), starts `programs`, writes
/// below `own`, and uses no other file, no TCP port, and (where the kernel knows it) no abstract socket of and no
/// signal to a process outside.
Result<void> landlock(const std::vector<std::string>& read, const std::vector<std::string>& hidden,
                      const std::vector<std::string>& programs, const std::string& own);

}  // namespace warpwright::confine
