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

    /// Adds a warp of the multiprocessor, which waits for others until it is told otherwise; returns its place. `age`:
    /// how many warps of the multiprocessor began before it.
    unsigned add(unsigned warp, std::size_t age);
    unsigned size() const { return static_cast<unsigned>(warps_.size()); }
    unsigned warp(unsigned place) const { return warps_[place]; }
    std::size_t age(unsigned place) const { return ages_[place]; }
    double wakes(unsigned place) const { return wakes_[place]; }
    Want want(unsigned place) const { return wants_[place]; }

    /// Its operands are there from then on; kNever while it waits for others.
    void set(unsigned place, double wakes, Want want);
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
        for (unsigned group = 0; group < awake_.size(); ++group) {
            std::uint64_t some = 0;
            for (std::uint32_t rest = units; rest; rest &= rest - 1) some |= awake_[group][lowest(rest)];
            for (; some; some &= some - 1) each(group * kGroup + static_cast<unsigned>(__builtin_ctzll(some)));
        }
    }
    bool is_awake(unsigned place) const { return states_[place] == State::awake; }
    /// Leaves out those for which `done` holds; `moved(warp, place)` hears of the others' new places.
    template <class Done, class Moved>
    void leave_out(Done done, Moved moved) {
        const ScheduledWarps before = std::move(*this);
        *this = {};
        for (unsigned k = 0; k < before.size(); ++k) {
            if (done(before.warps_[k])) continue;
            const unsigned place = add(before.warps_[k], before.ages_[k]);
            set(place, before.wakes_[k], before.wants_[k]);
            moved(before.warps_[k], place);
        }
    }

    /// No warp can go on before, unless it asks for one of `shared`, units that the schedulers share. 0: not known.
    double quiet_until = 0;
    std::uint32_t shared = 0;  ///< a bit for each unit

private:
    enum class State : std::uint8_t { waits, sleeps, awake };
    struct Sleeper {
        double wakes;
        unsigned place;
    };
    static constexpr unsigned kGroup = 64;
    static unsigned lowest(std::uint32_t bits) { return static_cast<unsigned>(__builtin_ctz(bits)); }
    void take_out(unsigned place);
    void wake_next();

    std::vector<unsigned> warps_;
    std::vector<std::size_t> ages_;
    std::vector<double> wakes_;
    std::vector<Want> wants_;
    std::vector<State> states_;
    std::vector<Sleeper> sleepers_;                               ///< the first to wake is the last
    std::vector<std::array<std::uint64_t, Want::kUnits>> awake_;  ///< by 64 places and unit, a bit for each place
    std::uint32_t asked_ = 0;
    std::array<std::uint16_t, Want::kUnits> asking_{};  ///< how many are awake and ask for it
};

}  // namespace warpwright::timing
