// Counting beside measuring: on a real device, where nothing is counted, an emulated one with the same limits stands
// by.
#pragma once

#include <memory>

#include "device/emulated/emulated.hpp"
#include "lab/sweep/context.hpp"

namespace warpwright::lab {

/// What an emulated device beside the context's has of it: threads, code for which CPU, the cache.
device::EmulatedOptions emulated_options(const Context& context);

struct Emulation {
    std::unique_ptr<device::Device> device;  ///< null where the device at hand is the emulated one itself
    Context context;
};

/// A context whose kernels are counted: the given one where it is emulated, else the same on an emulated device.
Result<Emulation> emulation_of(const Context& context);

}  // namespace warpwright::lab
