// The rows of record/causes.inc, and how causes are put in order and joined. It knows no texts: the injection library
// of real GPUs carries it without them.
#include "record/bottleneck.hpp"

#include <algorithm>
#include <iterator>

namespace warpwright::record {

namespace {

constexpr BottleneckInfo kRows[] = {
#define WARPWRIGHT_CAUSE(name, of, meaning, told) {#name, CauseOf::of, meaning, told},
#include "record/causes.inc"
};

}  // namespace

std::span<const BottleneckInfo> causes() { return kRows; }

bool is_cause(std::string_view name) {
    return std::any_of(std::begin(kRows), std::end(kRows), [&](const BottleneckInfo& row) { return row.name == name; });
}

void order(std::vector<Bottleneck>& causes) {
    constexpr double kMuch = 0.2;
    const auto rank = [](const Bottleneck& b) {
        if (b.cause == kNearTheLimit) return -3.0;
        if (b.cause == "launch_overhead" && b.way.empty()) return b.share - 2;
        return b.cause == "slow_math" || b.share < kMuch ? b.share - 1 + kMuch : b.share;
    };
    std::stable_sort(causes.begin(), causes.end(), [&](const auto& x, const auto& y) { return rank(x) > rank(y); });
}

std::vector<Bottleneck> told(const std::vector<Bottleneck>& causes) {
    std::vector<Bottleneck> out;
    // A shape alone has no shares.
    for (const Bottleneck& b : causes)
        if (out.empty() || b.share >= kLeastShare || !(b.share > 0)) out.push_back(b);
    return out;
}

void join(std::vector<Bottleneck>& a, const std::vector<Bottleneck>& b, double of_a, double of_b) {
    const double all = of_a + of_b;
    if (!(all > 0)) return;
    for (Bottleneck& own : a) own.share *= of_a / all;
    for (Bottleneck more : b) {
        more.share *= of_b / all;
        const auto same = std::find_if(a.begin(), a.end(), [&](const auto& own) { return own.cause == more.cause; });
        if (same == a.end()) {
            a.push_back(std::move(more));
            continue;
        }
        const double together = same->share + more.share;
        if (more.share > same->share) *same = std::move(more);
        same->share = together;
    }
    order(a);
    if (!a.empty() && a.front().share >= kLeastShare)
        std::erase_if(a, [](const auto& one) { return one.cause == kNearTheLimit; });
}

}  // namespace warpwright::record
