// A text without the blanks around it.
#pragma once

#include <string_view>

namespace warpwright {

/// Without blanks, tabs and line ends at both ends.
inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const auto from = text.find_first_not_of(kBlanks);
    return from == std::string_view::npos ? std::string_view()
                                          : text.substr(from, text.find_last_not_of(kBlanks) + 1 - from);
}

}  // namespace warpwright
