#include "timing/multiprocessor.hpp"

#include "timing/simulation.hpp"

namespace warpwright::timing {

Course simulate(const Parameters& parameters, const machine::LaunchTrace& trace, const Load& load) {
    return Simulation(parameters, trace, load).run();
}

}  // namespace warpwright::timing
