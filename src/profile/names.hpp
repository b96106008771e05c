// Names of kernels: as in the source, and as users write them.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace warpwright::profile {

/// Whether `wanted` selects a kernel: a name or part of it, or /a regular expression/; empty selects all.
bool matches(const std::string& linkage_name, const std::string& wanted);

/// The same with a note if other kernels launched it.
std::string title(const KernelUse& kernel);

}  // namespace warpwright::profile
