// A sample of a grid's blocks. Blocks at the grid's borders and those within it often do different work, so they are
// drawn separately: a stratum for each combination of first, middle and last along x, y and z. Within a stratum blocks
// are drawn evenly, and their variation gives the interval of the scaled counts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "record/counts.hpp"
#include "record/sample.hpp"

namespace warpwright::engine {

/// A box of units (blocks, or clusters) from which a sample is drawn.
struct Stratum {
    std::uint32_t from[3] = {0, 0, 0}, size[3] = {1, 1, 1};
    unsigned borders = 0;     ///< the number of the grid's dimensions along which it is at an end
    std::uint64_t drawn = 0;  ///< units drawn so far
    std::array<double, record::kCounts> sum{}, squares{};
    std::unordered_set<std::uint64_t> taken{};  ///< numbers of units within it
    std::uint64_t step = 0;                     ///< of the sequence in which they are drawn

    std::uint64_t units() const { return std::uint64_t{size[0]} * size[1] * size[2]; }
};

class BlockSample {
public:
    /// `grid`: units along each dimension. `error`: the relative half width to reach.
    BlockSample(const std::uint32_t (&grid)[3], double error);

    struct Unit {
        std::uint64_t index = 0;  ///< in the order that blocks are handed out
        std::size_t stratum = 0;
    };
    /// Units to run next; empty when the interval is narrow enough, or more units would not help.
    std::vector<Unit> next();
    /// Adds the counts of one unit.
    void add(const Unit& unit, const record::Counts& counts);
    /// Whether so many units are needed that all may run instead. Then there is no estimate.
    bool hopeless() const { return hopeless_; }
    /// Whether that was known before any ran.
    bool small() const { return hopeless_ && drawn_ == 0; }

    const std::vector<Stratum>& strata() const { return strata_; }
    /// The number of units of the stratum over those drawn.
    double scale(std::size_t stratum) const;
    /// The intervals and their description; `blocks`: blocks per unit.
    record::Sample describe(std::uint64_t blocks) const;
    /// The largest relative half width among the counts on which reports rest.
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
