#include "lab/sweep/emulation.hpp"
#include "device/emulated/emulated.hpp"

#include "support/disk_cache.hpp"

namespace warpwright::lab {

Result<Emulation> emulation_of(const Context& context) {
    if (!context.real()) return Emulation{nullptr, context};
    device::EmulatedOptions options;
    options.limits = context.device.limits();
    options.threads = context.options.threads;
    options.cache_directory = default_cache_directory();
    auto device = device::make_emulated(options);
    if (!device) return std::move(device).error();
    Context counting{**device,        context.model,    context.model_fits, std::make_shared<Target>(),
                     context.options, context.observer, context.cancel};
    return Emulation{std::move(*device), std::move(counting)};
}

}  // namespace warpwright::lab
