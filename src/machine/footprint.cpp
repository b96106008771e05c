// What the sample touches is scaled to the grid by its share of the work, and is at most the whole of the allocation.
// Where that size says little (arrays in a pool, tensors in the host's heap), blocks that touch the same tell how much
// there is: as whoever counts animals by catching them twice.
#include "machine/footprint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpwright::machine {

namespace {

/// What the blocks of a sample touch of one area, each unit once.
struct Units {
    std::vector<std::uint32_t> of_one, all;
    double sum = 0, blocks = 0, touches = 0, places = 0;
    std::size_t kept = 0;     ///< so many of `all` are there once each
    std::uint64_t moves = 0;  ///< touches of a block that are not of the unit just touched
    std::uint64_t last_unit = kNone;
    /// Units that of_one has: most touches are of such, and need not be sorted.
    std::vector<std::uint64_t> had;
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    static constexpr unsigned kHadBits = 10;

    std::vector<std::uint64_t> present;  ///< scratch of keep_once()

    /// Sorts them and leaves each once. Most lie near each other: a bit for each place between them says which are
    /// there.
    void keep_once(std::vector<std::uint32_t>& v) {
        constexpr std::uint64_t kNear = 1024;  // a look at the bits is quicker than sorting
        constexpr std::uint64_t kMostBits = std::uint64_t{1} << 26;
        const auto [least, most] = std::minmax_element(v.begin(), v.end());
        const std::uint32_t from = v.empty() ? 0 : *least;
        const std::uint64_t range = v.empty() ? 0 : std::uint64_t{*most} - from + 1;
        if (range > std::min<std::uint64_t>(kNear * v.size(), std::max<std::uint64_t>(kMostBits, 32 * v.size()))) {
            std::sort(v.begin(), v.end());
            v.erase(std::unique(v.begin(), v.end()), v.end());
            return;
        }
        present.assign((range + 63) / 64, 0);
        for (const std::uint32_t u : v) present[(u - from) / 64] |= std::uint64_t{1} << (u - from) % 64;
        std::size_t n = 0;
        for (std::size_t k = 0; k < present.size(); ++k)
            for (std::uint64_t rest = present[k]; rest; rest &= rest - 1)
                v[n++] = from + static_cast<std::uint32_t>(64 * k + static_cast<unsigned>(__builtin_ctzll(rest)));
        v.resize(n);
    }
    void add(std::uint32_t unit) {
        if (unit == last_unit) return;
        last_unit = unit;
        ++moves;
        if (had.empty()) had.assign(std::size_t{1} << kHadBits, kNone);
        constexpr std::uint32_t kSpread = 0x9e3779b1u;  // units side by side, and those of a column, go to all places
        if (auto& at = had[unit * kSpread >> (32 - kHadBits)]; at != unit) at = unit, of_one.push_back(unit);
    }
    void end_block(unsigned of_place) {
        if (of_one.empty()) return;
        touches += static_cast<double>(moves);
        moves = 0, last_unit = kNone;
        had.clear();
        keep_once(of_one);
        std::uint32_t last = ~0u;
        for (const auto u : of_one)
            if (u / of_place != last) last = u / of_place, ++places;
        sum += static_cast<double>(of_one.size()), ++blocks;
        all.insert(all.end(), of_one.begin(), of_one.end());
        of_one.clear();
    }
    bool is_new() const { return of_one.empty() && all.empty(); }
    double distinct() {
        if (kept != all.size()) keep_once(all), kept = all.size();
        return static_cast<double>(all.size());
    }
};

/// Sectors of DRAM that lie side by side; units of one and touches of a unit, from which on nothing is scattered.
constexpr unsigned kPlace = 64, kLine = 4;
constexpr double kTogether = 1.5;
constexpr double kSector = 32;

/// What is done with an area. Most are read alone, or written alone: then what is touched is what is read, or written.
class Uses {
public:
    void add(std::uint32_t unit, Touch how) {
        if (!apart_ && how != all_) part(how);
        any.add(unit);
        if (!apart_) return;
        if (how != Touch::writes) read_.add(unit);
        if (how != Touch::reads) written_.add(unit);
    }
    void end_block(unsigned of_place) {
        any.end_block(of_place);
        if (apart_) read_.end_block(of_place), written_.end_block(of_place);
    }
    Units& read() { return apart_ || all_ == Touch::writes ? read_ : any; }
    Units& written() { return apart_ || all_ == Touch::reads ? written_ : any; }

