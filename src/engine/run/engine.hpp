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

#include "engine/runtime/texture/texture_table.hpp"
#include "engine/shared/device_memory.hpp"
#include "engine/shared/grid_engine.hpp"
#include "engine/shared/kernel_layout.hpp"
#include "engine/shared/other_hosts.hpp"
#include "engine/shared/program.hpp"
#include "engine/shared/requests.hpp"
#include "engine/shared/schedule.hpp"
#include "engine/shared/self_timing.hpp"
#include "engine/shared/step_gate.hpp"
#include "launch/result.hpp"
#include "record/counts.hpp"
#include "shadow/findings.hpp"
#include "support/processor_time.hpp"
#include "support/result.hpp"
#include "support/source_files.hpp"
#include "support/work_limit.hpp"

namespace warpwright::engine {

class BetterCode;
class SlowLaunches;
class HostThreads;
class Jit;
class KnownTraces;
struct CheckLaunch;
struct KernelCode;
struct LaunchShared;
struct Tracing;

struct EngineOptions {
    std::string cpu;                                 ///< see Jit::create; empty = native
    unsigned threads = 0;                            ///< host threads; 0 = all
    std::uint64_t memory = std::uint64_t{64} << 30;  ///< bytes of address range for device memory
    std::string memory_folder;                       ///< see device::EmulatedOptions
    bool zeroed = false;                             ///< fresh device memory reads as zeros
    bool tolerant = false;                           ///< see device::EmulatedOptions
    bool guarded = false;                            ///< see shared/guard.hpp
    std::string cache_directory;                     ///< compiled host code; empty = none
    std::uint32_t multiprocessors = 132;
    Schedule schedule;  ///< in which blocks and warps take their turns
    Pace pace;
    unsigned lanes = 32;
    /// In which global memory moves: a sector, or a line of 64 or 128 bytes (arch::transaction_bytes()).
    unsigned transaction_bytes = 32;
    int compute_capability = 90;  ///< major * 10 + minor
    /// Kernels of at least this many instructions are compiled converged first (see Extent); 0: always, for tests.
    unsigned converged_from = 200;
    /// Kernels of at least so many LLVM instructions begin with code that is quick to make; 0: all, ~0: none.
    std::size_t quick_from = kQuickFrom;
    static constexpr std::size_t kQuickFrom = 11000;
    /// Better code is made when a kernel has run for at least so many seconds; below 0: never.
    double better_after = 0.3;
    std::uint32_t checkers = 0;  ///< a set of record::Checker; 0 = nothing is checked, and nothing is different
    std::chrono::milliseconds patience{0};  ///< see device::EmulatedOptions
    /// Texts from which messages take names of arrays and parameters; null: no source is read.
    std::shared_ptr<SourceFiles> sources = nullptr;
    std::function<bool(std::uint64_t)> is_host_memory;  ///< see device::EmulatedOptions
    bool limits_of_processor = false;                   ///< see device::EmulatedOptions
    std::uint64_t most_instructions = 0;                ///< see device::EmulatedOptions
    std::function<void(const std::string&)> tell;       ///< see device::EmulatedOptions
    std::shared_ptr<OtherHosts> hosts;                  ///< that run blocks of large grids; null: there are none
    std::chrono::milliseconds slow_after{10'000};       ///< what runs for longer is told of
    bool affine_off = false;                            ///< treat every lane-dependent value as irregular (for tests)
};

class Engine final : public GridEngine {
public:
    static Result<std::unique_ptr<Engine>> create(const EngineOptions& options);
    ~Engine() override;

