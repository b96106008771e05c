// The functions are found by name, since the library that has them is loaded before all others or not at all.
#include "cudart/state/host_clock.hpp"

#include <dlfcn.h>

#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {

HostClock& HostClock::get() {
    static auto* clock = new HostClock;
    return *clock;
}

HostClock::HostClock() {
    if (!Runtime::get().settings.modelled_clock) return;
    auto* const give = reinterpret_cast<GiveHostClock*>(::dlsym(RTLD_DEFAULT, kHostClockFunctions));
    if (!give) {
        Runtime::get().say(
            "the program's clocks are this machine's: libwarpwright_takeover.so, which keeps the modelled ones, is not "
            "loaded (LD_PRELOAD; `run` does that)");
        return;
    }
    functions_ = give();
    functions_->start();
}

}  // namespace warpwright::cudart
