// Settings for modelled times in the emulated device's streams and events (EmulatedOptions::time).
#pragma once

#include <functional>

#include "device/device.hpp"
#include "timeline/model.hpp"

namespace warpwright::device {

struct ModelledTime {
    timeline::Model model;
    /// A launch as work for the clock, from its counts. Without it a kernel takes the least time of any kernel.
    std::function<timeline::Work(const Step&, const LaunchResult&)> kernel;
    /// Asks a launch for what `kernel` needs beside its counts; may be empty.
    std::function<void(const Step&, LaunchOptions&)> before = {};
};

}  // namespace warpwright::device
