// Grids that kernels launch: the engine's part, which runs them, and the memory of their parameters and texts.
#include <algorithm>
#include <cstring>

#include "engine/run/engine.hpp"
#include "engine/runtime/texts.hpp"
#include "engine/shared/host_stack.hpp"
#include "support/cause.hpp"

namespace warpwright::engine {

namespace {

/// Of the host's stack, for a grid: its scheduler, its code, and what they call.
constexpr std::size_t kLeastForGrid = kMostHostFrame + kRuntimeStack + (std::size_t{256} << 10);

}  // namespace

/// Parameters lie in device memory, so that their address may be taken; zeros follow them. A block of parameters is
/// never used for anything else, so that no stale pointer of a program points at it.
Result<ParameterBlock> Engine::take_parameters() {
    ParameterPlace place;
    {
        std::lock_guard lock(parameters_mutex_);
        if (!parameters_.empty()) {
            place = parameters_.back();
            parameters_.pop_back();
        }
    }
    if (!place.at) {
        auto fresh = memory_->allocate(ParameterBlock::kBytes, MemoryUse::constant);
        if (!fresh) return fresh.error();
        auto barrier = memory_->allocate(ParameterBlock::kBarrierBytes);
        if (!barrier) return barrier.error();
        place = {*fresh, *barrier, ParameterBlock::kBytes};
    } else {
        memory_->set_use(place.at, MemoryUse::constant);
        if (shadow_) {  // another block of the same launch may have used it
            shadow_->forget(place.at, ParameterBlock::kBytes);
            shadow_->forget(place.barrier, ParameterBlock::kBarrierBytes);
        }
    }
    for (const auto& [at, bytes] :
         {std::pair{place.at, ParameterBlock::kBytes}, std::pair{place.barrier, ParameterBlock::kBarrierBytes}})
        written(at, bytes);
    std::memset(reinterpret_cast<void*>(place.at), 0, place.written);
    std::memset(reinterpret_cast<void*>(place.barrier), 0, ParameterBlock::kBarrierBytes);
    return ParameterBlock(*this, place.at, place.barrier);
}

void Engine::give_back(std::uint64_t parameters, std::uint64_t barrier, std::uint64_t written) {
    std::lock_guard lock(parameters_mutex_);
    parameters_.push_back({parameters, barrier, written});
}

Result<std::uint64_t> Engine::text(const std::string& text) {
    std::lock_guard lock(texts_mutex_);
    if (const auto found = texts_.find(text); found != texts_.end()) return found->second;
    auto at = memory_->allocate(text.size() + 1, MemoryUse::constant);
    if (!at) return at;
    std::memcpy(reinterpret_cast<void*>(*at), text.c_str(), text.size() + 1);
    written(*at, text.size() + 1);
    texts_[text] = *at;
    return at;
}

Result<void> Engine::launch_child(Program& program, NestedLaunch child, const LaunchRequest& by,
                                  std::optional<Deadline> deadline, std::string& output, timeline::Work& work) {
    std::vector<NestedLaunch> one;
    one.push_back(std::move(child));
    std::vector<timeline::Work> line;
    auto ok = launch_tails(program, std::move(one), by, deadline, output, line);
    work = timeline::sequence(std::move(line));
    return ok;
}

Result<void> Engine::launch_tails(Program& program, std::vector<NestedLaunch> tails, const LaunchRequest& by,
                                  std::optional<Deadline> deadline, std::string& output,
                                  std::vector<timeline::Work>& line) {
    // A grid's tail launches run before whatever follows that grid.
    std::reverse(tails.begin(), tails.end());
    // A kernel that waits for the grids that it has launched is still on this stack.
    if (host_stack_left() < kLeastForGrid)
        return Error{ErrorKind::fault, "grids that wait for grids are nested too deep",
                     location(program.module, nullptr), "", Cause::stack_overflow};
    while (!tails.empty()) {
        auto next = std::move(tails.back());
        tails.pop_back();
        auto& g = next.grid;
        LaunchRequest r;
        r.config = g.config;
        r.explicit_cluster = g.explicit_cluster;
        r.options.counters = by.options.counters, r.options.per_line = by.options.per_line;
        r.options.timeout = by.options.timeout;
        r.options.graph = by.options.graph;
        r.options.device = by.options.device, r.options.reach = by.options.reach;
        if (deadline) {
            using std::chrono::milliseconds;
            const auto left = std::chrono::duration_cast<milliseconds>(*deadline - std::chrono::steady_clock::now());
            if (left.count() <= 0)
                return Error{ErrorKind::fault,
                             "the kernel did not end in time: the grids that it launched had not ended",
                             location(program.module, nullptr), "a longer --timeout", Cause::time_limit};
            r.options.timeout = options_.limits_of_processor ? std::min(left, by.options.timeout) : left;
            r.deadline = deadline;
        }
        r.compiling =
            options_.limits_of_processor ? limit_of_processor(r.options.timeout) : WorkLimit(r.options.timeout);
        r.nested = by.nested;
        r.id = g.id, r.depth = g.depth;
        std::vector<NestedLaunch> more;
        std::string printed;
        r.options.output = &printed;
        auto reply = launch_one(program, g.kernel, r, std::move(next.parameters), more);
        output += printed;
        if (!reply) return reply.error();
        auto inner = std::move(reply->nested);
        line.push_back(by.nested ? by.nested->ended(g, reply->result) : timeline::Work{});
        line.back().inner = std::move(inner);
        // A tail succeeds its grid: it has the same depth and the same parent.
        for (auto& m : more) m.grid.parent = g.parent;
        for (auto m = more.rbegin(); m != more.rend(); ++m) tails.push_back(std::move(*m));
    }
    return {};
}

}  // namespace warpwright::engine
