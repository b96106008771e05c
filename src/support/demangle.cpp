#include "support/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace warpwright {

std::string demangle(const std::string& linkage_name) {
    // Without this prefix the library takes a name for a type's: "f" would come back as "float".
    if (!linkage_name.starts_with("_Z")) return linkage_name;
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text ? std::string(text.get()) : linkage_name;
}

}  // namespace warpwright
