// nvcc's own options, as `warpwright build` takes them.
#pragma once

#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::cli {

/// The words after `build` with nvcc's options (-O3, -std=c++17, -gencode ..., -Xcompiler -Wall) in the words that the
/// parser knows; all others stay as they are. An option that asks for something that `build` does not make is refused.
Result<std::vector<std::string>> nvcc_words(const std::vector<std::string>& words);

}  // namespace warpwright::cli
