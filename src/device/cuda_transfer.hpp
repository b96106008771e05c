// Copies between the host's memory and a real device's, timed: pinned or pageable, one way or both at once.
#pragma once

#include "device/cuda_context.hpp"

namespace warpwright::device::cuda {

Result<std::unique_ptr<Transfers>> make_transfers(std::shared_ptr<ContextHolder> context, std::uint64_t bytes, bool pinned);

}  // namespace warpwright::device::cuda
