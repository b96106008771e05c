// Characters of UTF-8 text, and how wide a terminal shows them, by utf8proc's tables of Unicode.
#pragma once

#include <utf8proc.h>

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
    if (static_cast<unsigned char>(s[0]) < 0x80) return {static_cast<unsigned char>(s[0]), 1, true};
    utf8proc_int32_t point = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(s.data()),
                                         static_cast<utf8proc_ssize_t>(s.size() < 4 ? s.size() : 4), &point);
    if (length <= 0) return {};
    return {static_cast<char32_t>(point), static_cast<std::size_t>(length), true};
}

inline bool in(char32_t p, char32_t low, char32_t high) { return p >= low && p <= high; }

/// Columns that a character takes on a terminal. What no printer lets through (safe()) has one, as its place holder.
inline std::size_t point_width(char32_t p) {
    return p < 0xA0 ? 1 : static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(p)));
}

}  // namespace warpwright::report
