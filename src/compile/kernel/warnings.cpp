// Takes clang's warnings apart by their lines, leaves out those of our own headers, and words them as one line each.
#include "compile/kernel/warnings.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace warpwright::compile {
namespace {

/// Whether the text ends in ":line:column".
bool has_place(std::string_view text) {
    for (int k = 0; k < 2; ++k) {
        const auto colon = text.rfind(':');
        if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return false;
        for (const char c : text.substr(colon + 1))
            if (!std::isdigit(static_cast<unsigned char>(c))) return false;
        text = text.substr(0, colon);
    }
    return true;
}

}  // namespace

void add_warnings(const std::string& diagnostics, std::vector<std::string>& warnings) {
    for (std::size_t at = 0; at < diagnostics.size();) {
        const auto end = std::min(diagnostics.find('\n', at), diagnostics.size());
        const std::string line = diagnostics.substr(at, end - at);
        at = end + 1;
        const auto mark = line.find(": warning: ");
        if (mark == std::string::npos || !has_place(std::string_view(line).substr(0, mark))) continue;
        if (std::find(warnings.begin(), warnings.end(), line) == warnings.end()) warnings.push_back(line);
    }
}

}  // namespace warpwright::compile
