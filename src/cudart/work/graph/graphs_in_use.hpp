// The lock of graphs.
#pragma once

#include <mutex>
#include <string_view>

namespace warpwright::cudart {

/// Held by calls that look at graphs, executable graphs and captures, or change them: CUDA lets a program use one from
/// one thread at a time alone, and a program that does not must not take this process down. A launch of a graph holds
/// it while it takes what it needs, and work that is captured while it is added.
std::recursive_mutex& graphs_in_use();
/// Whether the function of this name, of the runtime or the driver, is such a call.
constexpr bool uses_graphs(std::string_view function) {
    const auto behind = function.substr(function.starts_with("cuda") ? 4 : 2);
    return !behind.starts_with("GraphLaunch") &&
           (behind.starts_with("Graph") || function.find("Capture") != std::string_view::npos);
}

}  // namespace warpwright::cudart
