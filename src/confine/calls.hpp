// seccomp filters: which calls of the operating system a confined process may make.
#pragma once

#include "support/result.hpp"

namespace warpwright::confine {

/// Whether the kernel takes filters.
bool filters_supported();

/// No sockets, no other processes' memory, no namespaces, mounts, modules, keys or tracing.
Result<void> refuse_outside_calls();

/// No new program or process, and no signal to another; threads may still be made. For all threads of the process.
Result<void> refuse_new_processes(bool may_become = false);

}  // namespace warpwright::confine
