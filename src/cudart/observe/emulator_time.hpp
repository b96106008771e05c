// Where this machine's time went, as the profile has it.
#pragma once

#include <optional>

#include "profile/profile.hpp"

namespace warpwright::cudart {

/// Up to now; nothing where it was not asked for (run --profile-emulator).
std::optional<profile::EmulatorTime> emulator_time();

}  // namespace warpwright::cudart
