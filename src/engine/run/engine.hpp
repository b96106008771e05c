// The engine takes PTX and gives results and exact counts. The device room needs only this header, which has no LLVM
// type.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/codegen/kernel_layout.hpp"
#include "engine/run/device_memory.hpp"
#include "engine/run/nested.hpp"
#include "engine/texture/texture_table.hpp"
#include "machine/trace.hpp"
#include "record/counts.hpp"
#include "record/sample.hpp"
#include "record/touched.hpp"
#include "shadow/findings.hpp"
#include "simt/details.hpp"
#include "support/result.hpp"
#include "support/source_files.hpp"
#include "support/work_limit.hpp"

namespace warpwright::engine {

class BetterCode;
class Engine;
class HostThreads;
class Jit;
struct CheckLaunch;
struct KernelCode;
struct LaunchShared;
struct Tracing;

struct EngineOptions {
    std::string cpu;                                 ///< see Jit::create; empty = native
    unsigned threads = 0;                            ///< host threads; 0 = all
    std::uint64_t memory = std::uint64_t{64} << 30;  ///< bytes of address range for device memory
    bool zeroed = false;                             ///< fresh device memory reads as zeros
    bool tolerant = false;                           ///< see device::EmulatedOptions
    bool guarded = false;                            ///< see run/guard.hpp
    std::string cache_directory;                     ///< compiled host code; empty = none
    std::uint32_t multiprocessors = 132;
    unsigned lanes = 32;
    int compute_capability = 90;  ///< major * 10 + minor
    /// Kernels of at least this many instructions are compiled converged first (see Extent); 0: always, for tests.
    unsigned converged_from = 200;
    /// Kernels of at least so many LLVM instructions begin with code that is quick to make; 0: all, ~0: none.
    std::size_t quick_from = kQuickFrom;
    static constexpr std::size_t kQuickFrom = 30000;
    /// Better code is made when a kernel has run for at least so many seconds; below 0: never.
    double better_after = 1;
    std::uint32_t checkers = 0;  ///< a set of record::Checker; 0 = nothing is checked, and nothing is different
    std::chrono::milliseconds patience{0};  ///< see device::EmulatedOptions
    /// Texts from which messages take names of arrays and parameters; null: no source is read.
    std::shared_ptr<SourceFiles> sources = nullptr;
    bool affine_off = false;  ///< treat every lane-dependent value as irregular (for tests)
};

/// A loaded PTX module: parsed text, its variables in device memory.
struct Program : std::enable_shared_from_this<Program> {
    ptx::Module module;
    /// Its instructions as the lowering decodes them; code and what was traced point to them.
    std::shared_ptr<simt::Decoded> decoded = std::make_shared<simt::Decoded>();
    std::string key;                       ///< content hash of the text
    std::vector<std::uint64_t> variables;  ///< device address by variable; 0 = not in global memory
    DeviceMemory* memory = nullptr;
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<KernelCode>> code;  ///< compiled kernels by kernel and shape
    ~Program();

    /// What an assembler said that a function spills; nothing where none was asked. For the model of time.
    std::optional<machine::Spills> told_spills(const std::string& function) const;
    void tell_spills(const std::string& function, const machine::Spills& spills);

private:
    mutable std::mutex told_mutex_;
    std::map<std::string, machine::Spills> told_;  ///< by function
};

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
    ParameterBlock(Engine& engine, std::uint64_t at, std::uint64_t barrier)
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
    Engine* engine_ = nullptr;
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

/// Separates the work of checked launches from the moment when all stamps of earlier launches are cleared.
class StepGate {
public:
    void enter();
    void leave();
    /// Waits until no block is at work, then calls it.
    void alone(const std::function<void()>& work);

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    unsigned inside_ = 0;
    bool closed_ = false;
};

class Engine {
public:
    static Result<std::unique_ptr<Engine>> create(const EngineOptions& options);
    ~Engine();

    DeviceMemory& memory() { return *memory_; }
    TextureTable& textures() { return textures_; }
    /// The findings so far.
    shadow::Collector& findings() { return collector_; }
    std::uint32_t checkers() const { return checkers_; }
    /// Other checkers from the next launch on; 0: none. Waits for launches that run. What is allocated now counts as
    /// written where nothing was checked before.
    Result<void> set_checkers(std::uint32_t checkers);
    /// The host has written this memory.
    void written(std::uint64_t address, std::uint64_t bytes) {
        if (checkers_ && bytes && memory_->in_range(address)) shadow_->set_written(address, bytes);
    }
    /// Memory was copied within the device: unwritten bytes stay unwritten.
    void copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
        if (checkers_ && bytes && memory_->in_range(to))
            memory_->in_range(from) ? shadow_->copy_written(to, from, bytes) : shadow_->set_written(to, bytes);
    }
    /// What of this memory nothing has written, as address and size; nothing where that is not checked.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten(std::uint64_t at, std::uint64_t bytes) const;
    /// The launch that wrote a byte last, as far as the checkers of races know it.
    std::optional<record::Writer> writer(std::uint64_t at);
    /// `places`: host memory for variables of these names, instead of the device's own.
    Result<std::shared_ptr<Program>> load(std::string name, const std::string& ptx,
                                          const std::map<std::string, std::uint64_t>& places = {});
    Result<KernelFacts> facts(Program& program, ptx::SymbolId kernel);
    Result<LaunchReply> launch(Program& program, ptx::SymbolId kernel, const LaunchRequest& request);

