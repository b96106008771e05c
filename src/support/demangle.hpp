// Names of C++ functions as people write them, of kernels above all.
#pragma once

#include <string>

namespace warpwright {

/// "scale(float*, int)" of "_Z5scalePfi": with its parameters, of a template with its return type as well. Tags of
/// the ABI are left out. A name that is no C++ linkage name comes back as it is.
std::string demangle(const std::string& linkage_name);

}  // namespace warpwright
