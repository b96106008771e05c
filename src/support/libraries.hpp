// Our drop-in libraries: what their files are called, and in which folder of lib/warpwright they are. The rows are
// those of support/libraries.inc. All is in this header, so that a library which links nothing of ours (src/takeover)
// has it too.
#pragma once

#include <string>
#include <string_view>

namespace warpwright {

struct DropIn {
    const char* name;  ///< "cublas"
    unsigned major;
    const char* folder;  ///< "libraries"
    const char* title;   ///< "cuBLAS"
    const char* page;    ///< of the documentation, as docs/libraries.md links to it

    /// "libcublas.so.13"
    std::string file() const { return "lib" + std::string(name) + ".so." + std::to_string(major); }
    /// "libraries/libcublas.so.13"
    std::string path() const { return std::string(folder) + "/" + file(); }
};

inline constexpr DropIn kDropIns[] = {
#define WARPWRIGHT_LIBRARY(name, major, folder, kernels, title, page) {name, major, folder, title, page},
#include "support/libraries.inc"
};

struct DropInAlias {
    std::string_view alias, name;
};

inline constexpr DropInAlias kDropInAliases[] = {
#define WARPWRIGHT_LIBRARY_ALIAS(alias, name) {alias, name},
#include "support/libraries.inc"
};

/// The newest version of the library that has this name ("cublas", or an alias of it); null: there is none of ours.
constexpr const DropIn* newest_drop_in(std::string_view name) {
    for (const DropInAlias& a : kDropInAliases)
        if (a.alias == name) name = a.name;
    for (const DropIn& d : kDropIns)
        if (name == d.name) return &d;
    return nullptr;
}

/// Ours in the place of the file "libcublas.so.12", "libcublas.so" or "libcublas.so.12.8": the version that it names,
/// the newest where it names none, the only one where there is no other. Null: there is none of ours.
inline const DropIn* drop_in_for(std::string_view file) {
    // "libcuda.so.1", and not "libcuda.sock".
    constexpr std::string_view begin = "lib", end = ".so";
    const std::size_t at = file.find(end);
    if (!file.starts_with(begin) || at == file.npos) return nullptr;
    const std::string_view rest = file.substr(at + end.size());
    if (!rest.empty() && rest[0] != '.') return nullptr;
    const DropIn* newest = newest_drop_in(file.substr(begin.size(), at - begin.size()));
    if (!newest || rest.size() < 2) return newest;
    const std::string_view major = rest.substr(1, rest.find('.', 1) - 1);
    unsigned versions = 0;
    for (const DropIn& d : kDropIns) {
        if (std::string_view(d.name) != newest->name) continue;
        if (std::to_string(d.major) == major) return &d;
        ++versions;
    }
    return versions == 1 ? newest : nullptr;
}

}  // namespace warpwright
