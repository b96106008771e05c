// Architectures as options of NVIDIA's compilers name them.
#pragma once

#include <string>

#include "support/result.hpp"

namespace warpwright::compilers {

struct Architecture {
    std::string name;           ///< for clang: "sm_90a"
    bool machine_code = false;  ///< "sm_90" was named, not "compute_90"
};

/// "sm_90" or "compute_90", also with the suffix a or f. clang 19 knows architectures up to sm_90a: code for later ones
/// is made for sm_90, which they run as well; what sm_90a has besides they do not. ErrorKind::usage: it is no
/// architecture.
Result<Architecture> read_architecture(const std::string& word);

}  // namespace warpwright::compilers
