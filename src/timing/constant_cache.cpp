// The cache holds the time at which each line is there instead of the line's contents, so that an access to a line on
// its way waits for the rest of the way.
#include "timing/constant_cache.hpp"

#include <algorithm>

namespace warpwright::timing {

double ConstantCache::there(std::uint64_t line, double now, double miss) {
    const auto [at, first] = at_.emplace(line, now + miss);
    if (!first) return at->second;
    order_.push_back(line);
    if (order_.size() > lines_) at_.erase(order_.front()), order_.pop_front();
    return now + miss;
}

double ConstantCache::fetched(std::uint64_t line, double now, double miss, double interval) {
    if (const auto at = at_.find(line); at != at_.end()) return at->second;
    last_ = std::max(last_ + interval, now + miss);
    return there(line, now, last_ - now);
}

}  // namespace warpwright::timing
