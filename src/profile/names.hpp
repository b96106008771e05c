// Names of kernels: as they stand in the source, and as a user means them.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace warpwright::profile {

/// Whether a kernel is meant by `wanted`: a name or part of it, or /a regular expression/; empty means all.
bool matches(const std::string& linkage_name, const std::string& wanted);

/// The name as it stands in the source.
std::string readable(const std::string& linkage_name);
/// The same with a word where other kernels launched it.
std::string title(const KernelUse& kernel);

}  // namespace warpwright::profile
