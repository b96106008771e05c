// Rungs that stand in their own source file. A .cu or .cl file beside ladder.toml whose first comment begins with
// "/* [rung]" is a rung: the comment is TOML with the keys of a [[rung]] table, and the file is its source
// (docs/ladder-files.md). So a rung is added by adding one file.
#pragma once

#include <string>
#include <vector>

#include "support/result.hpp"

namespace toml {
inline namespace v3 {
class table;
}
}  // namespace toml

namespace warpwright::ladder {

struct RungFile {
    std::string path;  ///< as messages name it
    std::string toml;  ///< the comment's text, after as many empty lines as precede it in the file
};

/// The comment of a source file's text that describes a rung; empty if its first comment does not. An Error
/// (ErrorKind::input) if the comment does not end.
Result<std::string> rung_comment(const std::string& source, const std::string& path);

/// The rungs' files in a folder, by name. Errors: ErrorKind::input, a file that cannot be read or whose comment does
/// not end.
Result<std::vector<RungFile>> rung_files(const std::string& folder);

/// Puts the rungs of `files` into the array `rung` of a ladder's table: after the rung that the key `after` names, else
/// at the end. Errors (ErrorKind::input): text that is not TOML, a key `source`, an `after` that names no rung.
Result<void> insert_rungs(toml::table& root, const std::vector<RungFile>& files);

}  // namespace warpwright::ladder
