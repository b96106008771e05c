// Launches on a real device, one at a time or repeatedly for timing.
#pragma once

#include <chrono>
#include <span>

#include "device/cuda/module.hpp"

namespace warpwright::device::cuda {

/// The pointers that cuLaunchKernel takes, one for each parameter, into `block`, which must outlive them.
std::vector<void*> parameter_pointers(const KernelInfo& kernel, std::span<const std::byte> block);

/// A checked launch with all that the driver needs.
struct ReadyLaunch {
    Function function = nullptr;
    LaunchConfig config;
    Extent cluster;  ///< 1 x 1 x 1: none
    std::vector<std::byte> block;
    std::vector<void*> pointers;
    Location where;
    std::string kernel;
};

/// Checks limits, prepares the function (opt-in for dynamic shared memory, clusters of more than 8 blocks), and checks
/// that blocks which must be resident together can be: a cluster, a cooperative grid.
Result<ReadyLaunch> make_ready(CudaModule& module, const std::string& kernel, const LaunchConfig& config,
                               std::span<const std::byte> parameters);

/// Queues it in a stream.
Result<void> enqueue(ContextHolder& context, Stream stream, ReadyLaunch& launch);

/// Waits for an event of the stream. After `timeout` (0 = none) the context is given up, because a kernel cannot be
/// stopped. `what` and `where` are for messages: "kernel 'k'".
Result<void> wait(ContextHolder& context, Event event, std::chrono::milliseconds timeout, const std::string& what,
                  const Location& where);

Result<LaunchResult> launch(CudaModule& module, const std::string& kernel, const LaunchConfig& config,
                            std::span<const std::byte> parameters, const LaunchOptions& options);

class CacheFlush;

/// Device::make_timed and Device::make_timed_work. Context and flush must outlive it.
Result<std::unique_ptr<TimedWork>> timed_steps(ContextHolder& context, CacheFlush& flush, std::span<const Step> steps,
                                               const TimeRequest& request);
Result<std::unique_ptr<TimedWork>> timed_work(ContextHolder& context, CacheFlush& flush, ForeignWork work,
                                              const TimeRequest& request);

}  // namespace warpwright::device::cuda
