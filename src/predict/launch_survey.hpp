// What a launch's sample shows of it: accesses, lanes, expensive instructions, each with the source line that has most
// of it. The causes are told by these figures. Private to this room.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "machine/trace.hpp"
#include "predict/causes.hpp"
#include "predict/what_if.hpp"

namespace warpwright::predict {

/// A source line, and where it weighs how much.
class LineWeights {
public:
    using Place = std::pair<std::uint32_t, std::uint32_t>;  ///< file and line of machine::Code
    void add(Place place, double weight) { weights_[place] += weight, all_ += weight; }
    void add(const LineWeights& more) {
        for (const auto& [place, weight] : more.weights_) add(place, weight);
    }
    double all() const { return all_; }
    /// The line with most of it; {0, 0} where none is known.
    Place heaviest() const;

private:
    std::map<Place, double> weights_;
    double all_ = 0;
};

/// Accesses of one kind, summed over the sample.
struct AccessSum {
    double requests = 0, lanes = 0, passes = 0, needed = 0;  ///< passes: sectors or wavefronts
    LineWeights excess;                                      ///< passes beyond what is needed
    LineWeights places;                                      ///< all passes
    LineWeights stored;                                      ///< of these, those of stores
    double per_request() const { return requests > 0 ? passes / requests : 0; }
    double needed_per_request() const { return requests > 0 ? needed / requests : 0; }
    void add(const AccessSum& more) {
        requests += more.requests, lanes += more.lanes, passes += more.passes, needed += more.needed;
        excess.add(more.excess), places.add(more.places), stored.add(more.stored);
    }
};

struct LaunchSurvey {
    AccessSum loads, stores;                   ///< of global memory, those that are scattered
    double all_sectors = 0, all_requests = 0;  ///< of all plain loads and stores
    double stride = 0;          ///< bytes between neighbouring lanes of scattered requests; 0: not regular
    bool walks = false;         ///< a lane goes on from there to the next bytes: it reads a row of its own
    bool aligned_only = false;  ///< scattered requests have one sector too many: their begin is not aligned
    AccessSum shared, shared_atomics, local, constants, atomics;
    double words_of_atomics = 0;  ///< different sectors that atomics touch
    LineWeights repeated_loads, repeated_stores;
    double loads_of_sector = 1, stores_of_sector = 1;
    /// Requests of one or two bytes, of neighbouring lanes, or of fields that lie side by side and are all accessed.
    LineWeights narrow;
    double narrow_bytes = 0;

    double issues = 0;  ///< issue slots of the sample
    LineWeights doubles, double_conversions, exact_math, divisions, barriers, spills;
    MathLines math_lines;
    double polls = 0;            ///< requests with which a warp asks for a sector again that other blocks write
    double double_math = 0;      ///< issue slots of doubles on lines of functions
    double double_accesses = 0;  ///< of global memory, of this type

    double warps = 0, lanes_issued = 0, lanes_possible = 0;
    LineWeights lost_lanes;  ///< issue slots times idle lanes, by the branch that split them
    bool in_loops = false;   ///< lanes leave a loop one after the other
    bool mostly_idle = false;
    /// Of a block: what its longest warp does between two barriers over what each would do if that were shared among
    /// the block's warps, on average; and if it were shared among all of their lanes.
    double longest_warp = 1, longest_lane = 1;
    LineWeights alone;  ///< issue slots of what one warp of a block mostly does alone
    LineWeights turns;  ///< issue slots by the line that ends each block of code, as loops do
};

/// `source`: as of causes_of(); empty: no line is known.
LaunchSurvey survey(const machine::LaunchTrace& trace, const SourceLine& source);

/// A line as a reader knows it: inside a header of ours, where the program called it.
LineWeights::Place place_of(const machine::Op& op, const machine::Code& code);

}  // namespace warpwright::predict
