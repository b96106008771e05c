// Blocks whose course is kept for the model of time (machine/trace.hpp): those that one multiprocessor would get first.
// They run before the others, one after the other, with code that is made for it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/shared/executor.hpp"
#include "engine/shared/requests.hpp"
#include "engine/shared/trace_places.hpp"
#include "machine/trace.hpp"

namespace warpwright::engine {

/// The traces of a launch as they are made.
struct Tracing {
    explicit Tracing(const DeviceMemory& memory, std::span<const std::byte> parameters = {})
        : places(memory, parameters) {}
    std::uint64_t most_events = 0;  ///< of a block
    machine::LaunchTrace launch;
    std::shared_ptr<KernelCode> code;  ///< that tells of its course
    /// What blocks counted with it, where the others run with other code.
    std::optional<record::KernelCounts> counted;
    TracePlaces places;  ///< of the memory that blocks access
    bool all = false;    ///< every block runs with it, beside those that are kept
    /// A multiprocessor whose blocks are kept: its first block, and where its blocks stand in the sample.
    struct Candidate {
        std::uint32_t first = 0;
        std::size_t begin = 0, end = 0;
    };
    std::vector<Candidate> candidates;  ///< of several, the one that has most to do remains in the end

    /// Where the block's course is kept; null: nowhere.
    machine::BlockTrace* of(std::uint64_t index);
    bool has(std::uint64_t index) const { return place(index).has_value(); }
    /// The number of the last kept block, and one more.
    std::uint64_t end() const;
    /// Where all blocks of the grid run at once: to keep those of several multiprocessors, and how much each block
    /// does.
    void widen();
    /// Leaves those of one multiprocessor.
    void choose();

private:
    std::optional<std::size_t> place(std::uint64_t index) const;
};

/// Which blocks of a grid of `blocks` are kept. `parameters`: of the launch.
std::shared_ptr<Tracing> plan_trace(const launch::TraceRequest& request, std::uint64_t blocks,
                                    const simt::BlockShape& shape, const DeviceMemory& memory,
                                    std::span<const std::byte> parameters = {});

/// The trace of a launch that is over, with what is known then: the memory that was in use, and what its run has
/// left of its time limit (seconds; 0 where it has none).
std::shared_ptr<const machine::LaunchTrace> finish_trace(const std::shared_ptr<Tracing>& tracing, double seconds_left);

}  // namespace warpwright::engine
