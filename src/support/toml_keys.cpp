// Parts of keys are counted as the dots between them: words, strings and blanks go on with a key, anything else ends
// it.
#include "support/toml_keys.hpp"

#include <algorithm>
#include <cctype>

namespace warpwright {
namespace {

/// Behind the string that begins at `at`, as TOML ends it; the end of the text where nothing does.
std::size_t behind_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const bool escapes = quote == '"';
    const bool lines = text.substr(at, 3) == std::string(3, quote);
    for (at += lines ? 3 : 1; at < text.size(); ++at) {
        if (escapes && text[at] == '\\')
            ++at;
        else if (!lines && (text[at] == quote || text[at] == '\n'))
            return at + 1;
        else if (lines && text.substr(at, 3) == std::string(3, quote))
            return at + 3;
    }
    return text.size();
}

}  // namespace

std::optional<Location> key_of_too_many_parts(std::string_view text, const std::string& file) {
    unsigned line = 1, dots = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '"' || c == '\'') {
            for (const auto end = std::min(behind_string(text, at), text.size()); at < end; ++at)
                line += text[at] == '\n';
            continue;
        }
        if (c == '#')
            while (at + 1 < text.size() && text[at + 1] != '\n') ++at;
        const bool goes_on =
            std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == ' ' || c == '\t' || c == '.';
        dots = !goes_on ? 0 : dots + (c == '.');
        if (dots >= kMostKeyParts) return Location{file, line, 0};
        line += c == '\n';
        ++at;
    }
    return std::nullopt;
}

}  // namespace warpwright
