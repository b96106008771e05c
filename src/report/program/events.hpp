// Single events of a profile, for its drawings.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace warpwright::report {

/// The kernel, copy or call that the event is one of; empty where the profile has no such.
std::string event_name(const profile::Profile& profile, const profile::Event& event);

}  // namespace warpwright::report
