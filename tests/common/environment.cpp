// Results are the same on all machines: registers are estimated, also where NVIDIA's ptxas is installed. Tests of it
// set the variable themselves.
#include <cstdlib>

namespace {

[[maybe_unused]] const int kEstimated = ::setenv("WARPWRIGHT_PTXAS", "off", 0);

}  // namespace
