#include "cudart/launch/device_launches.hpp"

#include <cstring>

#include "cudart/api/api.hpp"
#include "cudart/graph/conditional.hpp"
#include "cudart/graph/graph_detail.hpp"
#include "cudart/observe/launch_observer.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/stream/operation.hpp"

extern "C" const char* cudaGetErrorName(cudaError_t error);
extern "C" const char* cudaGetErrorString(cudaError_t error);

namespace warpwright::cudart {
namespace {

template <class T>
cudaError_t give(cudaError_t error, const T& value, std::vector<std::byte>& answer) {
    if (error != cudaSuccess) return error;
    answer.resize(sizeof value);
    std::memcpy(answer.data(), &value, sizeof value);
    return cudaSuccess;
}

}  // namespace

Children::Children(const Launch& launch) : launch_(launch), conditions_(current_conditions()) {}

std::uint64_t Children::most_dynamic_shared(device::Module&, const device::KernelInfo& kernel) {
    return Registry::get().nested(*launch_.kernel->binary, kernel)->most_dynamic_shared;
}

timeline::Work Children::ended(device::Module&, const device::KernelInfo& info, const device::LaunchConfig& config,
                               const device::LaunchResult& result, const device::NestedPlace&) {
    Launch launch;
    launch.kernel = Registry::get().nested(*launch_.kernel->binary, info);
    launch.config = config;
    auto time = timed(launch, result, true);
    tell_launched(launch, result, time, true);
    return Recorder::get().kernel(launch, result, std::nullopt, std::move(time), true);
}

timeline::Work Children::moved(bool fill, std::uint64_t bytes) {
    timeline::Work work;
    work.kind = fill ? timeline::Kind::fill : timeline::Kind::on_device;
    work.bytes = bytes;
    return Recorder::get().copy(fill ? "[CUDA memset]" : "[CUDA memcpy DtoD]", std::move(work));
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
    const void* kernel = info ? Registry::get().nested(*launch_.kernel->binary, *info) : nullptr;
    int number = 0;
    switch (question) {
        case Q::attribute: {
            const auto e =
                impl::cudaDeviceGetAttribute(&number, static_cast<cudaDeviceAttr>(a[0]), static_cast<int>(a[1]));
            return give(e, number, answer);
        }
        case Q::limit: {
            size_t value = 0;
            const auto e = impl::cudaDeviceGetLimit(&value, static_cast<cudaLimit>(a[0]));
            return give(e, std::uint64_t{value}, answer);
        }
        case Q::function_attributes: {
            cudaFuncAttributes attributes;
            const auto e = impl::cudaFuncGetAttributes(&attributes, kernel);
            return give(e, attributes, answer);
        }
        case Q::occupancy: {
            const auto e =
                impl::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, kernel, static_cast<int>(a[0]), a[1]);
            return give(e, number, answer);
        }
        case Q::error_name:
        case Q::error_string: {
            const auto code = static_cast<cudaError_t>(a[0]);
            const std::string text = question == Q::error_name ? cudaGetErrorName(code) : cudaGetErrorString(code);
            answer.resize(text.size() + 1);
            std::memcpy(answer.data(), text.c_str(), answer.size());
            return cudaSuccess;
        }
        case Q::version:
            return give(impl::cudaRuntimeGetVersion(&number), number, answer);
        case Q::devices:
            return give(impl::cudaGetDeviceCount(&number), number, answer);
        case Q::set_conditional:
            if (!conditions_) return cudaErrorNotSupported;
            return conditions_->set(a[0], static_cast<unsigned>(a[1])) ? cudaSuccess : cudaErrorInvalidValue;
        case Q::launch_graph:
            return launch_graph(a[0], a[1]);
    }
    return cudaErrorNotSupported;
}

}  // namespace warpwright::cudart
