// Files that are complete or absent: for output that a user asked for.
#pragma once

#include <string>
#include <string_view>

#include "support/result.hpp"

namespace warpwright {

/// Writes a file beside its place and then renames it, so that a full disk or a kill leaves the old file or none, never
/// a partial one. A special file (/dev/stdout, a pipe) is written directly. Errors: input, with the file's name and the
/// system's message.
Result<void> write_file(const std::string& path, std::string_view text);

/// Makes a folder and its parents; no error if it exists.
Result<void> make_folder(const std::string& path);

}  // namespace warpwright
