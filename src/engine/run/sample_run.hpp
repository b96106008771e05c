// Runs a sample of a launch's blocks in place of all of them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/run/engine.hpp"
#include "engine/run/executor.hpp"

namespace warpwright::engine {

/// Puts scaled counts into the reply; leaves them out, with the reason in the sample, where all blocks must run.
/// `on_all` runs a function on every host thread of the launch; `cluster`: blocks of a cluster.
void sample_blocks(LaunchShared& shared, std::vector<std::unique_ptr<Executor>>& executors,
                   const std::function<void(const std::function<void(unsigned)>&)>& on_all, std::uint64_t cluster,
                   const LaunchRequest& request, LaunchReply& reply);

}  // namespace warpwright::engine
