// Libraries of NVIDIA's names that a program opens by a path of its own, as Python packages open those of their wheels:
// ours are opened in their place.
#pragma once

#include <string>

namespace warpwright::takeover {

/// The folder of this library, which holds cudart13/, cudart12/, cuda/ and compilers/.
std::string own_folder();

/// The file to open where a program asks for `name`; empty: the one that it asks for.
std::string redirected(const std::string& name, const std::string& folder);

}  // namespace warpwright::takeover