    DeviceMemory& memory() override { return *memory_; }
    TextureTable& textures() override { return textures_; }
    /// The findings so far.
    shadow::Collector& findings() { return collector_; }
    std::uint32_t checkers() const { return checkers_; }
    /// Other checkers from the next launch on; 0: none. Waits for launches that run. What is allocated now counts as
    /// written where nothing was checked before.
    Result<void> set_checkers(std::uint32_t checkers);
    void written(std::uint64_t address, std::uint64_t bytes) override {
        if (!checkers_ || !bytes) return;
        memory_->in_range(address) ? shadow_->set_written(address, bytes) : watch_host(address, bytes);
    }
    void copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) override {
        if (checkers_ && bytes && memory_->in_range(to))
            memory_->in_range(from) ? shadow_->copy_written(to, from, bytes) : shadow_->set_written(to, bytes);
    }
    /// Memory of the host's own that is written as a whole has a shadow from then on: what kernels access there is
    /// known as of device memory.
    void watch_host(std::uint64_t address, std::uint64_t bytes);
    /// What of this memory nothing has written, as address and size; nothing where that is not checked.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten(std::uint64_t at, std::uint64_t bytes) const;
    /// The launch that wrote a byte last, as far as the checkers of races know it.
    std::optional<record::Writer> writer(std::uint64_t at);
    /// Marks of the calling thread's last launch and of those that its kernels made, in order; none where races are not
    /// looked for. A mark is a generation, with the number of rounds before it, so that it is never used again.
    static std::vector<std::uint32_t> last_marks();
    static constexpr unsigned kMarkBits = 10;
    static_assert(shadow::kGenerations == 1u << kMarkBits);
    /// What these launches have left in device memory, by address; nothing once their numbers are used again.
    std::vector<shadow::Shadow::Trace> traces(const std::vector<std::uint32_t>& marks);
    /// From now on they are taken when a launch ends, before another one runs; then those of the calling thread's last.
    void keep_traces(bool keep) { keeps_traces_ = keep; }
    static std::vector<shadow::Shadow::Trace> last_traces();
    /// Where an instruction of a launch is, and what it does.
    record::FindingPlace site_place(std::uint32_t mark, std::uint32_t site);
    /// `places`: memory for variables of these names, instead of the device's own: the host's, or what another load has
    /// given them, whose contents stay. `owner`: whose the others are.
    Result<std::shared_ptr<Program>> load(std::string name, const std::string& ptx,
                                          const std::map<std::string, std::uint64_t>& places = {},
                                          const Owner& owner = {});
    Result<KernelFacts> facts(Program& program, ptx::SymbolId kernel);
    Result<launch::EmulatedResult> launch(Program& program, ptx::SymbolId kernel, const LaunchRequest& request);
    /// Blocks of a grid that another host has shared: `next` hands them out. Its memory is here at its addresses,
    /// and the parameters with it.
    Result<BlocksDone> run_blocks(Program& program, ptx::SymbolId kernel, const LaunchRequest& request,
                                  std::uint64_t parameters, const NextBlocks& next);

    // For kernels that launch kernels (runtime/grid_work, runtime/nested_launch).
    Result<void> launch_child(Program& program, NestedLaunch child, const LaunchRequest& by,
                              std::optional<Deadline> deadline, std::string& output, timeline::Work& work) override;
    Result<ParameterBlock> take_parameters() override;
    void give_back(std::uint64_t parameters, std::uint64_t barrier, std::uint64_t written) override;
    std::uint64_t next_id() override { return ++ids_; }
    Result<std::uint64_t> text(const std::string& text) override;

    /// Running launches end with an error soon, later ones at once.
    void cancel();

private:
    explicit Engine(EngineOptions options);
    /// The longest that a launch with this limit may take.
    std::chrono::milliseconds by_the_clock(std::chrono::milliseconds limit) const {
        return limit * (options_.limits_of_processor ? kClockToProcessor : 1);
    }
    // A launch, in steps (launch.cpp).
    Result<launch::EmulatedResult> launch_one(Program& program, ptx::SymbolId kernel, const LaunchRequest& request,
                                              ParameterBlock parameters, std::vector<NestedLaunch>& tails);
    void describe(LaunchShared& launch, KernelCode& code, const Program& program, const LaunchRequest& request,
                  const ParameterBlock& parameters) const;
    std::unique_ptr<CheckLaunch> begin_check(const Program& program, ptx::SymbolId kernel,
                                             const std::shared_ptr<KernelCode>& code, const LaunchRequest& request);
    void end_check(const CheckLaunch& check);
    /// What a grid's code is made from, as far as it is made while the grid runs.
    struct GridRequest {
        Program& program;
        ptx::SymbolId kernel;
        const LaunchRequest& request;
    };
    unsigned threads_for(const LaunchShared& launch, std::uint64_t count) const;
    static bool keeps_order(const LaunchShared& launch, const LaunchRequest& request);
    /// The clock that kernels read never runs back.
    void keep_clock(std::uint64_t latest);
    void run_grid(LaunchShared& launch, const GridRequest& of, launch::EmulatedResult& reply);
    void run_traced(LaunchShared& launch, HostThreads& threads, const GridRequest& of, launch::EmulatedResult& reply);
    /// All blocks from `next` on: here, or with other hosts where the grid is worth it (hosts.cpp).
    void run_all(LaunchShared& launch, HostThreads& threads, const GridRequest& of, std::atomic<std::uint64_t>& next,
                 std::uint64_t count);
    void share(LaunchShared& launch, HostThreads& threads, const GridRequest& of, std::atomic<std::uint64_t>& next,
               std::uint64_t count);
    std::string why_whole(const LaunchShared& launch) const;
    Result<void> launch_tails(Program& program, std::vector<NestedLaunch> tails, const LaunchRequest& by,
                              std::optional<Deadline> deadline, std::string& output, std::vector<timeline::Work>& line);
    Result<std::shared_ptr<Tracing>> begin_trace(Program& program, ptx::SymbolId kernel, const LaunchRequest& request);
    Result<std::string> take_known(Program& program, ptx::SymbolId kernel, const LaunchRequest& request,
                                   launch::EmulatedResult& reply);
    std::string course_of(Program& program, ptx::SymbolId kernel, const LaunchRequest& request) const;
    enum class Make : std::uint8_t { always, if_kept };
    /// The code for the request's block shape: that of an earlier launch, or from the cache on disk, or new. With
    /// `if_kept` null in place of new code.
    Result<std::shared_ptr<KernelCode>> compile(Program& program, ptx::SymbolId kernel, const LaunchRequest& request,
                                                bool trace = false, Make make = Make::always);
    /// That of an earlier launch of this process; null where there is none.
    std::shared_ptr<KernelCode> code_at_hand(Program& program, ptx::SymbolId kernel, const LaunchRequest& request,
                                             bool trace) const;
    bool is_compiled(Program& program, ptx::SymbolId kernel, const LaunchRequest& request) const;
    std::string shape_of(const Program& program, ptx::SymbolId kernel, const LaunchRequest& request, bool trace) const;
    CodegenOptions code_options(const LaunchRequest& request, bool trace) const;
    std::size_t quick_from(const CodegenOptions& options) const;
    Result<KernelFunction> host_code(Program& program, ptx::SymbolId kernel, const CodegenOptions& options,
                                     const std::string& shape, KernelCode& code, const WorkLimit& limit, Make make_it);
    Result<KernelFunction> better_host_code(Program& program, ptx::SymbolId kernel, const CodegenOptions& options,
                                            const std::string& shape);
    void expect_better(Program& program, ptx::SymbolId kernel, const CodegenOptions& options, const std::string& shape,
                       const std::shared_ptr<KernelCode>& code, double took);

