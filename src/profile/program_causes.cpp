// The program's time is that from its first activity on the device to its last. What copies could save is what need not
// be copied again, or could run beside kernels; all of it where the program is little but copies.
#include "profile/program_causes.hpp"

#include <algorithm>

namespace warpwright::profile {

void BusyTimes::add(double begin, double end) {
    if (!(end > begin)) return;
    while (!intervals_.empty() && intervals_.back().second >= begin) {
        begin = std::min(begin, intervals_.back().first), end = std::max(end, intervals_.back().second);
        intervals_.pop_back();
    }
    intervals_.emplace_back(begin, end);
}

double BusyTimes::sum() const {
    double out = 0;
    for (const auto& [begin, end] : intervals_) out += end - begin;
    return out;
}

double sum_without(const BusyTimes& a, const BusyTimes& b) {
    double out = a.sum();
    std::size_t k = 0;
    const auto& other = b.intervals();
    for (const auto& [begin, end] : a.intervals()) {
        while (k < other.size() && other[k].second <= begin) ++k;
        for (std::size_t j = k; j < other.size() && other[j].first < end; ++j)
            out -= std::min(end, other[j].second) - std::max(begin, other[j].first);
    }
    return out;
}

namespace {

using record::Bottleneck;

/// A program that copies for so much of its time is little else.
constexpr double kMostlyCopies = 0.5;
constexpr double kSmallChange = 1.15;
/// A wait for each so many launches is one for each piece of work.
constexpr double kLaunchesPerWait = 4;

class Deciding {
public:
    Deciding(const ProgramTimes& t, double whole) : t_(t), whole_(whole) {}

    std::vector<Bottleneck> decide() {
        copies();
        gaps();
        // Of two that save about as much the smaller change comes first: where memory is allocated.
        const auto rank = [](const Bottleneck& b) {
            return b.cause == "pageable_copies" ? b.share * kSmallChange : b.share;
        };
        std::stable_sort(out_.begin(), out_.end(), [&](const auto& a, const auto& b) { return rank(a) > rank(b); });
        return std::move(out_);
    }

private:
    Bottleneck* tell(const char* cause, double seconds, std::map<std::string, double> evidence) {
        if (seconds < record::kLeastShare * whole_) return nullptr;
        Bottleneck& b = out_.emplace_back();
        b.cause = cause, b.share = std::min(1.0, seconds / whole_);
        b.evidence = std::move(evidence);
        return &b;
    }

    void copies() {
        const double alone = sum_without(t_.links, t_.kernels);
        const double slower = t_.pageable_seconds - t_.pinned_seconds;
        const bool pageable =
            tell("pageable_copies", std::min(slower, alone),
                 {{"copied", t_.pageable},
                  {"rate_percent", t_.pageable_seconds > 0 ? 100 * t_.pinned_seconds / t_.pageable_seconds : 0}});
        // Copies can run beside kernels for as long as these do.
        const double beside = std::min(alone, sum_without(t_.kernels, t_.links));
        double saved = std::min(alone, std::max(t_.repeated_seconds, beside));
        if (!pageable && alone > kMostlyCopies * whole_) saved = alone;
        tell("transfers", saved, {{"copied", t_.copied}, {"percent", 100 * alone / whole_}});
    }

    void gaps() {
        const double idle = whole_ - t_.all.sum();
        const bool waits =
            kLaunchesPerWait * static_cast<double>(t_.waits) >= static_cast<double>(t_.launches) && t_.waits > 1;
        if (waits)
            tell("host_waits", idle, {{"percent", 100 * idle / whole_}, {"waits", static_cast<double>(t_.waits)}});
        const double overhead = t_.starts + (waits ? 0 : idle);
        // A few launches of which each is long are not held back by their number.
        if (t_.launches < 2 || overhead < kMostlyCopies * (t_.kernel_seconds + idle)) return;
        const auto launches = static_cast<double>(t_.launches);
        if (Bottleneck* b = tell("launch_overhead", overhead,
                                 {{"launches", launches},
                                  {"microseconds", 1e6 * t_.kernel_seconds / launches},
                                  {"percent", 100 * overhead / whole_}}))
            b->way = "program";
    }

    const ProgramTimes& t_;
    double whole_;
    std::vector<Bottleneck> out_;
};

}  // namespace

std::vector<Bottleneck> program_causes(const ProgramTimes& t) {
    const auto& all = t.all.intervals();
    if (all.empty()) return {};
    const double whole = all.back().second - all.front().first;
    return whole > 0 ? Deciding(t, whole).decide() : std::vector<Bottleneck>{};
}

}  // namespace warpwright::profile
