// A process that is started for a caller who waits for it by itself.
#pragma once

#include "support/child_process.hpp"

namespace warpwright {

/// Starts a program. ErrorKind::no_device with the system's words, which errno stands for, where it cannot be started.
Result<pid_t> start_process(const Start& start);

}  // namespace warpwright
