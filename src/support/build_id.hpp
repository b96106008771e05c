// Which build of our code runs.
#pragma once

#include <string>

namespace warpwright {

/// The linker's build identifier of this binary; empty where it has none. What one build keeps on disk and another one
/// might make differently (host code, figures) is kept under it.
const std::string& build_id();

}  // namespace warpwright
