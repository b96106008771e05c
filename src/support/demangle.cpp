// The C++ library's demangler, asked only about names that are mangled, and without the tags of the ABI in what it
// answers.
#include "support/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace warpwright {

namespace {

/// Without "[abi:...]": tags tell versions of a function apart for the linker. Numba's are a hundred letters long.
std::string without_tags(std::string name) {
    constexpr std::string_view kTag = "[abi:";
    for (std::size_t at = 0; (at = name.find(kTag, at)) != std::string::npos;) {
        const std::size_t end = name.find(']', at);
        if (end == std::string::npos) break;
        name.erase(at, end - at + 1);
    }
    return name;
}

/// Without the mark of a file's own kernels and variables (`static`), as clang has it where files share device code:
/// two underscores, a word and up to 16 hexadecimal digits.
std::string without_file(std::string name) {
    constexpr std::size_t kMostDigits = 16;
    for (const std::string_view word : {"__intern__", "__static__"}) {
        const std::size_t at = name.rfind(word);
        if (at == 0 || at == std::string::npos) continue;
        const std::size_t digits = name.size() - at - word.size();
        if (digits > 0 && digits <= kMostDigits &&
            name.find_first_not_of("0123456789abcdef", at + word.size()) == std::string::npos)
            name.resize(at);
    }
    return name;
}

}  // namespace

std::string demangle(const std::string& marked_name) {
    const std::string linkage_name = without_file(marked_name);
    // Without this prefix the library takes a name for a type's: "f" would come back as "float".
    if (!linkage_name.starts_with("_Z")) return linkage_name;
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text ? without_tags(text.get()) : linkage_name;
}

}  // namespace warpwright
