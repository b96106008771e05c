// Nouns that are counted, in English: "1 request", "1,024 requests". For messages of errors and findings, which are in
// English alone; texts of pages have their forms in data/text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpwright {

/// "1,234,567": with `sign` between groups of three digits.
std::string grouped(std::uint64_t number, std::string_view sign = ",");

/// The number with groups of three digits, and the noun, which is given in the plural.
std::string counted(std::uint64_t count, std::string_view nouns);

/// The noun in the plural, or in the singular where the count is 1.
std::string noun_of(std::uint64_t count, std::string_view nouns);

}  // namespace warpwright
