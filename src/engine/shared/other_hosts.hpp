// Other hosts that run blocks of a grid: what they are told, and what they answer. The room device has the ways to
// them; a host that fails is none, and its blocks run here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/shared/abi.hpp"
#include "engine/shared/program.hpp"
#include "engine/shared/requests.hpp"
#include "engine/shared/touched_memory.hpp"
#include "machine/trace.hpp"

namespace warpwright::engine {

/// Blocks, or clusters, of a grid; `last` is behind it.
struct BlockRange {
    std::uint64_t first = 0, last = 0;
};
/// The blocks that are to run next; none: the grid has none left. Any thread may ask.
using NextBlocks = std::function<std::optional<BlockRange>()>;

/// What the blocks that a host ran have counted, and what they did to memory.
struct BlocksDone {
    std::vector<std::uint64_t> counters;  ///< these three as of Tally
    std::vector<Site> sites;
    std::vector<SiteSpaces> spaces;
    TouchedMemory touched;
    std::vector<std::pair<std::uint64_t, machine::LaunchTrace::BlockWork>> work;  ///< where the launch keeps it
};

/// Bytes of device memory that a host's blocks have changed, or lie beside such; both are as long.
struct Change {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> before, after;
};

/// A grid of which other hosts are to run blocks.
struct SharedGrid {
    const Program& program;
    std::string kernel;
    const LaunchRequest& request;
    std::uint64_t parameters;  ///< where they are in device memory
    NextBlocks next;
};

/// What came of a host's part of it.
struct HostPart {
    std::string host;                ///< for people
    std::vector<BlockRange> ranges;  ///< that it was given
    /// Absent: it is lost, or a block of it failed. Then all of them run here.
    std::optional<BlocksDone> done;
    std::vector<Change> changes;
};

class OtherHosts {
public:
    virtual ~OtherHosts() = default;
    /// How many there are beside this one; 0: none any more.
    virtual unsigned count() const = 0;
    /// Seconds of work from which on a grid is worth being shared.
    virtual double worth() const = 0;
    /// They get what has changed of the memory, and begin. False where they are busy with another grid, or gone.
    virtual bool begin(const SharedGrid& grid, const DeviceMemory& memory) = 0;
    /// Waits until all of them have done what they were given. `stopped`: the grid is to end, so nobody waits.
    virtual std::vector<HostPart> end(const std::function<bool()>& stopped) = 0;
    /// A grid was shared (`why` is empty), or ran here although it was worth it.
    virtual void ran(const std::string& kernel, const std::string& why) = 0;
};

}  // namespace warpwright::engine
