// The driver's initialisation, which lasts until the process ends.
#include "cudart/state/driver_start.hpp"

#include <atomic>

#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {
namespace {
std::atomic<bool> done{false};
}  // namespace

void start_driver() {
    if (!driver_started() && Runtime::get().devices() > 0) done.store(true, std::memory_order_relaxed);
}

bool driver_started() { return done.load(std::memory_order_relaxed); }

}  // namespace warpwright::cudart
