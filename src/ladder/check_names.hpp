// Checks that the expressions of a ladder use known names. Internal to this room.
#pragma once

#include <optional>

#include "ladder/ladder.hpp"

namespace warpwright::ladder {

/// Evaluates every expression of every rung once, so that an unknown name is found before anything runs. The first
/// problem, if there is one.
std::optional<Error> check_names(const Ladder& ladder);

}  // namespace warpwright::ladder
