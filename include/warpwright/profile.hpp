// One launch of a kernel seen from all sides: exact counts by source line, what the checkers found, occupancy and bound
// on a device model. And verdicts on it, in words that name the source lines; <warpwright/matchers.hpp> has them as
// GoogleTest matchers, other test libraries call them as they are.
//
//     auto gpu = warpwright::Device::open({.checkers = "all"});
//     auto program = gpu->compile("reduce.cu");
//     auto seen = warpwright::take_profile(*gpu, *program, "sum", {64}, {256}, {*in, *out, n});     // Result<Profile>
//     auto verdict = warpwright::no_bank_conflicts(*seen);
//     if (!verdict.holds) std::puts(verdict.text.c_str());
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/finding.hpp"
#include "record/record.hpp"
#include "warpwright/warpwright.hpp"

namespace warpwright {

struct Profile {
    std::string kernel;  ///< readable, without parameters
    Extent grid, block;
    std::string model;                      ///< the device model that occupancy and bound are of
    record::KernelCounts counts;            ///< `lines`: by source line
    std::uint32_t checkers = 0;             ///< which looked (record::Checker)
    std::vector<record::Finding> findings;  ///< of this launch
    std::optional<Error> error;             ///< why the launch did not come to its end; then among the findings too
    record::OccupancyRecord occupancy;      ///< registers: by ptxas where it is found, else estimated
    record::Bound bound;                    ///< the least time it can take: predicted, not measured
    /// The predicted time, with what holds the launch back (`causes`, docs/causes.md); absent of a checked launch.
    std::optional<record::Predicted> predicted;
    std::uint64_t local_bytes = 0;                             ///< local memory per thread
    std::string output;                                        ///< what it printed
    std::vector<std::pair<std::string, std::string>> sources;  ///< texts that were compiled from strings, by name

    std::uint64_t operator[](record::Count count) const { return counts.total[count]; }
    /// 32-byte sectors that loads, stores and atomics touch in global memory, as bytes.
    std::uint64_t global_bytes() const;
    /// Bank conflicts of loads, stores and atomics in shared memory.
    std::uint64_t bank_conflicts() const;
    /// 1: no branch splits a warp.
    double branch_efficiency() const;
    /// 1: all lanes are active in every instruction.
    double lane_efficiency() const;
    /// Bytes asked for over bytes of the sectors touched: 1 at best where every byte is used once.
    double global_efficiency() const;
};

/// Launches the kernel once, on an emulated device. What is wrong within the launch is in the Profile; an Error is a
/// launch that could not be: arguments that do not fit, a limit, a real device.
Result<Profile> take_profile(Device& device, const Program& program, const std::string& kernel, Extent grid,
                             Extent block, const std::vector<Argument>& arguments, const LaunchOptions& options = {});

/// Whether something holds of a launch, and the reason: figures, and the source lines they come from.
struct Verdict {
    bool holds = false;
    std::string text;
};

// Findings. Where the device was opened without the checker that would look, nothing holds, and the text says so.
/// No finding at all, warnings included, and the launch came to its end.
Verdict no_findings(const Profile& profile);
/// The same but for warnings.
Verdict no_errors(const Profile& profile);
/// Of one checker: memory (bounds, null, freed, misaligned), init, race, sync.
Verdict no_findings_of(const Profile& profile, record::Checker checker);
/// There is a finding of this kind ("race-shared", "out-of-bounds", ...; docs/check.md), at that line where it is not
/// 0.
Verdict has_finding(const Profile& profile, const std::string& kind, unsigned line = 0);

// Memory.
Verdict no_bank_conflicts(const Profile& profile);
Verdict bank_conflicts_at_most(const Profile& profile, std::uint64_t most);
/// Of global loads and of global stores, each over the whole launch. 4 is the best for 4-byte words of a full warp.
Verdict sectors_per_request_at_most(const Profile& profile, double most);
Verdict global_bytes_at_most(const Profile& profile, std::uint64_t most);
Verdict global_efficiency_at_least(const Profile& profile, double least);
/// No register is spilled, no array lies in local memory.
Verdict no_local_memory(const Profile& profile);
Verdict shared_bytes_at_most(const Profile& profile, std::uint64_t most);  ///< of a block, static and dynamic

// Control flow, occupancy, any count.
Verdict branch_efficiency_at_least(const Profile& profile, double least);
Verdict lane_efficiency_at_least(const Profile& profile, double least);
Verdict occupancy_at_least(const Profile& profile, double least);
Verdict registers_at_most(const Profile& profile, std::uint32_t most);
/// Of any key of docs/counters.md.
Verdict count_at_most(const Profile& profile, record::Count count, std::uint64_t most);

// What holds the launch back (docs/causes.md). Where the device was opened with checkers there is no predicted time,
// nothing holds, and the text says so.
/// No cause of that name ("bank_conflicts", ...) would save so much of the launch's time or more, if it were mended.
Verdict not_held_back_by(const Profile& profile, const std::string& cause, double share = record::kLeastShare);
/// Nothing would save so much, but near_the_limit.
Verdict near_the_limit(const Profile& profile, double share = record::kLeastShare);

/// The kernel, its main figures and the findings, some lines of text.
std::string describe(const Profile& profile);

}  // namespace warpwright
