// The tuner: searches the axis values of a ladder's rungs. Each candidate is compiled, run, verified, and then timed,
// or ranked by the device model if the device has no clock. A failure is kept with its reason, and the search
// continues.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/page/apart.hpp"
#include "lab/sweep/sweep.hpp"
#include "tune/search.hpp"
#include "tune/tuned.hpp"

namespace warpwright::tune {

struct Options {
    Method method = Method::exhaustive;
    double budget = 0;  ///< seconds for everything, divided evenly; 0 = no limit
    std::size_t candidates =
        0;  ///< of each rung, problem and size; 0 = all, where neither this nor time limits a search a third
    std::uint64_t seed = 1;
    std::vector<Entry> before;  ///< tuned earlier: tried last if the search has not reached them
    lab::Standing standing;     ///< the results of an earlier process of this search
};

struct Candidate {
    Choices axes;
    std::optional<double> seconds;  ///< measured or predicted; absent if it was refused, did not run or is wrong
    std::string problem;            ///< then: the reason
    std::size_t record = 0;         ///< in Tuning::set
};

/// A completed search: one rung, one problem, one size.
struct Outcome {
    std::string rung;
    lab::Size size;
    Choices problem;
    std::size_t combinations = 0;  ///< of the axes' values
    std::vector<std::pair<Choices, std::string>>
        refused;                         ///< those that cannot be launched here, and why; no candidates
    std::vector<Candidate> tried;        ///< in the order of the search
    std::optional<std::size_t> best;     ///< in `tried`
    std::string ended;                   ///< "every candidate was tried", ...
    std::optional<std::string> earlier;  ///< an earlier best that is outside the searched values
};

struct Tuning {
    record::RecordSet set;  ///< every candidate's record, in the order in which they were tried
    std::vector<Outcome> outcomes;
    bool measured = false;  ///< times are the device's own; else predicted
    bool cancelled = false;
};

/// The searches of a plan: steps of one rung, problem and size each. ErrorKind::usage if none of the rungs has axes, or
/// a space is too large.
Result<Tuning> tune(const lab::Context& context, const ladder::Ladder& ladder, const std::vector<std::string>& rungs,
                    const lab::Axes& axes, const std::vector<lab::Size>& sizes, const Options& options);

/// What the times say of a search's best candidate.
struct Told {
    std::vector<std::size_t> close;  ///< in Outcome::tried, the fastest first: the times do not tell them from the best
    std::optional<std::size_t> next;  ///< the fastest of all others
    lab::Apart pair;                  ///< the best and that one; only where both have simulated times, or measured ones
    bool known = false;               ///< `pair` says something
};
Told told_by(const Tuning& tuning, const Outcome& outcome);

/// The best of each search, for the file.
std::vector<Entry> best_entries(const Tuning& tuning, const std::string& ladder, const Options& options);

/// The records as JSON of schema 1, and with them the results of the searches ("tuned").
std::string to_json(const Tuning& tuning, const std::string& ladder, const Options& options);

}  // namespace warpwright::tune
