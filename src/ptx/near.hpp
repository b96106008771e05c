// What a misspelled opcode or modifier is near to, for the hints of error messages.
#pragma once

#include <string>
#include <string_view>

namespace warpwright::ptx {

/// "near: 'add', 'and'"; empty when nothing is spelled alike (at most two edits away).
std::string near_opcodes(std::string_view text);
std::string near_suffixes(std::string_view text);

}  // namespace warpwright::ptx
