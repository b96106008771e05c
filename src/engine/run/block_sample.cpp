// Units are drawn by steps of the golden section, of which every prefix is spread evenly, and the interval is that of
// Student's distribution. Rounds go on until the counts on which reports rest are accurate enough, or until all blocks
// may as well run.
#include "engine/run/block_sample.hpp"

#include <algorithm>
#include <cmath>

namespace warpwright::engine {
namespace {

constexpr std::uint64_t kFirstMiddle = 256,
                        kFirstBorder = 32;  ///< units of a stratum in the first round: enough to find what one unit in
                                            ///< ten does
constexpr std::uint64_t kWorthIt = 4;       ///< a sample is less than this fraction of the blocks, or all run

/// 95 % of Student's distribution lie within this many standard errors (within 1 % of the table from 3 degrees on).
double student(double degrees) { return 1.96 + 2.4 / degrees + 3.5 / (degrees * degrees); }

std::string grouped(std::uint64_t n) {
    std::string s = std::to_string(n);
    for (int at = static_cast<int>(s.size()) - 3; at > 0; at -= 3) s.insert(static_cast<std::size_t>(at), ",");
    return s;
}

}  // namespace

BlockSample::BlockSample(const std::uint32_t (&grid)[3], double error)
    : grid_{grid[0], grid[1], grid[2]}, error_(error) {
    struct Part {
        std::uint32_t from, size;
        bool border;
    };
    std::vector<Part> parts[3];
    for (int d = 0; d < 3; ++d) {
        const auto n = grid[d];
        if (n == 1)
            parts[d] = {{0, 1, false}};
        else {
            parts[d] = {{0, 1, true}};
            if (n > 2) parts[d].push_back({1, n - 2, false});
            parts[d].push_back({n - 1, 1, true});
        }
    }
    for (const auto& z : parts[2])
        for (const auto& y : parts[1])
            for (const auto& x : parts[0]) {
                Stratum s;
                s.from[0] = x.from, s.from[1] = y.from, s.from[2] = z.from;
                s.size[0] = x.size, s.size[1] = y.size, s.size[2] = z.size;
                s.borders = x.border + y.border + z.border;
                units_ += s.units();
                strata_.push_back(s);
            }
}

/// Numbers of a stratum in an order of which every prefix is spread evenly and has no period: steps of the golden
/// section around a circle. Rounding may repeat a number; it is then skipped.
bool BlockSample::draw(Stratum& s, Unit& out) {
    const auto n = s.units();
    if (s.taken.size() >= n) return false;
    std::uint64_t k = 0;
    const auto most_tries = 64 + 4 * n;
    for (std::uint64_t tries = 0; tries < most_tries; ++tries) {
        const std::uint64_t angle = (s.step++) * 0x9E3779B97F4A7C15ull + 0x5851F42D4C957F2Dull;
        k = static_cast<std::uint64_t>((static_cast<unsigned __int128>(angle) * n) >> 64);
        if (s.taken.insert(k).second) {
            const std::uint64_t x = s.from[0] + k % s.size[0], y = s.from[1] + k / s.size[0] % s.size[1],
                                z = s.from[2] + k / s.size[0] / s.size[1];
            out.index = (z * grid_[1] + y) * grid_[0] + x;
            out.stratum = static_cast<std::size_t>(&s - strata_.data());
            return true;
        }
    }
    return false;
}

double BlockSample::variance(const Stratum& s, unsigned count) const {
    const double n = static_cast<double>(s.drawn), all = static_cast<double>(s.units());
    if (s.drawn >= s.units() || s.drawn < 2) return 0;
    const double mean = s.sum[count] / n, spread = std::max(0.0, (s.squares[count] - n * mean * mean) / (n - 1));
    return all * all * (1 - n / all) * spread / n;
}

double BlockSample::scale(std::size_t stratum) const {
    const auto& s = strata_[stratum];
    return s.drawn ? static_cast<double>(s.units()) / static_cast<double>(s.drawn) : 0;
}

double BlockSample::worst() const {
    double worst = 0;
    for (auto c : record::kMainCounts) {
        const auto i = static_cast<unsigned>(c);
        double total = 0, var = 0, degrees = 1e9;
        for (std::size_t k = 0; k < strata_.size(); ++k) {
            const auto& s = strata_[k];
            total += s.sum[i] * scale(k);
            var += variance(s, i);
            if (s.drawn > 1 && s.drawn < s.units()) degrees = std::min(degrees, static_cast<double>(s.drawn - 1));
        }
        if (total > 0) worst = std::max(worst, student(degrees) * std::sqrt(var) / total);
    }
    return worst;
}

std::vector<BlockSample::Unit> BlockSample::next() {
    std::vector<Unit> out;
    const auto take = [&](Stratum& s, std::uint64_t n) {
        Unit u;
        for (std::uint64_t k = 0; k < n && draw(s, u); ++k) out.push_back(u);
    };
    if (!started_) {
        started_ = true;
        std::uint64_t first = 0;
        for (const auto& s : strata_) first += std::min(s.units(), s.borders ? kFirstBorder : kFirstMiddle);
        hopeless_ = first * kWorthIt > units_;
        if (hopeless_) return {};
        for (auto& s : strata_) take(s, s.borders ? kFirstBorder : kFirstMiddle);
    } else if (worst() > error_) {
        // Draws as many units again from the stratum in which the least certain count varies most.
        double most = 0;
        std::vector<double> share(strata_.size(), 0);
        for (auto c : record::kMainCounts) {
            double total = 0;
            for (std::size_t k = 0; k < strata_.size(); ++k)
                total += strata_[k].sum[static_cast<unsigned>(c)] * scale(k);
            for (std::size_t k = 0; k < strata_.size() && total > 0; ++k)
                share[k] = std::max(share[k], variance(strata_[k], static_cast<unsigned>(c)) / (total * total));
        }
        for (double s : share) most = std::max(most, s);
        for (std::size_t k = 0; k < strata_.size(); ++k)
            if (share[k] > most / 16) take(strata_[k], strata_[k].drawn);
        hopeless_ = (drawn_ + out.size()) * kWorthIt > units_;
        if (hopeless_) return {};
    }
    drawn_ += out.size();
    return out;
}

void BlockSample::add(const Unit& unit, const record::Counts& counts) {
    auto& s = strata_[unit.stratum];
    ++s.drawn;
    for (unsigned i = 0; i < record::kCounts; ++i) {
        const auto v = static_cast<double>(counts.values[i]);
        s.sum[i] += v;
        s.squares[i] += v * v;
    }
}

record::Sample BlockSample::describe(std::uint64_t blocks) const {
    record::Sample out;
    std::uint64_t all[4] = {}, run[4] = {};
    for (const auto& s : strata_) all[s.borders] += s.units(), run[s.borders] += s.drawn;
    unsigned dimensions = 0;
    for (auto n : grid_) dimensions += n > 1;
    static constexpr const char* line[] = {"between", "at the ends"};
    static constexpr const char* plane[] = {"inside", "at the edges", "at the corners"};
    static constexpr const char* box[] = {"inside", "on the faces", "at the edges", "at the corners"};
    for (int b = 3; b >= 0; --b) {
        if (!all[b]) continue;
        const char* where = dimensions <= 1 ? line[std::min(b, 1)] : dimensions == 2 ? plane[std::min(b, 2)] : box[b];
        out.which += (out.which.empty() ? "" : ", ") + grouped(run[b] * blocks) + " of " + grouped(all[b] * blocks) +
                     " " + where;
        out.blocks += all[b] * blocks, out.run += run[b] * blocks;
    }
    for (unsigned i = 0; i < record::kCounts; ++i) {
        double var = 0, degrees = 1e9;
        for (const auto& s : strata_) {
            const double v = variance(s, i);
            var += v;
            if (v > 0) degrees = std::min(degrees, static_cast<double>(s.drawn - 1));
        }
        out.half_width[i] = var > 0 ? student(degrees) * std::sqrt(var) : 0;
    }
    return out;
}

}  // namespace warpwright::engine