    const EngineOptions options_;
    std::unique_ptr<DeviceMemory> memory_;
    TextureTable textures_;
    std::unique_ptr<Jit> jit_;
    std::unique_ptr<BetterCode> better_;
    std::unique_ptr<SlowLaunches> slow_;
    std::unique_ptr<KnownTraces> known_traces_;
    std::mutex running_mutex_;
    std::vector<LaunchShared*> running_;  ///< few at a time
    class Running;
    bool cancelled_ = false;
    std::unique_ptr<shadow::Shadow> shadow_;
    shadow::Collector collector_;
    std::mutex generation_mutex_;
    std::uint32_t generation_ = 0;
    std::uint32_t rounds_ = 0;             ///< how often the numbers were used up
    std::set<std::uint32_t> generations_;  ///< of launches that run
    StepGate gate_;
    using SitePlaces = std::shared_ptr<const std::vector<record::FindingPlace>>;
    struct GenerationWriter {
        record::Writer writer;
        std::vector<std::uint32_t> bytes;  ///< of an element, by site
        SitePlaces places;                 ///< by site
    };
    /// The places of a code's sites: they outlast the code, and are the same for all of its launches.
    SitePlaces places_of(const std::shared_ptr<KernelCode>& code);
    std::mutex places_mutex_;
    std::map<const KernelCode*, std::pair<std::weak_ptr<KernelCode>, SitePlaces>> places_;
    /// Launches under the checker of races take turns, so that what each leaves in shadow memory does not depend on the
    /// host's schedule. Kernels with a loop that waits for other threads' memory do not wait for their turn.
    std::mutex turn_mutex_;
    class Turn;
    std::atomic<bool> keeps_traces_{false};
    std::vector<shadow::Shadow::Trace> traces_in_turn(const std::vector<std::uint32_t>& marks);
    std::vector<std::uint32_t>* in_turn_ = nullptr;      ///< marks of the launch whose turn it is; by generation_mutex_
    std::map<std::uint32_t, GenerationWriter> writers_;  ///< by generation; guarded by generation_mutex_
    std::uint32_t begin_generation();
    void note_generation(std::uint32_t generation);
    void end_generation(std::uint32_t generation);
    std::mutex parameters_mutex_;
    struct ParameterPlace {
        std::uint64_t at = 0, barrier = 0, written = ParameterBlock::kBytes;
    };
    std::vector<ParameterPlace> parameters_;  ///< unused blocks for launches' parameters; never used for anything else
    std::atomic<std::uint64_t> ids_{0};
    std::atomic<std::uint64_t> clock_{0};  ///< the latest that a kernel has read, in cycles
    std::once_flag second_level_made_;
    std::unique_ptr<SecondLevel> second_level_;  ///< of kernels that time themselves
    std::unique_ptr<SelfTiming> begin_times(const LaunchShared& launch, const LaunchRequest& request);
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
