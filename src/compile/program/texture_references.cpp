// Looks for the words of texture references in the sources, because our headers can declare them only where no program
// has the same names for something else.
#include "compile/program/texture_references.hpp"

#include <cctype>
#include <string_view>

#include "compile/kernel/cached_compile.hpp"
#include "compile/kernel/includes.hpp"

namespace warpwright::compile {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Calls `work(before, after)` with the text before and after each place where `name` is a word.
template <class F>
bool any_word(std::string_view text, std::string_view name, F work) {
    for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const auto end = at + name.size();
        if ((at > 0 && in_word(text[at - 1])) || (end < text.size() && in_word(text[end]))) continue;
        if (work(text.substr(0, at), text.substr(end))) return true;
    }
    return false;
}

std::string_view without_blanks_behind(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
    return text;
}

}  // namespace

bool uses_template(std::string_view text, std::string_view name) {
    return any_word(text, name, [](std::string_view before, std::string_view after) {
        while (!after.empty() && std::isspace(static_cast<unsigned char>(after.front()))) after.remove_prefix(1);
        before = without_blanks_behind(before);
        return after.starts_with("<") && !after.starts_with("<<") && !before.ends_with("::") &&
               !before.ends_with(".") && !before.ends_with("->");
    });
}

bool declares_class(std::string_view text, std::string_view name) {
    return any_word(text, name, [](std::string_view before, std::string_view) {
        before = without_blanks_behind(before);
        for (const std::string_view word : {"class", "struct", "using", "typename"})
            if (before.ends_with(word) &&
                (before.size() == word.size() || !in_word(before[before.size() - word.size() - 1])))
                return true;
        return false;
    });
}

std::vector<std::string> reference_defines(const std::string& path, const std::vector<std::string>& folders) {
    std::vector<std::string> texts;
    if (auto text = read_file(path)) {
        if (auto included = local_includes(path, *text, folders))
            for (const auto& file : *included)
                if (auto more = read_file(file)) texts.push_back(std::move(*more));
        texts.push_back(std::move(*text));
    }
    std::vector<std::string> out;
    for (const auto& [name, define] :
         {std::pair{"texture", "WARPWRIGHT_TEXTURE_REFERENCES=1"}, {"surface", "WARPWRIGHT_SURFACE_REFERENCES=1"}}) {
        bool uses = false, declares = false;
        for (const auto& text : texts) uses |= uses_template(text, name), declares |= declares_class(text, name);
        if (uses && !declares) out.push_back(define);
    }
    return out;
}

}  // namespace warpwright::compile
