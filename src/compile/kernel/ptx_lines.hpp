// The lines of clang's PTX, which has one statement a line.
#pragma once

#include <string_view>
#include <vector>

namespace warpwright::compile {

using Lines = std::vector<std::string_view>;

inline Lines split(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return lines;
}

/// A line without its comment and the blanks at its ends.
inline std::string_view trimmed(std::string_view line) {
    line = line.substr(0, line.find("//"));
    const auto first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(" \t") - first + 1);
}

}  // namespace warpwright::compile
