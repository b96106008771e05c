// Follows #include lines by text, for NVRTC, which does not list what it read. It gives up where a name is made by a
// macro, and the result is then not cached.
#include "compile/kernel/includes.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "compile/kernel/cached_compile.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;
namespace {

std::string_view skip_blanks(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

bool scan(const fs::path& folder, std::string_view text, const std::vector<std::string>& folders,
          std::vector<std::string>& found) {
    while (!text.empty()) {
        const auto end = text.find('\n');
        std::string_view line = skip_blanks(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        if (!line.starts_with("#")) continue;
        line = skip_blanks(line.substr(1));
        if (!line.starts_with("include")) continue;
        line = skip_blanks(line.substr(7));
        const char close = line.starts_with("\"") ? '"' : line.starts_with("<") ? '>' : '\0';
        if (close == '\0') return false;
        const auto last = line.find(close, 1);
        if (last == std::string_view::npos) return false;
        const std::string name(line.substr(1, last - 1));
        std::vector<fs::path> places;
        if (close == '"') places.push_back(folder / name);
        for (const std::string& other : folders) places.push_back(fs::path(other) / name);
        for (const fs::path& place : places) {
            std::error_code ec;
            if (!fs::is_regular_file(place, ec)) continue;
            const std::string file = place.lexically_normal().string();
            if (std::find(found.begin(), found.end(), file) != found.end()) break;
            found.push_back(file);
            auto inner = read_file(file);
            if (!inner || !scan(place.parent_path(), *inner, folders, found)) return false;
            break;
        }
    }
    return true;
}

}  // namespace

std::optional<std::vector<std::string>> local_includes(const std::string& path, const std::string& text,
                                                       const std::vector<std::string>& folders) {
    std::vector<std::string> found;
    if (!scan(fs::path(path).parent_path(), text, folders, found)) return std::nullopt;
    return found;
}

}  // namespace warpwright::compile
