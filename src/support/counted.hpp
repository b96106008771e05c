// Nouns that are counted, in English: "1 request", "1,024 requests".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpwright {

/// The number with groups of three digits, and the noun, which is given in the plural.
std::string counted(std::uint64_t count, std::string_view nouns);

/// The noun in the plural, or in the singular where the count is 1.
std::string noun_of(std::uint64_t count, std::string_view nouns);

/// An English text in which each of our nouns that stands in the plural behind a lone 1 ("1 requests") is put in the
/// singular: texts hold names for their numbers, and only the finished one knows them.
std::string agreed(std::string_view text);

}  // namespace warpwright
