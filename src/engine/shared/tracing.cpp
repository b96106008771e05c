// Where all blocks run at once, the multiprocessor with most to do decides how long the launch takes, and nobody knows
// before which that is. Blocks of several are kept for that reason, and those of one remain.
#include "engine/shared/tracing.hpp"

#include <algorithm>

#include "machine/numbers.hpp"

namespace warpwright::engine {

namespace {

/// Multiprocessors of which traces are made where all blocks run at once.
constexpr std::uint64_t kCandidates = 4;

}  // namespace

std::optional<std::size_t> Tracing::place(std::uint64_t index) const {
    for (const auto& c : candidates) {
        if (index % launch.stride != c.first) continue;
        const std::size_t at = index / launch.stride;
        return at < c.end - c.begin ? std::optional(c.begin + at) : std::nullopt;
    }
    return std::nullopt;
}

machine::BlockTrace* Tracing::of(std::uint64_t index) {
    const auto at = place(index);
    return at ? &launch.sample[*at] : nullptr;
}

std::uint64_t Tracing::end() const {
    std::uint64_t end = 0;
    for (const auto& b : launch.sample) end = std::max(end, b.index + 1);
    return end;
}

void Tracing::widen() {
    launch.work.resize(launch.blocks);
    const auto of_one = (launch.blocks + launch.stride - 1) / launch.stride;
    const std::uint64_t busy = std::min<std::uint64_t>(launch.blocks, launch.stride);
    if (launch.sample.size() < of_one || busy < 2) return;
    const auto warps = launch.sample[0].warps.size();
    const auto many = std::min(kCandidates, busy);
    for (std::uint64_t c = 1; c < many; ++c) {
        Candidate more{static_cast<std::uint32_t>(c * busy / many), launch.sample.size(), 0};
        for (std::uint64_t b = more.first; b < launch.blocks; b += launch.stride) {
            launch.sample.emplace_back();
            launch.sample.back().index = b;
            launch.sample.back().warps.resize(warps);
        }
        more.end = launch.sample.size();
        candidates.push_back(more);
    }
    most_events = std::max<std::uint64_t>(1, 2 * machine::kMostEvents / launch.sample.size());
}

void Tracing::choose() {
    if (candidates.size() < 2) return;
    Candidate best = candidates[0];
    std::uint64_t most = 0;
    for (const auto& c : candidates)
        for (std::size_t k = c.begin; k < c.end; ++k)
            if (const auto n = launch.work[launch.sample[k].index].most; n > most) most = n, best = c;
    std::vector<machine::BlockTrace> kept;
    for (std::size_t k = best.begin; k < best.end; ++k) kept.push_back(std::move(launch.sample[k]));
    launch.sample = std::move(kept);
    launch.first = best.first;
}

std::shared_ptr<Tracing> plan_trace(const launch::TraceRequest& request, std::uint64_t blocks,
                                    const simt::BlockShape& shape, const DeviceMemory& memory,
                                    std::span<const std::byte> parameters) {
    if (request.multiprocessors == 0 || request.blocks == 0 || blocks == 0) return nullptr;
    auto out = std::make_shared<Tracing>(memory, parameters);
    out->launch.start = memory.base();
    out->launch.blocks = blocks;
    out->launch.stride = request.multiprocessors;
    const auto of_one = (blocks + request.multiprocessors - 1) / request.multiprocessors;
    out->launch.sample.resize(std::min<std::uint64_t>(of_one, request.blocks));
    for (std::size_t k = 0; k < out->launch.sample.size(); ++k) {
        out->launch.sample[k].index = k * request.multiprocessors;
        out->launch.sample[k].warps.resize((shape.threads() + shape.lanes - 1) / shape.lanes);
    }
    out->candidates = {{0, 0, out->launch.sample.size()}};
    out->most_events = std::max<std::uint64_t>(1, machine::kMostEvents / out->launch.sample.size());
    return out;
}

std::shared_ptr<const machine::LaunchTrace> finish_trace(const std::shared_ptr<Tracing>& tracing, double seconds_left) {
    tracing->choose();
    auto& launch = tracing->launch;
    launch.seconds_left = seconds_left;
    launch.code = tracing->code->machine;
    launch.areas = tracing->places.areas();
    launch.beyond = tracing->places.beyond();
    machine::number_by_use(launch);
    return std::make_shared<const machine::LaunchTrace>(std::move(launch));
}

}  // namespace warpwright::engine
