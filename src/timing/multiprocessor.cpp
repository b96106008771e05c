#include "timing/multiprocessor.hpp"

#include "timing/simulation.hpp"

namespace warpwright::timing {

Course simulate(const Parameters& parameters, const machine::LaunchTrace& trace, const Load& load, WarpLog* log) {
    return Simulation(parameters, trace, load, log).run();
}

}  // namespace warpwright::timing
