// One line of the text of the warp IR, as words (text.hpp).
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "simt/ir.hpp"

namespace warpwright::simt::text {

/// A word, and whether a comma stood behind it.
struct Word {
    std::string_view text;
    bool comma = false;
};

struct Line {
    std::uint32_t number = 0;  ///< from 1
    bool glue = false;
    std::vector<Word> words;
};

/// The lines that hold anything; comments are left out.
std::vector<Line> lines_of(std::string_view text);

template <class Number>
std::optional<Number> number_from(std::string_view text, int base = 10) {
    Number n{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n, base);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return n;
}

/// The number behind a prefix: 3 of "b3"; nothing where the word is another.
std::optional<std::uint32_t> numbered(std::string_view word, std::string_view prefix);
/// The text behind a prefix: "12" of "shared=12".
std::optional<std::string_view> behind(std::string_view word, std::string_view prefix);
/// "+8" or "-8"; an empty text is 0.
std::optional<std::int64_t> offset_from(std::string_view text);
/// undef, v3, !v3, a number, 0f or 0d with the bits of a floating-point number.
std::optional<Operand> operand_from(std::string_view text);

}  // namespace warpwright::simt::text
