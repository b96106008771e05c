// Files and languages that the user asks for, looked at before the work begins: what takes minutes must not end with
// nowhere to write it.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "support/result.hpp"

namespace warpwright::cli {

/// Whether the file can be written later. "-", standard output, can; so can the empty name, which asks for no file.
/// ErrorKind::input with the file's name and the system's message.
Result<void> check_writable(const std::string& file);
/// The first of them that cannot. Absent ones can.
Result<void> check_writable(std::initializer_list<std::optional<std::string>> files);

/// Whether the folder is there to be written into, or can be made.
Result<void> check_folder(const std::optional<std::string>& folder);

/// ErrorKind::usage where there are no texts in the language; the hint lists those there are. Empty: that of the
/// locale, which always serves.
Result<void> check_language(const std::string& language);

}  // namespace warpwright::cli
