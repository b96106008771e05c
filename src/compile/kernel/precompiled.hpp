// The headers that stand before every kernel, parsed once: reading them takes ten times as long as a small kernel
// itself. Clang keeps what it parsed in a file (a precompiled header), which the cache holds between runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compile/kernel/command.hpp"
#include "compile/kernel/compile.hpp"
#include "compile/process.hpp"

namespace warpwright::compile {

struct WithPrecompiled {
    std::vector<std::string> command;       ///< the same with the parsed headers in place of the headers' names
    std::vector<std::string> dependencies;  ///< the files that were parsed
    std::string key;                        ///< of the entry in the cache
};

/// The command (the compiler with its options, -S or -c among them, without files' names) with parsed headers for the
/// ones that it includes by option. Where the cache has none for these options, or a file of theirs has changed, they
/// are parsed now. Nothing where that does not serve: no cache, headers of the user's by option, macros of the user's
/// whose names stand in the headers, headers that the compiler refuses. `folder`: for files on the way; words of the
/// command may name files in it, which count by their contents.
std::optional<WithPrecompiled> with_precompiled_headers(const std::vector<std::string>& command,
                                                        const std::string& folder, const Tools& tools,
                                                        const CompileOptions& options);

/// Hands the parsed headers of such a command down to processes that have no cache (DiskCache::hand_down), parsed now
/// where the cache has none.
void hand_down_parsed(const std::vector<std::string>& command, const std::string& folder, const Tools& tools,
                      const CompileOptions& options);

/// Removes the entry if the compiler's messages refuse it. What a compiler says with parsed headers is never shown: it
/// runs again without them.
void forget_refused(const WithPrecompiled& with, const std::string& messages, const CompileOptions& options);

/// Has `run` (which adds the files' names) run the command with parsed headers, and where there are none or the
/// compiler fails, as it stands. `parsed` receives the files of the headers that the result was compiled with.
Result<ProcessResult> run_with_parsed_headers(const std::vector<std::string>& command, const std::string& folder,
                                              const Tools& tools, const CompileOptions& options,
                                              const std::function<Result<ProcessResult>(std::vector<std::string>)>& run,
                                              std::vector<std::string>& parsed);

}  // namespace warpwright::compile