    Units any;
    double stored = 0;

private:
    /// Something else is done than with all before.
    void part(Touch how) {
        if (any.is_new()) {
            all_ = how;
            return;
        }
        if (all_ != Touch::writes) read_ = any;
        if (all_ != Touch::reads) written_ = any;
        apart_ = true;
    }

    Touch all_ = Touch::reads;
    bool apart_ = false;
    Units read_, written_;
};

/// Bytes of a lane that each access of a block of code stores, in the order of the program; 0: it is no store.
std::vector<std::vector<unsigned>> bytes_stored(const Code& code) {
    std::vector<std::vector<unsigned>> out(code.blocks.size());
    for (std::size_t b = 0; b < code.blocks.size(); ++b)
        for (const auto& op : code.blocks[b].ops) {
            if (op.access < 0 || op.effect != Effect::store) continue;
            out[b].resize(std::max(out[b].size(), static_cast<std::size_t>(op.access) + 1));
            out[b][static_cast<std::size_t>(op.access)] = op.bytes;
        }
    return out;
}

/// Bytes of each sector that an event writes.
double stored_by(const Event& e, std::size_t access, const std::vector<unsigned>& bytes) {
    if (e.count == 0) return 0;
    if (!(e.what & Event::kStore) || (e.what & (Event::kAtomic | Event::kAsync))) return kSector;
    const double of_lane = access < bytes.size() ? bytes[access] : 0;
    return std::min(kSector, e.lanes * of_lane / e.count);
}

/// Units from the first one that is touched to the last.
double span(const Units& units) {
    return units.all.empty() ? 0 : static_cast<double>(units.all.back() - units.all.front()) + 1;
}

/// How many units all blocks touch, if those of the sample touch `units`; at most `most`.
double whole(Units& units, double share, double most, bool loose) {
    const double distinct = units.distinct();
    if (distinct == 0) return 0;
    double all = std::min(std::max(1.0, distinct / share), most);
    if (!loose || units.blocks < 2) return all;
    const double each = units.sum / units.blocks, set = drawn_from(each, units.blocks, distinct);
    if (!std::isfinite(set)) return all;
    // Blocks that touch the same at a regular distance may have left some of it out: it reaches as far as they do.
    return std::min(all, std::max(span(units), drawn(set, each, units.blocks / share)));
}

/// Whether the touches look drawn: of a permutation, which touches each unit once, no two of them meet.
bool at_random(const Units& units, double of) {
    const double n = units.touches, met = n - static_cast<double>(units.all.size()), expected = n * n / 2 / of;
    return expected < 4 || met > expected / 4;
}

}  // namespace

double drawn_from(double each, double blocks, double distinct) {
    if (distinct >= 0.98 * each * blocks) return std::numeric_limits<double>::infinity();
    double low = std::max(each, distinct), high = 1e12;
    for (int k = 0; k < 100; ++k) {
        const double middle = std::sqrt(low * high);
        (drawn(middle, each, blocks) < distinct ? low : high) = middle;
    }
    return high;
}

double drawn(double set, double each, double blocks) {
    return set * -std::expm1(blocks * std::log1p(-std::min(1 - 1e-12, each / set)));
}

