// What a launch is asked for; the grids that kernels launch are asked for in the same way. It answers with the room
// launch's EmulatedResult. Data alone: run/engine.hpp has the functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/shared/nested.hpp"
#include "launch/config.hpp"
#include "support/work_limit.hpp"

namespace warpwright::engine {

class GridEngine;

/// Limits of CUDA's: local memory of a thread, and the parameters of a kernel.
inline constexpr std::uint64_t kMostLocalBytes = 512 * 1024, kMostParameterBytes = 32764;

struct KernelFacts {
    std::uint64_t static_shared = 0, local_bytes = 0, constant_bytes = 0;
    std::uint32_t registers = 0;  ///< estimate: the most 32-bit values live at once, plus a few
    std::uint32_t instructions = 0;
    std::vector<std::uint32_t> parameter_offsets;
    std::uint32_t parameter_bytes = 0;
};

/// A block of device memory for a launch's parameters. It returns to the engine, for later launches.
class ParameterBlock {
public:
    ParameterBlock() = default;
    ParameterBlock(GridEngine& engine, std::uint64_t at, std::uint64_t barrier)
        : engine_(&engine), at_(at), barrier_(barrier) {}
    /// One that another engine has taken.
    explicit ParameterBlock(std::uint64_t at) : at_(at) {}
    ParameterBlock(ParameterBlock&& o) noexcept
        : engine_(o.engine_), at_(std::exchange(o.at_, 0)), barrier_(o.barrier_), written_(o.written_) {}
    ParameterBlock& operator=(ParameterBlock&& o) noexcept {
        std::swap(engine_, o.engine_), std::swap(at_, o.at_), std::swap(barrier_, o.barrier_);
        std::swap(written_, o.written_);
        return *this;
    }
    ~ParameterBlock();
    std::uint64_t at() const { return at_; }
    /// Nobody writes more of it than so many bytes at its begin; without this, any of it may be written.
    void only_written(std::uint64_t bytes) { written_ = bytes; }
    /// Zeroed memory for the barrier of a cooperative grid, which the grid writes.
    std::uint64_t barrier() const { return barrier_; }
    static constexpr std::uint64_t kBytes = 16384, kBarrierBytes = 256;

private:
    GridEngine* engine_ = nullptr;
    std::uint64_t at_ = 0, barrier_ = 0, written_ = kBytes;
};

/// A grid that another one launches, directly or as its tail.
struct NestedLaunch {
    ChildGrid grid;
    ParameterBlock parameters;
};

using Deadline = std::chrono::steady_clock::time_point;

struct LaunchRequest {
    launch::LaunchConfig config{.cluster = {1, 1, 1}};  ///< checked; the cluster is the one that the launch gets
    bool explicit_cluster = false;                      ///< clusters were asked for, even if of one block
    std::span<const std::byte> parameters;
    launch::LaunchOptions options;
    std::optional<Deadline> deadline;  ///< of the launch that this one is part of
    WorkLimit compiling = {};          ///< of making its code: asked between the steps (Cause::time_limit)
    /// Above 0: only as many blocks run as give every count this relative error (if counters are on).
    double sample_error = 0;
    NestedHost* nested = nullptr;  ///< for kernels that launch kernels
    std::uint64_t id = 0;          ///< see ChildGrid
    unsigned depth = 0;
};

}  // namespace warpwright::engine
