// Finds kernels by the names that people write: mangled, qualified, with template arguments or without, as long as one
// kernel fits; else the error lists the choices.
#include "compile/kernel/entries.hpp"

#include <fmt/format.h>

#include "compile/failure.hpp"
#include "support/demangle.hpp"

namespace warpwright::compile {
namespace {

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '%';
}

/// A demangled signature without its return type and parameters: "ns::foo<16>".
std::string qualified_name(const std::string& signature) {
    // The parameter list is the last parenthesis at angle-bracket depth 0; template functions carry a return type
    // before the name, up to the last blank at depth 0.
    int depth = 0;
    std::size_t start = 0, end = signature.size();
    for (std::size_t i = 0; i < signature.size(); ++i) {
        const char c = signature[i];
        const bool arrow = c == '>' && i > 0 && signature[i - 1] == '-';
        if (signature.compare(i, 21, "(anonymous namespace)") == 0) {
            i += 20;
            continue;
        }
        if (c == '<') ++depth;
        if (c == '>' && !arrow) --depth;
        if (depth != 0) continue;
        if (c == ' ') start = i + 1;
        if (c == '(') {
            end = i;
            break;
        }
    }
    return start <= end ? signature.substr(start, end - start) : signature;
}

std::string without_template_arguments(const std::string& name) {
    std::string out;
    int depth = 0;
    for (char c : name) {
        if (c == '<') ++depth;
        if (depth == 0) out += c;
        if (c == '>') --depth;
    }
    return out;
}

/// Without blanks and integer suffixes ("16u" is "16"), so that "foo<16, float>" matches "foo<16u,float>".
std::string normalised(const std::string& name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        if (c == ' ') continue;
        const bool suffix = (c == 'u' || c == 'l') && !out.empty() && ((out.back() >= '0' && out.back() <= '9')) &&
                            (i + 1 == name.size() || !is_name_character(name[i + 1]) || name[i + 1] == 'l');
        if (suffix) {
            // Only a literal: a digit run that starts an argument, not the end of an identifier such as "v2u".
            std::size_t k = out.size();
            while (k > 0 && out[k - 1] >= '0' && out[k - 1] <= '9') --k;
            if (k > 0 && (out[k - 1] == '<' || out[k - 1] == ',' || out[k - 1] == '-')) {
                while (i + 1 < name.size() && name[i + 1] == 'l') ++i;
                continue;
            }
        }
        out += c;
    }
    return out;
}

std::string last_component(const std::string& name) {
    const auto colons = without_template_arguments(name).rfind("::");
    if (colons == std::string::npos) return name;
    // Without template arguments the names agree up to their first '<', which follows the last "::" of the plain case.
    const auto angle = name.find('<');
    const auto place = name.rfind("::", angle);
    return place == std::string::npos ? name : name.substr(place + 2);
}

}  // namespace

std::vector<std::string> list_entries(std::string_view ptx) {
    std::vector<std::string> entries;
    for (std::size_t at = 0; (at = ptx.find(".entry", at)) != std::string_view::npos;) {
        const bool starts_word = at == 0 || !is_name_character(ptx[at - 1]);
        at += 6;
        if (!starts_word || at >= ptx.size() || (ptx[at] != ' ' && ptx[at] != '\t')) continue;
        // Not inside a comment.
        const auto line = ptx.rfind('\n', at);
        const std::string_view before = ptx.substr(line + 1, at - line - 1);
        if (before.find("//") != std::string_view::npos || before.find('"') != std::string_view::npos) continue;
        while (at < ptx.size() && (ptx[at] == ' ' || ptx[at] == '\t')) ++at;
        std::size_t end = at;
        while (end < ptx.size() && is_name_character(ptx[end])) ++end;
        if (end > at) entries.emplace_back(ptx.substr(at, end - at));
        at = end;
    }
    return entries;
}

Result<std::string> find_entry(const std::vector<std::string>& entries, const std::string& name) {
    for (const std::string& entry : entries)
        if (entry == name) return entry;
    std::vector<std::string> found;
    const std::string wanted = normalised(name);
    for (const std::string& entry : entries) {
        const std::string signature = demangle(entry);
        if (signature == entry) continue;
        const std::string qualified = qualified_name(signature);
        const std::string last = last_component(qualified);
        for (const std::string& spelling :
             {signature, qualified, without_template_arguments(qualified), last, without_template_arguments(last)})
            if (normalised(spelling) == wanted) {
                found.push_back(entry);
                break;
            }
    }
    if (found.size() == 1) return found[0];
    const auto& shown = found.empty() ? entries : found;
    std::string list;
    for (const std::string& entry : shown) {
        const std::string signature = demangle(entry);
        list += (list.empty() ? "" : ", ") + (signature == entry ? entry : qualified_name(signature));
    }
    if (!found.empty())
        return failure(ErrorKind::input, fmt::format("kernel '{}' is ambiguous", name), {}, "one of: " + list);
    return failure(ErrorKind::input, fmt::format("no kernel '{}'", name), {},
                   list.empty() ? "the source defines no kernel; a template needs an explicit instantiation"
                                : "there are: " + list);
}

}  // namespace warpwright::compile
