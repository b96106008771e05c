// This function is the way into the simulation for others, so that its state stays private to this room.
#include "timing/multiprocessor.hpp"

#include "timing/simulation.hpp"

namespace warpwright::timing {

SimulationResult simulate(const Parameters& parameters, const machine::LaunchTrace& trace,
                          const SmConditions& conditions, WarpLog* log, const Enough& enough) {
    return Simulation(parameters, trace, conditions, log).run(enough);
}

}  // namespace warpwright::timing
