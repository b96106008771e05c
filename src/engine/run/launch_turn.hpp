// The turns of launches under the checker of races; see Engine::turn_mutex_.
#pragma once

#include <mutex>
#include <vector>

#include "engine/run/engine.hpp"

namespace warpwright::engine {

/// A launch by the host, from its start to the end of all that its kernels launch.
class Engine::Turn {
public:
    Turn(Engine& engine, Program& program, ptx::SymbolId kernel, const LaunchRequest& request);
    ~Turn();
    Turn(const Turn&) = delete;

private:
    Engine& engine_;
    std::unique_lock<std::mutex> turn_;
    std::vector<std::uint32_t> marks_;
};

}  // namespace warpwright::engine
