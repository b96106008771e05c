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

}  // namespace

std::string demangle(const std::string& linkage_name) {
    // Without this prefix the library takes a name for a type's: "f" would come back as "float".
    if (!linkage_name.starts_with("_Z")) return linkage_name;
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text ? without_tags(text.get()) : linkage_name;
}

}  // namespace warpwright
