// The one way in which files from outside are read: regular files of a bounded size. A device, a pipe or a folder in
// the place of a file is an error at once, never a wait or gigabytes of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.hpp"

namespace warpwright {

/// The most that is read of each kind of file.
namespace file_limit {
inline constexpr std::uint64_t source = std::uint64_t{64} << 20;    ///< PTX, CUDA C++, a line to be quoted
inline constexpr std::uint64_t table = std::uint64_t{16} << 20;     ///< TOML: device models, ladders, tuned values
inline constexpr std::uint64_t records = std::uint64_t{1} << 30;    ///< JSON: records, profiles, pages
inline constexpr std::uint64_t picture = std::uint64_t{256} << 20;  ///< PNG
inline constexpr std::uint64_t program = std::uint64_t{4} << 30;    ///< executables, fat binaries, arrays
}  // namespace file_limit

/// How an error of reading begins; the system's words, "it is not a regular file" or "it is larger than 64 MiB, ..."
/// follow.
inline constexpr std::string_view kUnread = "cannot be read: ";

/// All of a regular file (through links). Errors, at `path`: input (`lead` and the reason), limit (no memory for it).
Result<std::string> read_file(const std::string& path, std::uint64_t most, std::string_view lead = kUnread);
Result<std::vector<std::byte>> read_bytes(const std::string& path, std::uint64_t most);

/// The same of an open descriptor, which stays open; `path` names it in errors.
Result<std::string> read_open_file(int descriptor, const std::string& path, std::uint64_t most);

/// Whether a path names a regular file, before it is read or given to a compiler. An input error says what is there
/// instead: nothing, a folder, a pipe, a device.
Result<void> check_regular_file(const std::string& path);

}  // namespace warpwright