    // For kernels that launch kernels (run/grid_work, runtime/nested_launch).
    /// The grid, and then what it launches as its tail; all of that, for the modelled clock, in `work`.
    Result<void> launch_child(Program& program, NestedLaunch child, const LaunchRequest& by,
                              std::optional<Deadline> deadline, std::string& output, timeline::Work& work);
    Result<ParameterBlock> take_parameters();
    std::uint64_t next_id() { return ++ids_; }
    /// Text in device memory, ended by 0; equal texts share one place.
    Result<std::uint64_t> text(const std::string& text);

    /// Running launches end with an error soon, later ones at once.
    void cancel();

private:
    friend class ParameterBlock;
    explicit Engine(EngineOptions options);
    // A launch, in steps (launch.cpp).
    Result<LaunchReply> launch_one(Program& program, ptx::SymbolId kernel, const LaunchRequest& request,
                                   ParameterBlock parameters, std::vector<NestedLaunch>& tails);
    void describe(LaunchShared& launch, KernelCode& code, const Program& program, const LaunchRequest& request,
                  const ParameterBlock& parameters) const;
    std::unique_ptr<CheckLaunch> begin_check(const Program& program, ptx::SymbolId kernel, const KernelCode& code,
                                             const LaunchRequest& request);
    void end_check(const CheckLaunch& check);
    /// What a grid's code is made from, as far as it is made while the grid runs.
    struct GridRequest {
        Program& program;
        ptx::SymbolId kernel;
        const LaunchRequest& request;
    };
    void run_grid(LaunchShared& launch, const GridRequest& of, LaunchReply& reply);
    void run_traced(LaunchShared& launch, HostThreads& threads, const GridRequest& of, LaunchReply& reply);
    Result<void> launch_tails(Program& program, std::vector<NestedLaunch> tails, const LaunchRequest& by,
                              std::optional<Deadline> deadline, std::string& output, std::vector<timeline::Work>& line);
    Result<std::shared_ptr<Tracing>> begin_trace(Program& program, ptx::SymbolId kernel, const LaunchRequest& request);
    /// The code for the request's block shape: that of an earlier launch, or from the cache on disk, or new.
    Result<std::shared_ptr<KernelCode>> compile(Program& program, ptx::SymbolId kernel, const LaunchRequest& request,
                                                bool trace = false);
    bool is_compiled(Program& program, ptx::SymbolId kernel, const LaunchRequest& request);
    CodegenOptions code_options(const LaunchRequest& request, bool trace) const;
    std::size_t quick_from(const CodegenOptions& options) const;
    Result<KernelFunction> host_code(Program& program, ptx::SymbolId kernel, const CodegenOptions& options,
                                     const std::string& shape, KernelCode& code, const WorkLimit& limit);
    Result<KernelFunction> better_host_code(Program& program, ptx::SymbolId kernel, const CodegenOptions& options,
                                            const std::string& shape);
    void expect_better(Program& program, ptx::SymbolId kernel, const CodegenOptions& options, const std::string& shape,
                       const std::shared_ptr<KernelCode>& code, double took);

    const EngineOptions options_;
    std::unique_ptr<DeviceMemory> memory_;
    TextureTable textures_;
    std::unique_ptr<Jit> jit_;
    std::unique_ptr<BetterCode> better_;
    std::mutex running_mutex_;
    std::set<LaunchShared*> running_;
    class Running;
    bool cancelled_ = false;
    std::unique_ptr<shadow::Shadow> shadow_;
    shadow::Collector collector_;
    std::mutex generation_mutex_;
    std::uint32_t generation_ = 0;
    std::set<std::uint32_t> generations_;  ///< of launches that run
    StepGate gate_;
    struct GenerationWriter {
        record::Writer writer;
        std::vector<std::uint32_t> bytes;  ///< of an element, by site
    };
    std::map<std::uint32_t, GenerationWriter> writers_;  ///< by generation; guarded by generation_mutex_
    std::uint32_t begin_generation();
    void end_generation(std::uint32_t generation);
    std::mutex parameters_mutex_;
    struct ParameterPlace {
        std::uint64_t at = 0, barrier = 0;
    };
    std::vector<ParameterPlace> parameters_;  ///< unused blocks for launches' parameters; never used for anything else
    std::atomic<std::uint64_t> ids_{0};
    std::mutex texts_mutex_;
    std::map<std::string, std::uint64_t> texts_;
    std::uint64_t windows_ = 0;               ///< two reserved ranges: generic shared and local addresses
    std::atomic<std::uint32_t> checkers_{0};  ///< a set of record::Checker: those of the options, until others are set
    std::shared_mutex checkers_mutex_;        ///< shared by launches; set_checkers() has it alone
};

/// The counts of a launch, from those of its host threads.
record::KernelCounts assemble_counts(const KernelCode& code, std::span<const std::uint64_t> counters,
                                     std::span<const struct Site> sites, std::span<const struct SiteSpaces> spaces,
                                     bool per_line);

}  // namespace warpwright::engine
