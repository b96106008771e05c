// Opcodes and modifiers that are spelled like a misspelled one, for the hints of error messages.
#pragma once

#include <string>
#include <string_view>

namespace warpwright::ptx {

/// "near: 'add', 'and'"; empty when no spelling is close (at most two edits away, one of a word of three letters).
std::string near_opcodes(std::string_view text);
std::string near_suffixes(std::string_view text);

}  // namespace warpwright::ptx
