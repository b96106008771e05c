// A multiprocessor's schedulers and arithmetic pipelines, cycle by cycle: when a warp's next instruction can start, and
// how many start. Chains of dependent multiply-adds only; a model to think with, labelled as predicted wherever it is
// shown.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/model.hpp"

namespace warpwright::lab {

struct Pipeline {
    unsigned schedulers = 1;
    unsigned period = 1;       ///< cycles between two issues of a scheduler
    unsigned at_once = 1;      ///< independent instructions of one warp that a scheduler issues together
    unsigned latency = 1;      ///< cycles until a result can be used
    unsigned independent = 1;  ///< instructions of a warp that do not wait for each other
    double most = 1;           ///< warp instructions a cycle that the arithmetic units take

    /// By a device model that knows latency.arithmetic.
    static Pipeline of(const arch::DeviceModel& model, unsigned independent);

    struct Issue {
        unsigned cycle, scheduler, warp, count;
    };
    struct Result {
        double share = 0;          ///< of the arithmetic units' rate, when it has settled
        std::vector<Issue> trace;  ///< of the first cycles
    };
    /// `trace` cycles are kept.
    Result run(unsigned warps, unsigned trace = 0) const;

    /// Warps without which some cycle has no instruction to start: latency times rate over what one warp has ready.
    unsigned warps_needed() const;
};

}  // namespace warpwright::lab
