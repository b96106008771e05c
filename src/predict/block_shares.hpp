// How a block's work is shared among its warps, and how it could be: between two barriers every warp could do its part
// of what all do. One turn of a loop, or code that each does once, is as small as a part can be. Private to this room.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "machine/trace.hpp"

namespace warpwright::predict {

/// How much longer than its equal part the longest warp of a block must have to do that it matters.
inline constexpr double kUnequalWarps = 2;

class BlockShares {
public:
    BlockShares(const machine::BlockTrace& block, const machine::Code& code);

    /// Whether it has anything to share: several warps, of each of which all is known.
    bool known() const { return shared_ > 0; }
    /// What the longest warps do over what each would do if all was shared among the warps, or among their lanes.
    double longest_warp() const { return known() ? longest_ / shared_ : 1; }
    double longest_lane() const { return known() ? longest_ / by_lanes_ : 1; }

    /// Parts end at barriers. Whether one warp does most of what ran there, of a block whose warps' work is unequal.
    bool ends_part(std::uint32_t what) const { return what < barriers_.size() && barriers_[what]; }
    bool is_alone(unsigned part, std::uint32_t what) const {
        if (longest_warp() <= kUnequalWarps) return false;
        const auto at = runs_.find({part, what});
        return at != runs_.end() && at->second.alone();
    }
    /// Calls `f(block of code, issue slots)` with what one warp mostly does.
    template <class F>
    void each_alone(F&& f) const {
        for (const auto& [at, run] : runs_)
            if (run.alone()) f(at.second, run.times * slots_[at.second]);
    }

private:
    /// How often a block of code ran between two barriers: all warps together, the one that did most, and how many
    /// times the lanes of a warp.
    struct Run {
        double times = 0, most = 0, warps_of_lanes = 0;
        bool alone() const { return 2 * most > times; }
    };
    void add(const machine::WarpTrace& warp, std::vector<double>& longest);

    std::map<std::pair<unsigned, std::uint32_t>, Run> runs_;
    std::vector<bool> barriers_;
    std::vector<double> slots_;
    double warps_ = 1, longest_ = 0, shared_ = 0, by_lanes_ = 0;
};

}  // namespace warpwright::predict
