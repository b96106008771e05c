// The environment that records name is put together here from the device, its model, the host and the compilers that
// have been used so far.
#include "lab/sweep/context.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "ladder/cpu.hpp"

namespace warpwright::lab {

Error Observer::go_on(const Standing&) {
    return Error{ErrorKind::no_device, "the device does not answer after what happened before", Location{},
                 "start the program again with the rungs that are left"};
}

record::Environment environment(const Context& context) {
    record::Environment e;
    e.version = WARPWRIGHT_VERSION;
    e.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    e.cpu = ladder::cpu_name();
    e.target = context.options.cpu.empty() ? "native" : context.options.cpu;
    e.host_threads = context.options.threads;
    e.device = context.device.name();
    if (!context.real() || context.model_fits) e.model = context.model.name;
    if (!context.real()) return e;
    if (context.target) e.target = compilers_text(*context.target);
    const device::DeviceFacts facts = context.device.facts();
    e.device_name = facts.title;
    e.driver = facts.driver;
    e.clock_mhz = facts.clock_mhz;
    e.memory_clock_mhz = facts.memory_clock_mhz;
    return e;
}

}  // namespace warpwright::lab
