// Grids that kernels launch (dynamic parallelism): the interface between a launch and the code that started it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "launch/config.hpp"
#include "launch/result.hpp"
#include "simt/details.hpp"
#include "timeline/work.hpp"

namespace warpwright::engine {

/// Errors of the runtime library, with their documented numbers, that the engine itself reports.
namespace device_error {
inline constexpr std::uint32_t invalid_value = 1, memory_allocation = 2, invalid_configuration = 9,
                               invalid_device_function = 98, depth_exceeded = 65, pending_exceeded = 69,
                               invalid_device = 101, invalid_handle = 400, not_supported = 801;
}

/// The greatest depth of nested grids; a grid that the host launches is at depth 0.
inline constexpr unsigned kMostNested = 24;

struct ChildGrid {
    ptx::SymbolId kernel = ptx::kNoId;
    launch::LaunchConfig config;
    bool explicit_cluster = false;
    std::uint64_t id = 0, parent = 0;  ///< numbers of launches; 0 for a launch by the host
    unsigned depth = 1;
};

/// Questions that only the host side can answer.
enum class Question : std::uint8_t {
    attribute,            ///< an attribute's number: 4 bytes
    limit,                ///< a limit's number: 8 bytes
    function_attributes,  ///< a function: the runtime's structure
    occupancy,            ///< a function, threads, dynamic shared memory: 4 bytes
    error_name,
    error_string,  ///< a number: text, ended by 0
    version,
    devices,          ///< 4 bytes
    set_conditional,  ///< handle, value
    launch_graph,     ///< graph, stream
};

/// Several host threads may call it at once.
class NestedHost {
public:
    virtual ~NestedHost() = default;
    /// 0, or the runtime library's error if the grid cannot be launched. Fills in the cluster.
    virtual std::uint32_t check(ChildGrid& grid) = 0;
    /// A grid has ended, with all that it launched but its tail. Returns the grid's own work for the modelled clock.
    virtual timeline::Work ended(const ChildGrid& grid, const launch::LaunchResult& result) = 0;
    /// A copy or fill has been done; returns its work likewise.
    virtual timeline::Work moved(bool fill, std::uint64_t bytes) = 0;
    /// 0 and the answer, or an error. `function` is a kernel of the program, if the question is about one.
    virtual std::uint32_t ask(Question question, ptx::SymbolId function, const std::uint64_t* arguments,
                              std::vector<std::byte>& answer) = 0;
};

}  // namespace warpwright::engine
