// Which files a source includes from its own surroundings, for compilers that do not say.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpwright::compile {

/// The files that #include "..." (and <...> found in `folders`) reaches from `text`, which stands at `path`, each once,
/// in order. What is skipped by #if counts too, so the list may be too long, never too short; nothing when an #include
/// names a macro, so that one cannot tell. Files that are not found are the compiler's own.
std::optional<std::vector<std::string>> local_includes(const std::string& path, const std::string& text,
                                                       const std::vector<std::string>& folders);

}  // namespace warpwright::compile
