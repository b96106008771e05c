// Launches: their configuration, what is checked before they are queued, and how they run.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cudart/registry/registry.hpp"
#include "cudart/stream/stream.hpp"

namespace warpwright::cudart {

struct Configuration {
    dim3 grid, block;
    size_t shared = 0;
    cudaStream_t stream = nullptr;
};
void push_configuration(const Configuration& configuration);
std::optional<Configuration> pop_configuration();

/// A launch that can run: parameters packed, everything checked that can be.
struct Launch {
    Kernel* kernel = nullptr;
    device::LaunchConfig config;
    std::vector<std::byte> parameters;
};

/// Checks and packs. `arguments` are pointers to the parameters' values; `extra` as in cudaKernelNodeParams.
cudaError_t prepare(Launch& launch, const void* kernel, dim3 grid, dim3 block, size_t shared, void** arguments,
                    void** extra = nullptr);

/// What a launch was for the modelled clock, by its counts (predict::kernel_time); where nothing was counted, the least
/// that any kernel takes.
timeline::Work work_of(const Launch& launch, const device::LaunchResult& result);

/// Runs it now; answers the same of it and of all that it launched.
timeline::Work run(const Launch& launch);

/// Queues it, or adds it to the graph that the stream is captured into.
cudaError_t queue(std::shared_ptr<Launch> launch, const std::shared_ptr<Stream>& stream);

}  // namespace warpwright::cudart
