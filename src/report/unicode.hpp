// Characters of UTF-8 text, and how wide a terminal shows them.
#pragma once

#include <cstddef>
#include <string_view>

namespace warpwright::report {

struct Decoded {
    char32_t point = 0;
    std::size_t length = 1;
    bool valid = false;
};

/// One UTF-8 sequence; overlong forms and surrogates are not valid.
inline Decoded decode(std::string_view s) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
    const unsigned char first = at(0);
    if (first < 0x80) return {first, 1, true};
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || s.size() < length) return {};
    char32_t point = first & (0x7F >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((at(i) & 0xC0) != 0x80) return {};
        point = point << 6 | (at(i) & 0x3F);
    }
    const bool shortest = length == 2 || (length == 3 && point >= 0x800) || (length == 4 && point >= 0x10000);
    if (!shortest || (point >= 0xD800 && point < 0xE000) || point > 0x10FFFF) return {};
    return {point, length, true};
}

inline bool in(char32_t p, char32_t low, char32_t high) { return p >= low && p <= high; }

/// Columns that a character takes on a terminal.
inline std::size_t point_width(char32_t p) {
    // Combining marks and zero-width characters.
    if (in(p, 0x300, 0x36F) || in(p, 0x200B, 0x200F) || in(p, 0x20D0, 0x20FF) || in(p, 0xFE00, 0xFE0F)) return 0;
    // East Asian Wide and Fullwidth (Unicode Standard Annex 11), and emoji.
    if (in(p, 0x1100, 0x115F) || in(p, 0x2E80, 0x303E) || in(p, 0x3041, 0xA4CF) || in(p, 0xAC00, 0xD7A3) ||
        in(p, 0xF900, 0xFAFF) || in(p, 0xFE30, 0xFE6F) || in(p, 0xFF00, 0xFF60) || in(p, 0xFFE0, 0xFFE6) ||
        in(p, 0x1F300, 0x1FAFF) || in(p, 0x20000, 0x3FFFD))
        return 2;
    return 1;
}

}  // namespace warpwright::report
