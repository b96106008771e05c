// Texture and surface references (CUDA until version 11): finds out whether a program has any. Only then may our
// headers use their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwright::compile {

/// The macros for a source that declares `texture<...>` or `surface<...>` variables, itself or in local files that it
/// includes; none if it has a class of that name itself.
std::vector<std::string> reference_defines(const std::string& path, const std::vector<std::string>& folders);

/// Whether `text` uses a class template of this name that it does not declare.
bool uses_template(std::string_view text, std::string_view name);
bool declares_class(std::string_view text, std::string_view name);

}  // namespace warpwright::compile
