// Parts are put together by their distance from the first one: a constant, and a multiple of one pitch. Those at the
// same multiple are a level. Pitches are taken to be no less than what the constants differ by, so that all parts of a
// level lie before those of the next.
#include "engine/codegen/bounds_groups.hpp"

#include <algorithm>

#include "engine/codegen/affine_values.hpp"
#include "engine/codegen/scattered_access.hpp"

namespace warpwright::engine::codegen {

using simt::Product;

namespace {

/// Accesses of one base further apart are checked apart, so that no distance wraps an address of 32 bits.
constexpr std::int64_t kMostDistance = 1 << 20;
/// The same of pitches and of their multiples, for addresses of 64 bits.
constexpr std::int64_t kMostPitch = std::int64_t{1} << 32, kMostTimes = 1 << 12;

std::vector<Part> parts_of(const FunctionState& fn, LinearForms& forms, const Access& a) {
    const auto part = [&](const Run* run) {
        const auto span = run ? a.run_bytes(*run) : a.affine ? scattered_span(fn, a) : a.total();
        return Part{&a, run, lowest_address(fn, forms, a, run), span};
    };
    if (a.runs.empty()) return {part(nullptr)};
    std::vector<Part> all;
    for (const auto* run : a.distinct_runs()) all.push_back(part(run));
    return all;
}

/// Parts at one multiple of the pitch, and their distances from the first of all.
struct Level {
    std::int64_t times = 0;
    Part first, lowest, highest;
    std::int64_t below = 0, above = 0;
    unsigned checks() const { return below == above ? 1 : 2; }
};

struct Family {
    Product pitch;
    std::vector<Level> levels;  ///< [0]: with the first part
    const Part& first() const { return levels[0].first; }
};

/// How far a part lies from the family's first.
struct Distance {
    Product pitch;
    std::int64_t times = 0, constant = 0;
};

/// A site knows its allocation for loads or for stores, and for spans of one length.
std::optional<Distance> distance(const FunctionState& fn, const Family& family, const Part& e) {
    const Access &a = *family.first().access, &b = *e.access;
    if (a.space != b.space || a.store != b.store || a.total() != b.total() || family.first().span != e.span ||
        longest_run(a) != longest_run(b))
        return std::nullopt;
    const auto apart = sum(e.form, family.first().form, -1);
    if (apart.constant % static_cast<std::int64_t>(a.total()) != 0 || apart.constant < -kMostDistance ||
        apart.constant > kMostDistance || apart.times.size() > 1)
        return std::nullopt;
    if (apart.times.empty()) return Distance{{}, 0, apart.constant};
    const auto& [pitch, times] = *apart.times.begin();
    const bool wide = a.space == simt::Space::global || a.space == simt::Space::constant;
    if (!wide || times < -kMostTimes || times > kMostTimes || !known_before(fn, pitch) ||
        (!family.pitch.empty() && family.pitch != pitch))
        return std::nullopt;
    return Distance{pitch, times, apart.constant};
}

void add(Family& family, const Part& e, const Distance& at) {
    if (!at.pitch.empty()) family.pitch = at.pitch;
    const auto level = std::ranges::find(family.levels, at.times, &Level::times);
    if (level == family.levels.end()) {
        family.levels.push_back({at.times, e, e, e, at.constant, at.constant});
        return;
    }
    if (at.constant < level->below) level->lowest = e, level->below = at.constant;
    if (at.constant > level->above) level->highest = e, level->above = at.constant;
}

std::vector<Family> families(FunctionState& fn, const std::vector<Access>& accesses) {
    LinearForms forms(fn, 64);
    std::vector<Family> all;
    for (const auto& a : accesses)
        for (const auto& e : parts_of(fn, forms, a)) {
            std::optional<Distance> at;
            const auto family =
                std::ranges::find_if(all, [&](const Family& f) { return (at = distance(fn, f, e)).has_value(); });
            if (family != all.end())
                add(*family, e, *at);
            else
                all.push_back({{}, {{0, e, e, e, 0, 0}}});
        }
    return all;
}

/// The least x with by * x >= least.
std::int64_t least_times(std::int64_t least, std::int64_t by) { return least <= 0 ? 0 : (least + by - 1) / by; }

BoundsGroup joined(const Family& family) {
    const auto [low, high] = std::ranges::minmax_element(family.levels, {}, &Level::times);
    BoundsGroup out{family.first(), low->lowest, high->highest, family.pitch};
    const auto width = family.first().access->total();
    for (const auto& l : family.levels) {
        if (l.times != low->times)
            out.least = std::max(out.least, least_times(low->below - l.below, l.times - low->times));
        if (l.times != high->times)
            out.least = std::max(out.least, least_times(l.above - high->above, high->times - l.times));
        if (l.times % static_cast<std::int64_t>(width) != 0) out.unit = width;
    }
    return out;
}

}  // namespace

std::vector<BoundsGroup> bounds_groups(FunctionState& fn, const std::vector<Access>& accesses) {
    std::vector<BoundsGroup> out;
    for (const auto& family : families(fn, accesses)) {
        unsigned apart = 0;
        for (const auto& l : family.levels) apart += l.checks();
        // To look at a pitch takes as long as a check.
        if (family.levels.size() > 1 && apart > 2) {
            out.push_back(joined(family));
            continue;
        }
        for (const auto& l : family.levels) out.push_back({l.first, l.lowest, l.highest, {}});
    }
    return out;
}

V pitch_fits(FunctionState& fn, const BoundsGroup& group) {
    if (group.pitch.empty()) return nullptr;
    V pitch = factor(fn, group.pitch, 64);
    V beyond = fn.b.CreateSub(pitch, fn.i64(static_cast<std::uint64_t>(group.least)));
    V fits = fn.b.CreateICmpULE(beyond, fn.i64(static_cast<std::uint64_t>(kMostPitch - group.least)));
    if (group.unit == 1) return fits;
    return fn.b.CreateAnd(fits, fn.b.CreateICmpEQ(fn.b.CreateAnd(pitch, fn.i64(group.unit - 1)), fn.i64(0)));
}

}  // namespace warpwright::engine::codegen
