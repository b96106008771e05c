// A nested grid is told to the observers like a launch by the host, with the kernel found in the same binary. Questions
// that only this launch can answer are answered here, and others go to the entry points.
#include "cudart/work/launch/device_launches.hpp"

#include "cudart/state/runtime.hpp"
#include "cudart/work/graph/conditional.hpp"
#include "cudart/work/graph/graph_detail.hpp"
#include "cudart/work/launch/launch_observer.hpp"
#include "cudart/work/program_observer.hpp"
#include "cudart/work/stream/operation.hpp"

namespace warpwright::cudart {
Children::Children(const Launch& launch) : launch_(launch), conditions_(current_conditions()) {}

std::uint64_t Children::most_dynamic_shared(device::Module&, const device::KernelInfo& kernel) {
    return Registry::get().nested(*launch_.kernel->binary, kernel)->most_dynamic_shared;
}

timeline::Work Children::ended(device::Module&, const device::KernelInfo& info, const device::LaunchConfig& config,
                               const device::LaunchResult& result, const device::NestedPlace&) {
    Launch launch;
    launch.kernel = Registry::get().nested(*launch_.kernel->binary, info);
    launch.config = config;
    launch.device = launch_.device;
    auto time = timed(launch, result, true);
    tell_launched(launch, result, time, true);
    for (auto* observer : program_observers()) observer->launched(launch, result, std::nullopt, time, true);
    return std::move(time.work);
}

timeline::Work Children::moved(bool fill, std::uint64_t bytes) {
    timeline::Work work;
    work.kind = fill ? timeline::Kind::fill : timeline::Kind::on_device;
    work.bytes = bytes;
    work.device = static_cast<std::uint8_t>(launch_.device);
    for (auto* observer : program_observers()) observer->copied(fill ? "[CUDA memset]" : "[CUDA memcpy DtoD]", work);
    return work;
}

/// A kernel seldom looks at what its launch of a graph returned, so a line says why the graph does not run.
static std::uint32_t no_graph(cudaError_t error, const char* why) {
    Runtime::get().say(std::string("cudaGraphLaunch in a kernel: ") + why);
    return error;
}

std::uint32_t Children::launch_graph(std::uint64_t graph, std::uint64_t stream) {
    const auto named = reinterpret_cast<cudaStream_t>(stream);
    const bool tail = named == cudaStreamGraphTailLaunch;
    auto exec = graph_detail::executable(reinterpret_cast<cudaGraphExec_t>(graph));
    if (!exec) return no_graph(cudaErrorInvalidValue, "there is no such executable graph (any more)");
    if (!(exec->flags & cudaGraphInstantiateFlagDeviceLaunch))
        return no_graph(cudaErrorInvalidValue,
                        "the graph was not instantiated with cudaGraphInstantiateFlagDeviceLaunch");
    if (!exec->uploaded)
        return no_graph(cudaErrorInvalidValue, "the graph must be uploaded or launched by the host first");
    if (!tail && named != cudaStreamGraphFireAndForget && named != cudaStreamGraphFireAndForgetAsSibling)
        return no_graph(cudaErrorInvalidValue, "the stream must be one of cudaStreamGraph...");
    if (!conditions_) return no_graph(cudaErrorNotSupported, "only kernels of a graph launch graphs");
    if (conditions_->launch(std::move(exec), tail)) return cudaSuccess;
    return no_graph(cudaErrorLaunchOutOfResources,
                    tail ? "255 graphs wait for the tail already" : "120 graphs wait to run at any time already");
}

std::uint32_t Children::ask(device::Question question, device::Module&, const device::KernelInfo* info,
                            const std::uint64_t* a, std::vector<std::byte>& answer) {
    using Q = device::Question;
    switch (question) {
        case Q::set_conditional:
            if (!conditions_) return cudaErrorNotSupported;
            return conditions_->set(a[0], static_cast<unsigned>(a[1])) ? cudaSuccess : cudaErrorInvalidValue;
        case Q::launch_graph:
            return launch_graph(a[0], a[1]);
        default:
            return answer_as_runtime(question, info ? Registry::get().nested(*launch_.kernel->binary, *info) : nullptr,
                                     a, answer);
    }
}

}  // namespace warpwright::cudart
