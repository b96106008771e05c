// What the emulated device needs to tell modelled times in its streams and events (EmulatedOptions::time).
#pragma once

#include <functional>

#include "device/device.hpp"
#include "timeline/model.hpp"

namespace warpwright::device {

struct ModelledTime {
    timeline::Model model;
    /// A launch as the clock sees it, from its counts. Without it a kernel takes the least that any does.
    std::function<timeline::Work(const Step&, const LaunchResult&)> kernel;
};

}  // namespace warpwright::device
