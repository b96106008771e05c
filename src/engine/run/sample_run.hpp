// Runs a sample of a launch's blocks in place of all of them.
#pragma once

#include "engine/run/engine.hpp"
#include "engine/run/host_threads.hpp"

namespace warpwright::engine {

/// Puts scaled counts into the reply; leaves them out, with the reason in the sample, where all blocks must run.
void sample_blocks(LaunchShared& shared, HostThreads& threads, const LaunchRequest& request,
                   launch::EmulatedResult& reply);

}  // namespace warpwright::engine
