// Launches: their configuration, the checks before they are queued, and how they run.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cudart/registry/registry.hpp"
#include "cudart/work/stream/stream.hpp"
#include "record/predicted.hpp"

namespace warpwright::cudart {

struct Configuration {
    dim3 grid, block;
    size_t shared = 0;
    cudaStream_t stream = nullptr;
};
void push_configuration(const Configuration& configuration);
std::optional<Configuration> pop_configuration();

/// A launch that can run: its parameters are packed, and everything that can be checked beforehand is.
struct Launch {
    Kernel* kernel = nullptr;
    device::LaunchConfig config;
    std::vector<std::byte> parameters;
    unsigned device = current_device();     ///< on which it runs
    std::shared_ptr<const CallStack> call;  ///< where the program queued it; null where nothing is checked
};

/// The code for an address that is no kernel's: null, or one of something else (tests/cudart/refusals).
cudaError_t no_kernel(const void* address);

/// Checks and packs. `arguments` are pointers to the parameters' values; `extra` as in cudaKernelNodeParams.
cudaError_t prepare(Launch& launch, const void* kernel, dim3 grid, dim3 block, size_t shared, void** arguments,
                    void** extra = nullptr);

/// A launch as work for the modelled clock, and the predicted time from which it has its own; if nothing was counted,
/// the least time of any kernel.
struct Timed {
    timeline::Work work;
    std::optional<record::Predicted> predicted;  ///< absent too where nobody looks at more than the work
    record::Touched touched;                     ///< as far as that is known by the time's sample
    std::string unpredicted;  ///< why there is none, where one was wanted: its time is then the bound
};
Timed timed(const Launch& launch, const device::LaunchResult& result, bool from_device);

/// Runs it now; returns its work and that of all that it launched.
timeline::Work run(const Launch& launch);

/// Queues it, or adds it to the graph into which the stream is captured.
cudaError_t queue(std::shared_ptr<Launch> launch, const std::shared_ptr<Stream>& stream);

/// Checks, packs and queues the launch of a configuration with its attributes: what every function that launches does.
cudaError_t launch(const cudaLaunchConfig_t& config, const void* kernel, void** arguments, void** extra = nullptr);

}  // namespace warpwright::cudart
