// The model-guided search: a few points far from each other first, then always the one that the model of the times
// expects to be fastest; if it expects almost no gain, the neighbours of the best, until all of those are known. D.
// Jones, M. Schonlau, W. Welch, "Efficient global optimization of expensive black-box functions", J. Global
// Optimization 13, 1998.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tune/searches.hpp"
#include "tune/surrogate.hpp"

namespace warpwright::tune {

namespace {

constexpr double kWorthWhile = 0.002;  // of the best time: the gain that the next candidate must promise
constexpr double kBad =
    1.0;  // this far above the best (a logarithm: 2.7 times) all count as equally bad: differences near the best matter
constexpr std::size_t kMostRemembered = 250;  // points from which the model is made: its cost grows with their cube
constexpr std::size_t kMostWeighed = 5000;    // untried points that are evaluated for a proposal

class Guided final : public Search {
public:
    Guided(const Space& space, std::size_t at_once)
        : space_(space),
          rows_(space.features()),
          untried_(space.candidates()),
          at_once_(std::max<std::size_t>(1, at_once)) {
        first_ = std::min(untried_.size(), space.dimensions() + 3);
    }

    std::vector<std::size_t> next(std::size_t most) override {
        std::vector<std::size_t> out;
        if (proposed_.size() < first_) {
            while (out.size() < most && proposed_.size() < first_ && !untried_.empty()) out.push_back(take(farthest()));
            return out;
        }
        if (done_.empty()) {  // nothing has run yet, so there is nothing to learn from
            if (!untried_.empty()) out.push_back(take(farthest()));
            return out;
        }
        return promising(std::min(most, at_once_));
    }

    void tell(std::size_t index, std::optional<double> seconds) override {
        if (seconds && *seconds > 0)
            done_.push_back({index, std::log(*seconds)});
        else
            failed_.push_back(index);
    }

    std::string_view ended() const override { return ended_; }

private:
    struct Known {
        std::size_t index;
        double value;  ///< the logarithm of the time
    };

    std::size_t take(std::size_t position) {
        const std::size_t index = untried_[position];
        untried_.erase(untried_.begin() + static_cast<std::ptrdiff_t>(position));
        proposed_.push_back(index);
        return index;
    }

    double distance(std::size_t a, std::size_t b) const {
        double sum = 0;
        for (std::size_t k = 0; k < rows_[a].size(); ++k)
            sum += (rows_[a][k] - rows_[b][k]) * (rows_[a][k] - rows_[b][k]);
        return sum;
    }

    /// The position of the point that is farthest from all proposed ones; first, of the one nearest to the middle.
    std::size_t farthest() const {
        std::size_t best = 0;
        double score = -std::numeric_limits<double>::infinity();
        for (std::size_t p = 0; p < untried_.size(); ++p) {
            double of_this = std::numeric_limits<double>::infinity();
            for (std::size_t other : proposed_) of_this = std::min(of_this, distance(untried_[p], other));
            if (proposed_.empty()) {
                of_this = 0;
                for (double x : rows_[untried_[p]]) of_this -= (x - 0.5) * (x - 0.5);
            }
            if (of_this > score) score = of_this, best = p;
        }
        return best;
    }

    /// The position of the untried point that differs from this one on one axis, for numbers by one value, and that is
    /// expected to be the fastest of those.
    std::optional<std::size_t> neighbour(std::size_t index, const Surrogate& model) const {
        std::optional<std::size_t> out;
        double least = std::numeric_limits<double>::infinity();
        const Point at = space_.point(index);
        for (std::size_t a = 0; a < at.size(); ++a) {
            for (std::uint32_t v = 0; v < space_.axes()[a].values.size(); ++v) {
                if (v == at[a] || (space_.ordered(a) && v + 1 != at[a] && v != at[a] + 1)) continue;
                Point other = at;
                other[a] = v;
                const std::size_t next = space_.index(other);
                const auto position = std::lower_bound(untried_.begin(), untried_.end(), next);
                if (position == untried_.end() || *position != next) continue;
                const double mean = model.guess(rows_[next]).mean;
                if (mean < least) least = mean, out = static_cast<std::size_t>(position - untried_.begin());
            }
        }
        return out;
    }

    std::vector<std::size_t> promising(std::size_t most) {
        // The best and the latest ones, if there are more than the model takes.
        std::vector<Known> known = done_;
        if (known.size() > kMostRemembered) {
            std::stable_sort(known.begin(), known.end() - kMostRemembered / 2,
                             [](const Known& a, const Known& b) { return a.value < b.value; });
            known.erase(known.begin() + kMostRemembered / 2, known.end() - kMostRemembered / 2);
        }
        double best = std::numeric_limits<double>::infinity(), worst = -best;
        std::size_t of_best = 0;
        for (const Known& k : known) {
            if (k.value < best) best = k.value, of_best = k.index;
            worst = std::max(worst, k.value);
        }
        // Failed points count as slow, so that their neighbours are not tried first.
        for (std::size_t i = failed_.size() - std::min(failed_.size(), kMostRemembered / 4); i < failed_.size(); ++i)
            known.push_back({failed_[i], worst});

        std::vector<std::size_t> out;
        while (out.size() < most && !untried_.empty()) {
            std::vector<std::vector<double>> rows;
            std::vector<double> values;
            for (const Known& k : known)
                rows.push_back(rows_[k.index]), values.push_back(std::min(k.value, best + kBad));
            Surrogate model;
            model.fit(std::move(rows), values);
            // All untried points if they are few, else evenly spread ones.
            const std::size_t step = untried_.size() / kMostWeighed + 1;
            std::size_t chosen = 0;
            double promise = -1, mean = 0;
            for (std::size_t p = proposed_.size() % step; p < untried_.size(); p += step) {
                const Surrogate::Guess guess = model.guess(rows_[untried_[p]]);
                const double gain = Surrogate::expected_improvement(guess, best);
                if (gain > promise) promise = gain, chosen = p, mean = guess.mean;
            }
            if (promise < kWorthWhile) {
                // A model with little data is confident too soon: it must be right about the neighbours of the best.
                const auto next = neighbour(of_best, model);
                if (!next) {
                    if (out.empty()) ended_ = "the model expects nothing better of what is left";
                    break;
                }
                chosen = *next;
                mean = model.guess(rows_[untried_[chosen]]).mean;
            }
            out.push_back(take(chosen));
            known.push_back({out.back(), mean});  // as if it had this result, for the next one of the same round
        }
        return out;
    }

    const Space& space_;
    std::vector<std::vector<double>> rows_;
    std::vector<std::size_t> untried_, proposed_, failed_;
    std::vector<Known> done_;
    std::size_t at_once_, first_ = 0;
    std::string_view ended_;
};

}  // namespace

std::unique_ptr<Search> make_guided(const Space& space, std::size_t at_once) {
    return std::make_unique<Guided>(space, at_once);
}

}  // namespace warpwright::tune
