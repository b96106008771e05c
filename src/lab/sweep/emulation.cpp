// The emulated device takes the limits of the real one and its own compilation target, and is made only where counts
// are wanted.
#include "lab/sweep/emulation.hpp"

#include "support/disk_cache.hpp"

namespace warpwright::lab {

device::EmulatedOptions emulated_options(const Context& context) {
    device::EmulatedOptions options;
    options.threads = context.options.threads;
    options.cpu = context.options.cpu;
    options.cache_directory = default_cache_directory();
    return options;
}

Result<Emulation> emulation_of(const Context& context) {
    if (!context.real()) return Emulation{nullptr, context};
    auto options = emulated_options(context);
    options.limits = context.device.limits();
    auto device = device::make_emulated(options);
    if (!device) return std::move(device).error();
    Context counting{**device,        context.model,    context.model_fits, std::make_shared<Target>(),
                     context.options, context.observer, context.cancel};
    return Emulation{std::move(*device), std::move(counting)};
}

}  // namespace warpwright::lab
