// Sleepers are kept sorted, since few of them change places between two looks; of those that are awake there is a set
// of bits for each unit.
#include "timing/scheduled_warps.hpp"

#include <algorithm>

namespace warpwright::timing {

unsigned ScheduledWarps::add(unsigned warp, std::size_t age) {
    const unsigned place = size();
    warps_.push_back(warp), ages_.push_back(age), wakes_.push_back(kNever), wants_.emplace_back(),
        states_.push_back(State::waits);
    if (place % kGroup == 0) awake_.emplace_back();
    return place;
}

void ScheduledWarps::take_out(unsigned place) {
    if (states_[place] == State::awake) {
        const unsigned unit = wants_[place].unit;
        awake_[place / kGroup][unit] &= ~(std::uint64_t{1} << place % kGroup);
        if (--asking_[unit] == 0) asked_ &= ~(1u << unit);
    } else if (states_[place] == State::sleeps) {
        sleepers_.erase(
            std::find_if(sleepers_.begin(), sleepers_.end(), [&](const Sleeper& s) { return s.place == place; }));
    }
    states_[place] = State::waits;
}

void ScheduledWarps::set(unsigned place, double wakes, Want want) {
    quiet_until = 0;
    if (states_[place] != State::waits && wakes == wakes_[place] && want == wants_[place]) return;
    take_out(place);
    wakes_[place] = wakes, wants_[place] = want;
    if (wakes == kNever) return;
    states_[place] = State::sleeps;
    sleepers_.push_back({wakes, place});
    for (std::size_t k = sleepers_.size() - 1; k > 0 && sleepers_[k - 1].wakes < wakes; --k)
        std::swap(sleepers_[k], sleepers_[k - 1]);
}

void ScheduledWarps::wake_next() {
    const unsigned place = sleepers_.back().place, unit = wants_[place].unit;
    sleepers_.pop_back();
    states_[place] = State::awake;
    awake_[place / kGroup][unit] |= std::uint64_t{1} << place % kGroup;
    ++asking_[unit];
    asked_ |= 1u << unit;
}

}  // namespace warpwright::timing
