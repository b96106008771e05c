// Blocks of a multiprocessor go on at the same speed, so that each ends when the work that one of them does has grown
// by its own: only ends and beginnings are events.
#include "timing/unequal_blocks.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace warpwright::timing {

namespace {

/// One multiprocessor: what a block that was there from the begin would have done, and when its blocks end.
class Sharing {
public:
    explicit Sharing(const Places& places) : places_(places) {}

    bool full() const { return ends_.size() >= places_.resident; }
    bool empty() const { return ends_.empty(); }
    void begin(double now, double work) {
        go_on(now);
        ends_.push(done_ + work);
    }
    /// When the next block ends if no other comes.
    double next_end() const { return now_ + (ends_.top() - done_) * cycles_per_unit(); }
    void end(double now) {
        go_on(now);
        done_ = ends_.top();
        ends_.pop();
    }

private:
    double cycles_per_unit() const {
        const double part = static_cast<double>(ends_.size()) / places_.resident;
        return std::max(places_.alone, places_.crowded * part);
    }
    void go_on(double now) {
        if (!ends_.empty()) done_ += (now - now_) / cycles_per_unit();
        now_ = now;
    }

    Places places_;
    double now_ = 0, done_ = 0;
    std::priority_queue<double, std::vector<double>, std::greater<>> ends_;
};

}  // namespace

double cycles_of_blocks(const std::vector<double>& work, const Places& places) {
    std::vector<Sharing> all(std::max(1u, places.multiprocessors), Sharing(places));
    std::size_t next = 0;
    for (unsigned round = 0; round < places.resident; ++round)
        for (auto& one : all)
            if (next < work.size()) one.begin(0, work[next++]);
    using End = std::pair<double, std::size_t>;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends;
    for (std::size_t k = 0; k < all.size(); ++k)
        if (!all[k].empty()) ends.emplace(all[k].next_end(), k);
    double now = 0;
    while (!ends.empty()) {
        const auto [at, k] = ends.top();
        ends.pop();
        now = at;
        all[k].end(now);
        if (next < work.size()) all[k].begin(now, work[next++]);
        if (!all[k].empty()) ends.emplace(all[k].next_end(), k);
    }
    return now;
}

double unequal_over_equal(const std::vector<double>& work, const Places& places) {
    if (work.empty()) return 1;
    const double sum = std::accumulate(work.begin(), work.end(), 0.0);
    const std::vector<double> equal(work.size(), sum / static_cast<double>(work.size()));
    const double cycles = cycles_of_blocks(equal, places);
    return cycles > 0 ? std::max(1.0, cycles_of_blocks(work, places) / cycles) : 1;
}

}  // namespace warpwright::timing
