#include "profile/names.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <regex>

namespace warpwright::profile {

bool matches(const std::string& linkage, const std::string& wanted) {
    if (wanted.empty()) return true;
    const std::string name = readable(linkage);
    if (wanted.size() > 2 && wanted.front() == '/' && wanted.back() == '/') {
        try {
            const std::regex pattern(wanted.substr(1, wanted.size() - 2));
            return std::regex_search(name, pattern) || std::regex_search(linkage, pattern);
        } catch (const std::regex_error&) {
            return false;
        }
    }
    return name.find(wanted) != std::string::npos || linkage == wanted;
}

std::string title(const KernelUse& kernel) {
    return readable(kernel.name) + (kernel.from_device ? " [launched by kernels]" : "");
}

std::string readable(const std::string& linkage_name) {
    int status = 0;
    char* text = abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status);
    std::string out = status == 0 && text ? text : linkage_name;
    std::free(text);
    return out;
}

}  // namespace warpwright::profile
