// A scheduler's warps as it looks at them: who sleeps until its operands are there, and who is awake, by the unit that
// its next instruction asks for. Most warps wait in most cycles, for a unit that others have taken: they are passed
// over together.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "machine/code.hpp"

namespace warpwright::timing {

/// What a warp's next instruction asks for, as far as the schedulers' choice depends on it.
struct Want {
    std::uint8_t unit = 0;  ///< a machine::Pipe; kSpecialPart, kNothing; kBeyond and more: also the way to memory
    bool queued = false;    ///< it goes through a unit's queue, where who came first goes first

    static constexpr std::uint8_t kSpecialPart = machine::kPipes, kNothing = kSpecialPart + 1, kBeyond = kNothing + 1,
                                  kUnits = kBeyond + 1;
    bool operator==(const Want&) const = default;
};
static_assert(Want::kUnits <= 32, "units are bits of a word");

/// In the order in which they came; a warp's place in it is its number here.
class ScheduledWarps {
public:
    static constexpr double kNever = std::numeric_limits<double>::infinity();
    static constexpr unsigned kNobody = ~0u;

    /// Adds a warp of the multiprocessor, which waits for others until it is told otherwise; returns its place. Later
    /// warps are younger.
    unsigned add(unsigned warp);
    unsigned size() const { return static_cast<unsigned>(warps_.size()); }
    unsigned warp(unsigned place) const { return warps_[place]; }
    Want want(unsigned place) const { return states_[place].want; }

    /// Its operands are there from then on; kNever while it waits for others.
    void set(unsigned place, double wakes, Want want) {
        quiet_until = 0;
        State& s = states_[place];
        if (s.sleeps) {
            if (wakes == s.wakes && want == s.want) return;
            take_sleeper(place);
        } else if (s.awake) {
            if (wakes == s.wakes && want == s.want) return;
            s.awake = false;
            awake_[place / kGroup][s.want.unit] &= ~(std::uint64_t{1} << place % kGroup);
            asked_ &= ~(std::uint32_t{--asking_[s.want.unit] == 0} << s.want.unit);
        }
        s.wakes = wakes, s.want = want;
        if (wakes == kNever) return;
        s.sleeps = true;
        std::size_t k = sleepers_.size();
        sleepers_.push_back({wakes, place});
        for (; k > 0 && sleepers_[k - 1].wakes < wakes; --k) sleepers_[k] = sleepers_[k - 1];
        sleepers_[k] = {wakes, place};
    }
    /// Those wake whose operands are there; returns when the next one wakes.
    double wake_until(double now) {
        while (!sleepers_.empty() && !(sleepers_.back().wakes > now)) wake_next();
        return sleepers_.empty() ? kNever : sleepers_.back().wakes;
    }
    /// The units that warps which are awake ask for, a bit for each.
    std::uint32_t asked() const { return asked_; }
    /// Calls each(place) in the order of places for those that are awake and ask for one of these units.
    template <class F>
    void each_awake(std::uint32_t units, F each) const {
        for (unsigned group = 0; group < awake_.size(); ++group)
            for (std::uint64_t some = awake_in(group, units); some; some &= some - 1)
                each(group * kGroup + static_cast<unsigned>(__builtin_ctzll(some)));
    }
    /// Of those that are awake and ask for one of these units, of which there is one at least: `greedy`, if it is one
    /// of them; else the youngest; but of those that go through a queue and are younger than all others the one that
    /// woke first.
    unsigned first_of(std::uint32_t units, unsigned greedy = kNobody) const {
        if (greedy != kNobody && (awake_in(greedy / kGroup, units) >> greedy % kGroup & 1)) return greedy;
        std::uint64_t queued = 0;
        unsigned best = kNobody, group = static_cast<unsigned>(awake_.size());
        while (group-- > 0) {
            const std::uint64_t some = awake_in(group, units), others = some & ~queued_[group];
            if (others) {
                const auto last = kGroup - 1 - static_cast<unsigned>(__builtin_clzll(others));
                queued = some & ~(~std::uint64_t{0} >> (kGroup - 1 - last));
                if (queued) return earliest(queued, group, best);
                return best != kNobody ? best : group * kGroup + last;
            }
            if (some) best = earliest(some, group, best);
        }
        return best;
    }
    bool is_awake(unsigned place) const { return states_[place].awake; }
    /// Leaves out those for which `done` holds; `moved(warp, place)` hears of the others' new places.
    template <class Done, class Moved>
    void leave_out(Done done, Moved moved) {
        const ScheduledWarps before = std::move(*this);
        *this = {};
        for (unsigned k = 0; k < before.size(); ++k) {
            if (done(before.warps_[k])) continue;
            const unsigned place = add(before.warps_[k]);
            set(place, before.states_[k].wakes, before.states_[k].want);
            moved(before.warps_[k], place);
        }
    }

    /// No warp can go on before, unless it asks for one of `shared`, units that the schedulers share. 0: not known.
    double quiet_until = 0;
    std::uint32_t shared = 0;  ///< a bit for each unit

private:
    struct State {
        double wakes = kNever;
        Want want;
        bool sleeps = false, awake = false;
    };
    struct Sleeper {
        double wakes;
        unsigned place;
    };
    static constexpr unsigned kGroup = 64;
    static unsigned lowest(std::uint32_t bits) { return static_cast<unsigned>(__builtin_ctz(bits)); }
    std::uint64_t awake_in(unsigned group, std::uint32_t units) const {
        std::uint64_t some = 0;
        for (; units; units &= units - 1) some |= awake_[group][lowest(units)];
        return some;
    }
    /// The first to wake of some of a group and of `best`, which comes after them.
    unsigned earliest(std::uint64_t some, unsigned group, unsigned best) const {
        unsigned first = group * kGroup + static_cast<unsigned>(__builtin_ctzll(some));
        for (some &= some - 1; some; some &= some - 1) {
            const unsigned place = group * kGroup + static_cast<unsigned>(__builtin_ctzll(some));
            if (states_[place].wakes < states_[first].wakes) first = place;
        }
        return best != kNobody && states_[best].wakes < states_[first].wakes ? best : first;
    }
    void take_sleeper(unsigned place);
    void wake_next() {
        const unsigned place = sleepers_.back().place;
        sleepers_.pop_back();
        State& s = states_[place];
        const std::uint64_t bit = std::uint64_t{1} << place % kGroup;
        s.sleeps = false, s.awake = true;
        awake_[place / kGroup][s.want.unit] |= bit;
        std::uint64_t& queued = queued_[place / kGroup];
        queued = (queued & ~bit) | (std::uint64_t{s.want.queued} << place % kGroup);
        ++asking_[s.want.unit];
        asked_ |= 1u << s.want.unit;
    }

    std::vector<unsigned> warps_;
    std::vector<State> states_;
    std::vector<Sleeper> sleepers_;                               ///< the first to wake is the last
    std::vector<std::array<std::uint64_t, Want::kUnits>> awake_;  ///< by 64 places and unit, a bit for each place
    std::vector<std::uint64_t> queued_;                           ///< by 64 places: of those that are awake
    std::uint32_t asked_ = 0;
    std::array<std::uint16_t, Want::kUnits> asking_{};  ///< how many are awake and ask for it
};

}  // namespace warpwright::timing
