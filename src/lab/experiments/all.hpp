// The experiments, one function each; experiments() in lab/experiment.hpp is their table.
#pragma once

#include "lab/experiment.hpp"

namespace warpwright::lab {

#define WARPWRIGHT_EXPERIMENT(name) Result<record::Page> name(Context& context, const Words& words, const Choices& choices)
WARPWRIGHT_EXPERIMENT(occupancy);
WARPWRIGHT_EXPERIMENT(divergence);
WARPWRIGHT_EXPERIMENT(coalescing);
WARPWRIGHT_EXPERIMENT(banks);
WARPWRIGHT_EXPERIMENT(spaces);
WARPWRIGHT_EXPERIMENT(tensor);
WARPWRIGHT_EXPERIMENT(latency);
#undef WARPWRIGHT_EXPERIMENT

}  // namespace warpwright::lab
