// The first host's side: what others get of a grid, and what they give back.
#pragma once

#include <memory>
#include <string>

#include "engine/run/engine.hpp"

namespace warpwright::device {

/// `path`: of the process that carries messages; it says first how many other hosts there are. `tell`: receives lines
/// for the user.
Result<std::shared_ptr<engine::OtherHosts>> reach_other_hosts(const std::string& path,
                                                              const engine::EngineOptions& options,
                                                              std::function<void(const std::string&)> tell);

}  // namespace warpwright::device
