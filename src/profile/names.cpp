// The reports and both writers of profiles filter by the same function, so that a kernel's name means the same
// everywhere.
#include "profile/names.hpp"
#include "support/demangle.hpp"

#include <regex>

namespace warpwright::profile {

bool matches(const std::string& linkage, const std::string& wanted) {
    if (wanted.empty()) return true;
    const std::string name = demangle(linkage);
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
    return demangle(kernel.name) + (kernel.from_device ? " [launched by kernels]" : "") +
           (kernel.device ? " [device " + std::to_string(*kernel.device) + "]" : "");
}

}  // namespace warpwright::profile
