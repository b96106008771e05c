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

/// The numbers that a text names: one ("2^20"), or a range: "4..8" goes by 1, "8..64:8" by a step, "8..64:*2" by a
/// factor, and "2^9..2^12" by powers. Ends belong to it. ErrorKind::usage for none, or for more than kMostValues.
Result<std::vector<std::int64_t>> parse_numbers(const std::string& text, const std::string& what);
inline constexpr std::size_t kMostValues = 4096;

/// "192", "64x32x128", "2^20" -> one value for each of `dimensions` sizes (a single value stands for all).
Result<Size> parse_size(const std::string& text, std::size_t dimensions);

/// The same where any number may be a range: "2^9..2^12", "64..128:64x32" (all pairs).
Result<std::vector<Size>> parse_sizes(const std::string& text, std::size_t dimensions);

/// "T=int32", "TILE=8,16", "N=2^9..2^12", several of an axis together. Numbers and ranges come out as decimal numbers.
Result<Axes> parse_axes(const std::vector<std::string>& texts);

}  // namespace warpwright::lab
