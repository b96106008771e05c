// What a launch returns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/counts.hpp"
#include "record/sample.hpp"
#include "record/touched.hpp"
#include "timeline/work.hpp"

namespace warpwright::machine {
struct LaunchTrace;
}
namespace warpwright::launch {

struct LaunchResult {
    std::optional<record::KernelCounts> counts;  ///< absent with counters off or on a device that has none
    record::Touched touched;                     ///< with counts: the memory to which they belong
    double host_seconds = 0;                     ///< wall time of the emulation, compilation left out
    double compile_seconds = 0;            ///< time spent making host code for this launch (0 when cached in memory)
    bool quick_code = false;               ///< it ended with host code that is quick to make, not the best
    std::optional<double> device_seconds;  ///< measured on a real device; absent on the emulated one
    std::string output;                    ///< what the kernel printed
    std::shared_ptr<const machine::LaunchTrace> trace = {};  ///< where one was asked for
};

/// What the emulated device returns of one: the grid's own result, and what followed from it.
struct EmulatedResult {
    LaunchResult result;                   ///< counts of the whole grid, scaled up where a sample of its blocks ran
    std::optional<record::Sample> sample;  ///< that sample; absent if nothing was counted or no sample was asked for
    /// For the modelled clock: the grids that the kernel launched, from the end of its own part on; and its tails, one
    /// after the other after all of them.
    std::vector<timeline::Work> nested, tails;

    /// The launch as a whole: its own part and everything that followed from it.
    timeline::Work whole(timeline::Work own) const {
        own.inner = nested;
        if (tails.empty()) return own;
        std::vector<timeline::Work> line{std::move(own)};
        line.insert(line.end(), tails.begin(), tails.end());
        return timeline::sequence(std::move(line));
    }
};

}  // namespace warpwright::launch
