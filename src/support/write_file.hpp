// Files that are whole or not there: for what a user asked to be written.
#pragma once

#include <string>
#include <string_view>

#include "support/result.hpp"

namespace warpwright {

/// Writes a file beside its place and then renames it into it, so that a full disk or a kill leaves the old file or
/// none, never half of one. What is no ordinary file (/dev/stdout, a pipe) is written to as it is. Errors: input, with
/// the file's name and the system's words.
Result<void> write_file(const std::string& path, std::string_view text);

/// Makes a folder and those above it; no error where it is there.
Result<void> make_folder(const std::string& path);

}  // namespace warpwright
