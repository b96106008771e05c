// Two runs of one program: which kernel of the one is which of the other.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace warpwright::profile {

/// The kernel of `other` with the same name, grid and block; else the only one of its name; null where there is none.
const KernelUse* same_kernel(const Profile& other, const KernelUse& use);

/// Adds to each kernel what a run on another model, which ended with this code, had of it, or why it had nothing.
void add_model(Profile& profile, const std::string& model, const Profile& on_model, int code);
/// The same for a model on which there is no run at all.
void add_model(Profile& profile, const std::string& model, const std::string& why);

}  // namespace warpwright::profile
