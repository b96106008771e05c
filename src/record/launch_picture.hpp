// A simulated launch as a picture: which memory a request of each instruction touched, what each PTX instruction cost,
// and what the warps of a multiprocessor did in its first cycles. Made by predict/launch_picture, kept in profiles for
// their page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::record {

/// One request of a memory instruction, as an example of all: of those that were traced the first one with the most
/// lanes.
struct AccessPicture {
    std::string file;
    unsigned line = 0, ptx_line = 0;
    std::string instruction;             ///< "ld.global.f32"
    std::string space;                   ///< "global", "local", "shared"
    std::uint32_t lanes = 0;             ///< that were active
    std::uint32_t bytes = 0;             ///< of one lane
    std::uint32_t wavefronts = 0;        ///< of shared memory
    std::vector<std::uint32_t> sectors;  ///< of 32 bytes that it touched, from the line of the first on; each once
    /// By lane, the first byte that it wanted: from the first sector's line on, or from the beginning of shared memory;
    /// kNotActive: it took no part. Empty: not known.
    std::vector<std::int64_t> at;
    static constexpr std::int64_t kNotActive = -1;
    bool operator==(const AccessPicture&) const = default;
};

struct PtxInstruction {
    unsigned ptx_line = 0;
    std::string text;
    std::string file;  ///< of the source; empty without line information
    unsigned line = 0;
    double share = 0;   ///< of the cycles of all warps, that they stood before it
    std::string state;  ///< in which they mostly did
    bool operator==(const PtxInstruction&) const = default;
};

/// What warps did, each place for a warp a row.
struct WarpCourse {
    double cycles = 0;  ///< that were simulated
    double shown = 0;   ///< up to which intervals are kept
    std::uint32_t schedulers = 0;
    std::vector<std::string> states;
    /// Place, state, begin and length in cycles of each interval, one after another.
    std::vector<std::uint32_t> intervals;
    bool operator==(const WarpCourse&) const = default;
};

struct LaunchPicture {
    std::vector<AccessPicture> accesses;
    std::vector<PtxInstruction> ptx;
    WarpCourse warps;
    bool empty() const { return accesses.empty() && ptx.empty(); }
    bool operator==(const LaunchPicture&) const = default;
};

}  // namespace warpwright::record
