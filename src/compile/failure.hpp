// A function that makes an Error, kept out of line.
#pragma once

#include <string>

#include "support/result.hpp"

namespace warpwright::compile {

/// An Error at `file` (line and column unknown; empty = no place).
Error failure(ErrorKind kind, std::string what, std::string file = {}, std::string hint = {});

}  // namespace warpwright::compile
