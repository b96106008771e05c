// A part of a grid's blocks that stands for all of them. Blocks at the grid's borders and those within it often do
// different work, so they are drawn apart: a stratum for each combination of first, middle and last along x, y and z.
// Within a stratum blocks are drawn evenly, and the spread between them gives the interval of what is scaled up.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "record/counts.hpp"
#include "record/sample.hpp"

namespace warpwright::engine {

/// A box of units (blocks, or clusters) that are drawn from together.
struct Stratum {
    std::uint32_t from[3] = {0, 0, 0}, size[3] = {1, 1, 1};
    unsigned borders = 0;     ///< along how many of the grid's dimensions it is at an end
    std::uint64_t drawn = 0;  ///< how many have been
    std::array<double, record::kCounts> sum{}, squares{};
    std::unordered_set<std::uint64_t> taken{};  ///< numbers of units within it
    std::uint64_t step = 0;                     ///< of the sequence that they are drawn in

    std::uint64_t units() const { return std::uint64_t{size[0]} * size[1] * size[2]; }
};

class BlockSample {
public:
    /// `grid`: units along each dimension. `error`: relative half width that is aimed at.
    BlockSample(const std::uint32_t (&grid)[3], double error);

    struct Unit {
        std::uint64_t index = 0;  ///< in the order that blocks are handed out
        std::size_t stratum = 0;
    };
    /// Units to run next; empty when the interval is as narrow as it should be, or nothing more is worth drawing.
    std::vector<Unit> next();
    /// What one of them counted.
    void add(const Unit& unit, const record::Counts& counts);
    /// Whether so many would be needed that all may run as well. Then there is no estimate.
    bool hopeless() const { return hopeless_; }
    /// Whether that was clear before any ran.
    bool small() const { return hopeless_ && drawn_ == 0; }

    const std::vector<Stratum>& strata() const { return strata_; }
    /// Whole grid over what was drawn.
    double scale(std::size_t stratum) const;
    /// Half widths and words; `blocks`: of a unit.
    record::Sample describe(std::uint64_t blocks) const;
    /// The largest relative half width of the counts that reports rest on.
    double worst() const;

private:
    double variance(const Stratum& s, unsigned count) const;
    bool draw(Stratum& s, Unit& out);

    std::uint32_t grid_[3];
    double error_;
    std::vector<Stratum> strata_;
    std::uint64_t units_ = 0, drawn_ = 0;
    bool started_ = false, hopeless_ = false;
};

}  // namespace warpwright::engine
