// The entry of a compilation in the disk cache, and the conditions for its use.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/kernel/command.hpp"
#include "compile/kernel/compile.hpp"

namespace warpwright::compile {

struct CacheEntry {
    std::string output, log;                                        ///< PTX, or an object file; the compiler's messages
    std::vector<std::pair<std::string, std::string>> dependencies;  ///< file and hash of its contents
};

/// The whole file; nothing when it cannot be read.
std::optional<std::string> read_file(const std::string& path);

/// The key of a compilation: the source text and its name, the flags, our headers, and the installed compiler and
/// libclc.
std::string cache_key(const CompileRequest& request, const std::string& source, const Tools& tools,
                      const std::vector<std::string>& flags);

/// Of the compiler and of all our headers, as they are installed now.
std::string tools_hash(const Tools& tools);

/// A word of a command for its key. A file in `folder`, which has another name in each run, counts by its contents;
/// nothing if it cannot be read.
std::optional<std::string> by_contents(const std::string& word, const std::string& folder);

std::string encode_entry(const CacheEntry& entry);
std::optional<CacheEntry> decode_entry(const std::string& bytes);

/// Tells files that nobody has touched since it was made: since before a compiler ran. It goes by the time of a file's
/// last change of state, which a program cannot set, and takes a moment, since file systems keep time in ticks.
class UnchangedSince {
public:
    UnchangedSince();
    bool unchanged(const std::string& file) const;

private:
    timespec begin_{};
};

/// Hashes `files` into the entry; false when one cannot be read, or may have been changed since `before`.
bool fill_dependencies(CacheEntry& entry, const std::vector<std::string>& files, const UnchangedSince& before);

/// True when each included file still has the contents that were compiled.
bool dependencies_unchanged(const CacheEntry& entry);

}  // namespace warpwright::compile
