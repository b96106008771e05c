// The words that choose what of a ladder runs: lists, sizes, axes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::lab {

/// One size of a problem, a number for each of its dimensions.
using Size = std::vector<std::int64_t>;
/// Values chosen for axes by name; axes that are not there take all of theirs.
using Axes = std::map<std::string, std::vector<std::string>>;

/// "a,b,c" and lists of such texts -> a, b, c; commas inside parentheses do not split.
std::vector<std::string> split_list(const std::vector<std::string>& texts, char separator = ',');

/// A whole number, or an expression of numbers: "2^20", "3*1024". `what` is what errors call it.
Result<std::int64_t> parse_whole(const std::string& text, const std::string& what);

/// "192", "64x32x128", "2^20" -> one value for each of `dimensions` sizes (a single value stands for all).
Result<Size> parse_size(const std::string& text, std::size_t dimensions);

/// "T=int32", "TILE=8,16", several of an axis together.
Result<Axes> parse_axes(const std::vector<std::string>& texts);

}  // namespace warpwright::lab
