// Finds the fastest of several works for the same result, quickly. Internal to this room.
#pragma once

#include <span>

#include "device/vendor_queue.hpp"

namespace warpwright::vendor {

/// The index of the fastest. All run once or twice; those near the best then run some milliseconds. Failed work is
/// skipped; its error is returned if all fail.
Result<std::size_t> fastest(device::VendorQueue& queue, std::span<const device::ForeignWork> works,
                            std::chrono::milliseconds timeout);

}  // namespace warpwright::vendor
