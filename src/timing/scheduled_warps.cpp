// Sleepers are kept sorted, since few of them change places between two looks; of those that are awake there is a set
// of bits for each unit.
#include "timing/scheduled_warps.hpp"

#include <algorithm>

namespace warpwright::timing {

unsigned ScheduledWarps::add(unsigned warp) {
    const unsigned place = size();
    warps_.push_back(warp), states_.emplace_back();
    if (place % kGroup == 0) awake_.emplace_back(), queued_.push_back(0);
    return place;
}

void ScheduledWarps::take_sleeper(unsigned place) {
    sleepers_.erase(
        std::find_if(sleepers_.begin(), sleepers_.end(), [&](const Sleeper& s) { return s.place == place; }));
    states_[place].sleeps = false;
}

}  // namespace warpwright::timing
