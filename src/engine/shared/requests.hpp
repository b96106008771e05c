// What a launch is asked for, and what it answers; the grids that kernels launch are asked for in the same way. Data
// alone: run/engine.hpp has the functions.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/shared/nested.hpp"
#include "machine/trace.hpp"
#include "record/counts.hpp"
#include "record/sample.hpp"
#include "record/touched.hpp"
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
    ParameterBlock(ParameterBlock&& o) noexcept
        : engine_(o.engine_), at_(std::exchange(o.at_, 0)), barrier_(o.barrier_) {}
    ParameterBlock& operator=(ParameterBlock&& o) noexcept {
        std::swap(engine_, o.engine_), std::swap(at_, o.at_), std::swap(barrier_, o.barrier_);
        return *this;
    }
    ~ParameterBlock();
    std::uint64_t at() const { return at_; }
    /// Zeroed memory for the barrier of a cooperative grid, which the grid writes.
    std::uint64_t barrier() const { return barrier_; }
    static constexpr std::uint64_t kBytes = 16384, kBarrierBytes = 256;

private:
    GridEngine* engine_ = nullptr;
    std::uint64_t at_ = 0, barrier_ = 0;
};

/// A grid that another one launches, directly or as its tail.
struct NestedLaunch {
    ChildGrid grid;
    ParameterBlock parameters;
};

using Deadline = std::chrono::steady_clock::time_point;

/// What a launch is asked to keep of its course.
struct TraceRequest {
    std::uint32_t multiprocessors = 0;  ///< every so many blocks is one; 0: nothing is kept
    std::uint32_t blocks = 0;           ///< at most so many
};

struct LaunchRequest {
    std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    std::uint32_t cluster[3] = {1, 1, 1};  ///< divides the grid; at most kMostClusterBlocks
    bool explicit_cluster = false;         ///< clusters were asked for, even if of one block
    bool cooperative = false;              ///< the grid may synchronise as a whole
    std::uint64_t dynamic_shared = 0;
    std::span<const std::byte> parameters;
    bool counters = true, per_line = false;
    std::chrono::milliseconds timeout{0};
    std::optional<Deadline> deadline;    ///< of the launch that this one is part of
    WorkLimit compiling = {};            ///< of making its code: asked between the steps (Cause::time_limit)
    std::atomic<bool>* begun = nullptr;  ///< set when its code is there
    std::string* output = nullptr;       ///< receives what the kernel prints, also after a fault
    /// Above 0: only as many blocks run as give every count this relative error (if counters are on).
    double sample_error = 0;
    TraceRequest trace;            ///< for the model of time; needs counters
    NestedHost* nested = nullptr;  ///< for kernels that launch kernels
    std::uint64_t id = 0;          ///< see ChildGrid
    unsigned depth = 0;
    std::uint64_t graph = 0;  ///< the executable graph that the launch is part of, as the program knows it
};

struct LaunchReply {
    std::optional<record::KernelCounts> counts;
    std::optional<record::Sample> sample;  ///< if one was requested; the counts are then scaled up
    double run_seconds = 0, compile_seconds = 0;
    std::string output;
    record::Touched touched;
    std::shared_ptr<const machine::LaunchTrace> trace;  ///< where one was asked for
    /// For the modelled clock: the grids launched, from the end of this grid's own work on, and its tails, one after
    /// the other after all of them.
    std::vector<timeline::Work> nested, tails;
};

}  // namespace warpwright::engine
