// What a misspelt word was probably meant to be, for the hints of messages.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright {

/// Letters to change, add, leave out or exchange with their neighbour until a is b (optimal string alignment).
std::size_t edits(std::string_view a, std::string_view b);

/// The words of `known` that are spelt like `word`, the nearest first, at most three: a third of its letters may be
/// wrong, missing, too many or exchanged with their neighbour, and one of a short word. Letters' case does not count.
std::vector<std::string> closest(std::string_view word, std::span<const std::string> known);

/// "did you mean 'matmul'?" or "did you mean 'copy' or 'copies'?"; empty where nothing is spelt alike.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace warpwright
