// Which of several pieces of work for the same result is the fastest, found out in a moment. Internal to this room.
#pragma once

#include <span>

#include "device/device.hpp"

namespace warpwright::vendor {

/// The index of the fastest. All run once or twice; those near the best then run some milliseconds. Work that fails is
/// passed over; its error comes out when all fail.
Result<std::size_t> fastest(device::Device& device, std::span<const device::ForeignWork> works,
                            std::chrono::milliseconds timeout);

}  // namespace warpwright::vendor
