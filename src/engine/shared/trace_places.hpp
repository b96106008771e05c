// Which number a sector of memory has in the trace of a launch. Device memory is numbered by its addresses; memory of
// the host, which lies anywhere, by the order in which the traced blocks meet it: a prediction does not depend on where
// the host has put it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "engine/shared/device_memory.hpp"
#include "machine/trace.hpp"

namespace warpwright::engine {

/// Addresses whose places follow each other.
struct PlacedRun {
    std::uint64_t address = 0, bytes = 0;
    std::uint64_t offset = 0;  ///< of `address`: 32 times the number of its sector

    bool holds(std::uint64_t at) const { return at - address < bytes; }
};

class TracePlaces {
public:
    /// `parameters`: of the launch. An allocation, or a mapping of the host, into which they point is several areas,
    /// each from such a place on: arrays in a pool, tensors in a heap.
    TracePlaces(const DeviceMemory& memory, std::span<const std::byte> parameters);

    /// The run that holds the address. Thread-safe.
    PlacedRun run(std::uint64_t address);
    /// The memory that the launch may have used, sorted.
    std::vector<machine::Area> areas() const;
    /// Something other than device memory was met.
    bool met_others() const { return !met_.empty(); }
    /// More memory was met than there are numbers for.
    bool beyond() const { return beyond_; }

private:
    PlacedRun place(std::uint64_t address);
    void add_areas(std::vector<machine::Area>& to, const PlacedRun& run) const;

    const DeviceMemory& memory_;
    std::vector<std::uint64_t> pointers_;  ///< sorted
    mutable std::mutex mutex_;
    std::map<std::uint64_t, PlacedRun> met_;  ///< by address
    std::uint64_t next_ = machine::LaunchTrace::kNumbered;
    bool beyond_ = false;
};

/// The places of one access's addresses, most of which are in one run.
class PlacesOf {
public:
    explicit PlacesOf(TracePlaces& places) : places_(places) {}
    std::uint64_t operator()(std::uint64_t address) {
        if (!run_.holds(address)) run_ = places_.run(address);
        return run_.offset + (address - run_.address);
    }

    bool in_one_run(std::uint64_t lowest, std::uint64_t highest) {
        if (!run_.holds(lowest)) run_ = places_.run(lowest);
        return run_.holds(highest);
    }

private:
    TracePlaces& places_;
    PlacedRun run_;
};

}  // namespace warpwright::engine
