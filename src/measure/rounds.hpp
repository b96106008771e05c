// The order of samples when several works are timed against each other: in rounds over all of them, each round in
// another order, so that a device whose clocks drift affects all alike. Pure: depends on no device and no clock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace warpwright::measure {

struct RoundOptions {
    std::uint32_t min_samples = 10, max_samples = 400;  ///< of each
    double min_seconds = 0.1;                           ///< measure each at least this long
    double max_seconds = 3;            ///< this is long enough for one with 3 samples (1 if a single one takes longer)
    double total_seconds = 3;          ///< and this for all together; each of many has at least ...
    double share_seconds = 0.5;        ///< ... this on average
    double noise = 0.005;              ///< a spread below this is enough
    double visit_seconds = 4e-3;       ///< a visit takes samples for this long, at least one
    std::uint32_t visit_samples = 20;  ///< and at most this many
    std::uint64_t seed = 1;            ///< of the orders
};

class Rounds {
public:
    struct Visit {
        std::size_t entrant;
        std::uint32_t samples;
        bool ahead;  ///< run one unmeasured before: a short sample would otherwise follow idle time of the device
    };

    /// `sample_seconds`: the approximate time of a sample of each.
    Rounds(std::vector<double> sample_seconds, const RoundOptions& options);

    /// The next round, in order; empty when all have enough or the time is over. All continue until the last has
    /// enough, but slow ones only as often as they need to: spread over the rounds that the others take.
    std::vector<Visit> next();
    /// Adds the times of a visit's samples, in seconds.
    void add(std::size_t entrant, std::span<const double> seconds);
    /// Removes it from the rounds.
    void drop(std::size_t entrant) { entrants_[entrant].out = true; }

    const std::vector<double>& samples(std::size_t entrant) const { return entrants_[entrant].samples; }
    /// It has enough samples for a figure, however noisy: 3, or 1 that is long.
    bool usable(std::size_t entrant) const;
    /// The progress, 0 to 1; a guess while noise decides.
    double progress() const;

private:
    struct Entrant {
        double sample = 0;          ///< seconds, about
        std::uint32_t a_visit = 1;  ///< samples
        std::uint64_t every = 1;    ///< round
        std::uint64_t phase = 0;
        std::vector<double> samples;
        double spent = 0;
        bool out = false;
    };
    bool satisfied(const Entrant& e) const;
    bool full(const Entrant& e) const;
    std::uint64_t random();

    RoundOptions options_;
    std::vector<Entrant> entrants_;
    std::uint64_t round_ = 0, wanted_rounds_ = 1, state_;
    double spent_ = 0, budget_ = 0;
};

}  // namespace warpwright::measure
