// Which lines of constants a multiprocessor's small caches have. Private to this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

namespace warpwright::timing {

/// A cache of constants; the line that came first goes first.
class ConstantCache {
public:
    explicit ConstantCache(std::size_t lines) : lines_(lines) {}

    bool empty() const { return at_.empty(); }
    /// When a line is there that takes `miss` cycles from `now` on if it was not.
    double there(std::uint64_t line, double now, double miss);
    /// The same, of lines that come `interval` cycles one after the other.
    double fetched(std::uint64_t line, double now, double miss, double interval);

private:
    std::size_t lines_;
    std::unordered_map<std::uint64_t, double> at_;  ///< when a line is there
    std::deque<std::uint64_t> order_;               ///< the oldest first
    double last_ = 0;                               ///< when the last line came
};

}  // namespace warpwright::timing
