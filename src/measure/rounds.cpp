// Plans the rounds: long works are not in each, the order is shuffled by a fixed seed, and a work leaves when its
// samples agree. With a fixed seed the plan can be tested without a device.
#include "measure/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "measure/statistics.hpp"

namespace warpwright::measure {
namespace {

constexpr std::uint32_t kFewest = 3;
constexpr double kLongSample = 20e-3;  ///< compared with this, the device's waiting before a sample is negligible

}  // namespace

Rounds::Rounds(std::vector<double> sample_seconds, const RoundOptions& options)
    : options_(options), state_(options.seed) {
    std::vector<std::uint64_t> visits;
    for (double s : sample_seconds) {
        Entrant e;
        e.sample = std::max(s, 1e-9);
        e.a_visit = static_cast<std::uint32_t>(std::clamp(std::floor(options_.visit_seconds / e.sample), 1.0,
                                                          static_cast<double>(std::max(1u, options_.visit_samples))));
        const double most = e.sample >= options_.max_seconds
                                ? 1
                                : std::max<double>(kFewest, std::ceil(options_.max_seconds / e.sample));
        const double least = std::max<double>(options_.min_samples, std::ceil(options_.min_seconds / e.sample));
        const double samples = std::min({least, most, static_cast<double>(options_.max_samples)});
        visits.push_back(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(samples / e.a_visit))));
        wanted_rounds_ = std::max(wanted_rounds_, visits.back());
        entrants_.push_back(std::move(e));
    }
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
        entrants_[i].every = wanted_rounds_ / visits[i];
        entrants_[i].phase = i % entrants_[i].every;  // so that slow ones do not all have the same round
    }
    budget_ = std::max(options_.total_seconds, options_.share_seconds * static_cast<double>(entrants_.size()));
}

bool Rounds::full(const Entrant& e) const {
    if (e.samples.size() >= options_.max_samples) return true;
    if (e.spent < options_.max_seconds) return false;
    return e.samples.size() >= kFewest || *std::max_element(e.samples.begin(), e.samples.end()) >= options_.max_seconds;
}

bool Rounds::satisfied(const Entrant& e) const {
    if (full(e)) return true;
    return e.samples.size() >= options_.min_samples && e.spent >= options_.min_seconds &&
           summarise(e.samples).spread <= options_.noise;
}

bool Rounds::usable(std::size_t entrant) const {
    const Entrant& e = entrants_[entrant];
    return e.samples.size() >= kFewest || (!e.samples.empty() && full(e));
}

/// splitmix64 (S. Vigna): small, and the same everywhere.
std::uint64_t Rounds::random() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

std::vector<Rounds::Visit> Rounds::next() {
    const bool over = spent_ >= budget_;
    const auto done = [&](std::size_t i) {
        const Entrant& e = entrants_[i];
        return e.out || (over ? usable(i) : satisfied(e));
    };
    bool all = true;
    for (std::size_t i = 0; i < entrants_.size(); ++i) all = all && done(i);
    if (all) return {};
    std::vector<Visit> round;
    while (round.empty()) {  // a round may have no rung whose turn it is
        for (std::size_t i = 0; i < entrants_.size(); ++i) {
            const Entrant& e = entrants_[i];
            if (e.out || full(e) || (over && usable(i)) || round_ % e.every != e.phase) continue;
            round.push_back({i, e.a_visit, e.sample < kLongSample});
        }
        ++round_;
    }
    for (std::size_t i = round.size(); i > 1; --i) std::swap(round[i - 1], round[random() % i]);
    return round;
}

void Rounds::add(std::size_t entrant, std::span<const double> seconds) {
    Entrant& e = entrants_[entrant];
    for (double s : seconds) {
        e.samples.push_back(s);
        e.spent += s;
        spent_ += s;
    }
}

double Rounds::progress() const {
    double least = 1;
    for (const Entrant& e : entrants_)
        if (!e.out && !satisfied(e))
            least = std::min(least, e.spent / std::max(options_.min_seconds, e.sample * options_.min_samples));
    return std::clamp(std::max(least, spent_ / budget_), 0.0, 1.0);
}

}  // namespace warpwright::measure
