// The space of a search: every choice of a value for each axis of a rung, for one problem at one size. Points that
// cannot be launched on the device are known beforehand and are no candidates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "ladder/ladder.hpp"

namespace warpwright::tune {

/// A position on each axis.
using Point = std::vector<std::uint32_t>;

/// A point that is no candidate.
struct Refusal {
    std::size_t index = 0;
    std::string why;
};

class Space {
public:
    /// The space of the rung's axes with these values of each; `problem` are the choices of the ladder's own axes.
    /// `limits`: of the device. ErrorKind::usage if there are more than kMostPoints.
    static Result<Space> make(const ladder::Ladder& ladder, const ladder::Rung& rung,
                              const std::vector<std::int64_t>& size, const ladder::Variant& problem,
                              std::vector<ladder::Axis> axes, const device::Limits* limits);
    /// A space of axes alone, with every point a candidate.
    static Space of(std::vector<ladder::Axis> axes);

    static constexpr std::size_t kMostPoints = 20'000;

    const std::vector<ladder::Axis>& axes() const { return axes_; }
    std::size_t size() const { return size_; }
    /// Points that are candidates, in the order of the ladder: the last axis runs fastest.
    const std::vector<std::size_t>& candidates() const { return candidates_; }
    bool is_candidate(std::size_t index) const { return refused_.empty() || !refused_[index]; }
    const std::vector<Refusal>& refusals() const { return refusals_; }

    Point point(std::size_t index) const;
    std::size_t index(const Point& point) const;
    /// The rung's part of the variant.
    ladder::Variant choices(std::size_t index) const;
    /// The index of a variant; absent if an axis has no such value here.
    std::optional<std::size_t> find(const ladder::Variant& variant) const;
    /// The axis' values are numbers: neighbours are alike.
    bool ordered(std::size_t axis) const;
    /// Axes with more than one value.
    std::size_t dimensions() const;

    /// The input of the model of times: the position on each axis (numbers by their logarithm), and properties of the
    /// launch that are known without running it: threads, idle lanes of the last warp, occupancy by threads and dynamic
    /// shared memory, blocks. Each from 0 to 1 over the candidates.
    std::vector<std::vector<double>> features() const;

private:
    void settle(std::vector<std::string> why);

    std::vector<ladder::Axis> axes_;
    std::size_t size_ = 1;
    std::vector<std::size_t> candidates_;
    std::vector<bool> refused_;  ///< by index; empty: none
    std::vector<Refusal> refusals_;
    std::vector<std::vector<double>> facts_;  ///< of the launch by index; empty if they are not known
};

}  // namespace warpwright::tune
