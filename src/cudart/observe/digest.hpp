// A digest of device memory after each launch (WARPWRIGHT_DIGEST), so that two runs of a program name the first kernel
// after which their memories differ. docs/run.md has the format.
#pragma once

#include <memory>

#include "cudart/work/launch/launch_observer.hpp"

namespace warpwright::cudart {

/// Begins the file that the settings name, where they name one; called when the device starts.
void start_digest();

}  // namespace warpwright::cudart
