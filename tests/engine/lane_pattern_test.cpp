// Requests that repeat: moved by vectors as they are lane by lane, at any place, without a byte that no lane has, and
// with the room counters' costs.
#include "engine/runtime/lane_pattern.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "counters/access.hpp"

namespace lane_pattern_test {

using namespace warpwright;
using engine::LanePatterns;
using engine::LaneRange;

constexpr unsigned kLanes = 32;
constexpr std::uint32_t kOne = 0x80000000u;  // the highest lane alone
constexpr std::uint64_t kBytes = 1 << 14;

struct Form {
    const char* name;
    bool near;  ///< also lanes of 16 bytes lie in few vectors
    std::function<std::uint64_t(unsigned lane)> element;
};

const std::vector<Form>& forms() {
    static std::mt19937_64 draw(1);
    static std::vector<std::uint64_t> drawn(kLanes);
    for (auto& x : drawn) x = draw() % 300;
    static const std::vector<Form> all{
        {"one after the other", true, [](unsigned l) { return l; }},
        {"falling", true, [](unsigned l) { return 31 - l; }},
        {"every second", false, [](unsigned l) { return 2 * l; }},
        {"pairs apart", false, [](unsigned l) { return (l & ~1u) * 2 + (l & 1); }},
        {"eights apart", false, [](unsigned l) { return (l & ~7u) * 2 + (l & 7); }},
        {"all one", true, [](unsigned) { return 5; }},
        {"twice each", true, [](unsigned l) { return l / 2; }},
        {"a half far", false, [](unsigned l) { return l < 16 ? l : 200 + l * 7; }},
        {"any", false, [](unsigned l) { return drawn[l]; }},
    };
    return all;
}

struct Width {
    unsigned bytes, count;
};

/// The addresses of a form from `base` on; lanes outside of the mask have nonsense.
std::vector<std::uint64_t> addresses(const Form& form, std::uint64_t base, unsigned total, std::uint32_t mask) {
    std::vector<std::uint64_t> out(kLanes);
    for (unsigned l = 0; l < kLanes; ++l)
        out[l] = mask >> l & 1 ? base + form.element(l) * total : 0xdead0000 + l * 977 + base;
    return out;
}

std::vector<std::uint8_t> numbered(std::size_t bytes, unsigned from) {
    std::vector<std::uint8_t> out(bytes);
    for (std::size_t k = 0; k < bytes; ++k) out[k] = static_cast<std::uint8_t>(from + k * 7 + k / 256);
    return out;
}

/// [element][lane], of all lanes.
std::size_t data_at(unsigned element, unsigned lane, const Width& w) { return (element * kLanes + lane) * w.bytes; }

void check(const Form& form, const Width& w, std::uint32_t mask) {
    SCOPED_TRACE(std::string(form.name) + ", " + std::to_string(w.bytes) + " x " + std::to_string(w.count) +
                 ", lanes " + std::to_string(mask));
    const unsigned total = w.bytes * w.count;
    auto memory = numbered(kBytes, 3);
    const LaneRange range{0, kBytes, reinterpret_cast<std::uint64_t>(memory.data()), 0xffffffffu};
    LanePatterns pattern;
    unsigned moved = 0;
    for (unsigned time = 0; time < 12; ++time) {
        const auto at = addresses(form, std::uint64_t{16} * total + time * total, total, mask);
        const bool store = time % 2 == 1;
        auto data = numbered(std::size_t{kLanes} * total, 100 + time);
        auto expected = memory;
        std::vector<std::uint8_t> loaded = data;
        for (unsigned l = 0; l < kLanes; ++l)
            for (unsigned e = 0; e < w.count && (mask >> l & 1); ++e) {
                auto* there = &expected[at[l] + e * w.bytes];
                auto* here = &loaded[data_at(e, l, w)];
                std::memcpy(store ? there : here, store ? here : there, w.bytes);
            }
        if (!pattern.looks()) continue;
        if (!pattern.moves_again(range, at.data(), mask, w.bytes, w.count, data.data(), store)) {
            pattern.note(at.data(), mask);
            continue;
        }
        ++moved;
        ASSERT_EQ(memory, expected) << "time " << time;
        for (unsigned l = 0; l < kLanes && !store; ++l)
            for (unsigned e = 0; e < w.count && (mask >> l & 1); ++e)
                ASSERT_EQ(std::memcmp(&data[data_at(e, l, w)], &loaded[data_at(e, l, w)], w.bytes), 0) << "lane " << l;
        EXPECT_EQ(pattern.last().sectors(at.data(), mask, total),
                  counters::global_sectors(at.data(), mask, total, kLanes));
        std::vector<std::uint32_t> offsets(at.begin(), at.end());
        EXPECT_EQ(pattern.last().shared_cost(counters::SharedOp::load, at.data(), mask, total),
                  counters::shared_cost(counters::SharedOp::load, offsets.data(), mask, total, kLanes));
    }
    // A form without lanes near each other is not worth it, nor is a single lane.
    if (engine::has_gathers() && (form.near || total <= 8) && &form != &forms().back())
        EXPECT_EQ(moved, mask == kOne ? 0u : 10u);
    if (!engine::has_gathers()) EXPECT_EQ(moved, 0u);
}

TEST(LanePattern, MovesAsLaneByLane) {
    for (const auto& form : forms())
        for (const Width w : {Width{4, 1}, Width{8, 1}, Width{4, 2}, Width{8, 2}, Width{4, 4}})
            for (const std::uint32_t mask : {0xffffffffu, 0x0000ffffu, 0xff00f0f1u, kOne}) check(form, w, mask);
}

/// After two requests of the form: whether the next one is moved.
bool moves(std::uint64_t base, std::uint64_t bytes, std::uint64_t further) {
    std::vector<std::uint8_t> memory(kBytes), data(kLanes * 4);
    const LaneRange range{0, bytes, reinterpret_cast<std::uint64_t>(memory.data()), 0xffffffffu};
    LanePatterns pattern;
    for (unsigned time = 0; time < 3; ++time) {
        const auto at = addresses(forms()[1], time < 2 ? 256 : base, 4, ~0u);
        auto last = at;
        if (time == 2) last[7] += further;
        if (pattern.moves_again(range, last.data(), ~0u, 4, 1, data.data(), false)) return time == 2;
        pattern.note(last.data(), ~0u);
    }
    return false;
}

TEST(LanePattern, RefusesWhatLiesOutsideOrElsewhere) {
    if (!engine::has_gathers()) return;
    EXPECT_TRUE(moves(0, kBytes, 0));
    EXPECT_TRUE(moves(kBytes - 128, kBytes, 0));
    EXPECT_FALSE(moves(kBytes - 124, kBytes, 0)) << "the highest lane's word lies behind the end";
    EXPECT_FALSE(moves(2, kBytes, 0)) << "not aligned";
    EXPECT_FALSE(moves(0 - std::uint64_t{4}, kBytes, 0)) << "the lowest lane's word lies before the start";
    EXPECT_FALSE(moves((std::uint64_t{1} << 32) + 64, kBytes, 0)) << "another block's memory";
    EXPECT_FALSE(moves(64, 64, 0)) << "memory smaller than the request";
    EXPECT_FALSE(moves(0, kBytes, 4)) << "one lane lies elsewhere";
}

TEST(LanePattern, LanesFurtherApartThanASignedNumberAreNotNear) {
    if (!engine::has_gathers()) return;
    std::vector<std::uint8_t> memory = numbered(kBytes, 7), data(kLanes * 4);
    const LaneRange range{0, kBytes, reinterpret_cast<std::uint64_t>(memory.data()), 0xffffffffu};
    std::vector<std::uint64_t> at(kLanes);
    for (unsigned l = 0; l < kLanes; ++l) at[l] = 4 * l;
    // Shared memory is chosen by the low halves of addresses.
    at[1] = 0x6000000000000040u, at[2] = 0xa000000000000008u;
    LanePatterns patterns;
    for (unsigned time = 0; time < 8; ++time) {
        EXPECT_FALSE(patterns.moves_again(range, at.data(), ~0u, 4, 1, data.data(), false));
        patterns.note(at.data(), ~0u);
    }
}

/// Lanes in another order for each `way`, `times` in a row. How many of the requests were moved.
unsigned moved_in_order(LanePatterns& patterns, unsigned way, unsigned times) {
    std::vector<std::uint8_t> memory = numbered(kBytes, 7), data(kLanes * 4);
    const LaneRange range{0, kBytes, reinterpret_cast<std::uint64_t>(memory.data()), 0xffffffffu};
    unsigned moved = 0;
    for (unsigned time = 0; time < times; ++time) {
        std::vector<std::uint64_t> at(kLanes);
        for (unsigned l = 0; l < kLanes; ++l) at[l] = 256 + 64 * time + 4 * (l ^ way);
        if (patterns.moves_again(range, at.data(), ~0u, 4, 1, data.data(), false)) {
            ++moved;
            for (unsigned l = 0; l < kLanes; ++l)
                EXPECT_EQ(std::memcmp(&data[4 * l], &memory[at[l]], 4), 0) << "way " << way << ", lane " << l;
            std::vector<std::uint32_t> offsets(at.begin(), at.end());
            EXPECT_EQ(patterns.last().shared_cost(counters::SharedOp::load, at.data(), ~0u, 4),
                      counters::shared_cost(counters::SharedOp::load, offsets.data(), ~0u, 4, kLanes));
            EXPECT_EQ(patterns.last().sectors(at.data(), ~0u, 4), counters::global_sectors(at.data(), ~0u, 4, kLanes));
        } else {
            patterns.note(at.data(), ~0u);
        }
    }
    return moved;
}

TEST(LanePattern, KnowsTheWaysBefore) {
    if (!engine::has_gathers()) return;
    constexpr unsigned kWays = 12, kKept = 8;
    LanePatterns patterns;
    for (unsigned way = 1; way <= kWays; ++way) EXPECT_EQ(moved_in_order(patterns, way, 5), 3u) << way;
    for (unsigned way = kWays; way > kWays - kKept; --way) EXPECT_EQ(moved_in_order(patterns, way, 1), 1u) << way;
    EXPECT_EQ(moved_in_order(patterns, 1, 5), 3u) << "of too many, the first is not known any more";
}

TEST(LanePattern, LooksSeldomWhereNothingRepeats) {
    LanePatterns pattern;
    unsigned looked = 0;
    for (unsigned k = 0; k < 1000; ++k) looked += pattern.looks();
    EXPECT_LT(looked, 30u);
    EXPECT_GT(looked, 8u);
}

}  // namespace lane_pattern_test
