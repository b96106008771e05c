// Takes clang's warnings apart by their lines, leaves out those of our own headers, and words them as one line each, as
// nvcc does where it has the same warning.
#include "compile/kernel/warnings.hpp"

#include <fmt/format.h>

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

struct Row {
    std::string_view option, begin;
    unsigned number;
    std::string_view words;
};
constexpr Row kRows[] = {
#define WW_ASKED(option, begin, number, words) {option, begin, number, words},
#define WW_GIVEN(option, begin, number, words) {option, begin, number, words},
#include "compile/kernel/nvcc_warnings.inc"
#undef WW_ASKED
#undef WW_GIVEN
};

/// The text of a warning, "words [-Woption]", in nvcc's words where it has some.
std::string worded(std::string_view text) {
    const auto open = text.rfind(" [");
    if (open == std::string_view::npos || !text.ends_with("]")) return std::string(text);
    const std::string_view option = text.substr(open + 2, text.size() - open - 3), said = text.substr(0, open);
    for (const Row& row : kRows) {
        if (row.option != option || !said.starts_with(row.begin)) continue;
        std::string words(row.words);
        if (const auto place = words.find("{}"); place != std::string::npos) {
            const auto first = said.find('\''), last = said.find('\'', first + 1);
            if (last == std::string_view::npos) continue;
            words.replace(place, 2, said.substr(first + 1, last - first - 1));
        }
        return fmt::format("{} [{}, nvcc's #{}-D]", words, option, row.number);
    }
    return std::string(text);
}

}  // namespace

std::vector<std::string> nvcc_warning_flags() {
    return {
#define WW_ASKED(option, begin, number, words) option,
#define WW_GIVEN(option, begin, number, words)
#include "compile/kernel/nvcc_warnings.inc"
#undef WW_ASKED
#undef WW_GIVEN
    };
}

const std::vector<std::string>& accepted_by_nvcc_flags() {
    static const std::vector<std::string> flags{"-Wno-error=c++11-narrowing", "-Wno-register",
                                                "-Wno-enum-constexpr-conversion",
                                                "-Wno-missing-template-arg-list-after-template-kw"};
    return flags;
}

void add_warnings(const std::string& diagnostics, std::vector<std::string>& warnings) {
    for (std::size_t at = 0; at < diagnostics.size();) {
        const auto end = std::min(diagnostics.find('\n', at), diagnostics.size());
        std::string line = diagnostics.substr(at, end - at);
        at = end + 1;
        const auto mark = line.find(": warning: ");
        if (mark == std::string::npos || !has_place(std::string_view(line).substr(0, mark))) continue;
        const auto text = mark + std::string_view(": warning: ").size();
        line = line.substr(0, text) + worded(std::string_view(line).substr(text));
        if (std::find(warnings.begin(), warnings.end(), line) == warnings.end()) warnings.push_back(line);
    }
}

}  // namespace warpwright::compile