std::vector<Footprint> footprints(const LaunchTrace& trace, double share, unsigned unit) {
    std::vector<Uses> uses(std::max<std::size_t>(1, trace.areas.size()));
    const auto bytes = trace.code ? bytes_stored(*trace.code) : std::vector<std::vector<unsigned>>{};
    // The area of the last sector, and where the next one begins.
    std::size_t area = 0;
    std::uint64_t from = 1, to = 0;
    const auto area_of = [&](std::uint64_t s) {
        if (s >= from && s < to) return area;
        area = trace.area_of(s);
        from = area > 0 ? trace.areas[area].first : 0;
        to = area + 1 < trace.areas.size() ? trace.areas[area + 1].first : std::numeric_limits<std::uint64_t>::max();
        return area;
    };
    for (const auto& block : trace.sample) {
        for (const auto& warp : block.warps) {
            std::size_t code = bytes.size(), access = 0;
            for (const auto& e : warp.events) {
                if (!(e.what & Event::kAccess)) {
                    code = e.what, access = 0;
                    continue;
                }
                const std::size_t number = access++;
                if (e.count == 0 && !(e.what & Event::kAsync)) continue;
                const double stored = code < bytes.size() ? stored_by(e, number, bytes[code]) : kSector;
                each_global_touch(block, e, [&](std::uint32_t s, Touch how) {
                    auto& of = uses[area_of(s)];
                    of.add(s / unit, how);
                    if (how != Touch::reads) of.stored += stored;
                });
            }
        }
        const unsigned place = std::max(1u, kPlace / unit);
        for (auto& u : uses) u.end_block(place);
    }
    std::vector<Footprint> out(uses.size());
    for (std::size_t a = 0; a < uses.size(); ++a) {
        auto& u = uses[a];
        const bool known = a < trace.areas.size();
        const double most = known ? std::ceil(static_cast<double>(trace.areas[a].sectors) / unit)
                                  : std::numeric_limits<double>::infinity();
        const bool loose = !known || trace.areas[a].loose;
        Footprint& f = out[a];
        f.sampled = u.any.distinct();
        f.of_all = f.sampled > 0 ? std::max(1.0, f.sampled / share) : 0;
        f.scattered = f.sampled > 0 && u.any.sum < kTogether * u.any.places && u.any.touches < kTogether * u.any.sum;
        // What is touched here and there is all that lies between.
        const double reached = f.scattered ? std::min(most, span(u.any)) : most;
        f.touched = whole(u.any, share, reached, loose);
        // (Of few draws no two meet.)
        if (f.scattered && f.of_all > 0.1 * reached && u.written().all.empty() && at_random(u.any, reached))
            f.touched = std::min(f.touched, drawn(reached, 1, f.of_all));
        f.lines = f.scattered ? std::min(f.touched, std::ceil(reached * unit / kLine)) : f.touched * unit / kLine;
        f.read = std::min(f.touched, whole(u.read(), share, reached, loose));
        f.written = std::min(f.touched, whole(u.written(), share, reached, loose));
        f.stored = u.stored / share;
    }
    return out;
}

double counted_in(const LaunchTrace& trace) {
    double n = 0;
    for (const auto& block : trace.sample)
        for (const auto& warp : block.warps)
            for (const auto& e : warp.events)
                if (!(e.what & Event::kAccess)) n += trace.code->blocks[e.what].counted;
    return n;
}

double local_footprint(const LaunchTrace& trace) {
    double sum = 0;
    for (const auto& block : trace.sample) {
        Units units;
        for (const auto& warp : block.warps)
            for (const auto& e : warp.events)
                if ((e.what & (Event::kAccess | Event::kLocal)) == (Event::kAccess | Event::kLocal))
                    for (unsigned k = 0; k < e.count; ++k) units.of_one.push_back(block.sectors[e.first + k]);
        units.end_block(kPlace);
        sum += units.sum;
    }
    return trace.sample.empty() ? 0 : sum / static_cast<double>(trace.sample.size());
}

}  // namespace warpwright::machine
