#include "engine/run/trace_run.hpp"

#include <algorithm>

namespace warpwright::engine {

bool Tracing::has(std::uint64_t index) const {
    return index % launch.stride == 0 && index / launch.stride < launch.sample.size();
}

machine::BlockTrace* Tracing::of(std::uint64_t index) {
    return has(index) ? &launch.sample[index / launch.stride] : nullptr;
}

std::shared_ptr<Tracing> plan_trace(const TraceRequest& request, std::uint64_t blocks, const simt::BlockShape& shape,
                                    const DeviceMemory& memory) {
    if (request.multiprocessors == 0 || request.blocks == 0 || blocks == 0) return nullptr;
    auto out = std::make_shared<Tracing>();
    out->launch.start = memory.base();
    out->launch.blocks = blocks;
    out->launch.stride = request.multiprocessors;
    const auto of_one = (blocks + request.multiprocessors - 1) / request.multiprocessors;
    out->launch.sample.resize(std::min<std::uint64_t>(of_one, request.blocks));
    for (std::size_t k = 0; k < out->launch.sample.size(); ++k) {
        out->launch.sample[k].index = k * request.multiprocessors;
        out->launch.sample[k].warps.resize((shape.threads() + shape.lanes - 1) / shape.lanes);
    }
    out->most_events = std::max<std::uint64_t>(1, machine::kMostEvents / out->launch.sample.size());
    return out;
}

std::shared_ptr<const machine::LaunchTrace> finish_trace(const std::shared_ptr<Tracing>& tracing,
                                                         const DeviceMemory& memory, double seconds_left) {
    auto& launch = tracing->launch;
    launch.seconds_left = seconds_left;
    launch.code = tracing->code->machine;
    for (const auto& a : memory.live()) {
        if (a.bytes == 0) continue;
        const auto first = (a.address - launch.start) / 32, last = (a.address + a.bytes - 1 - launch.start) / 32;
        launch.areas.push_back({first, last - first + 1});
    }
    std::sort(launch.areas.begin(), launch.areas.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return {tracing, &launch};
}

}  // namespace warpwright::engine
