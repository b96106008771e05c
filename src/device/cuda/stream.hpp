// Streams, events and pinned host memory of a real device.
#pragma once

#include "device/cuda/context.hpp"
#include "device/stream.hpp"

namespace warpwright::device::cuda {

Result<std::unique_ptr<device::Stream>> make_stream(std::shared_ptr<ContextHolder> context, StreamKind kind);
Result<std::unique_ptr<device::Event>> make_event(std::shared_ptr<ContextHolder> context);
Result<std::unique_ptr<HostMemory>> allocate_host(std::shared_ptr<ContextHolder> context, std::uint64_t bytes);

}  // namespace warpwright::device::cuda
