// Lanes at any addresses: moved together as they are lane by lane, without a byte that no active lane has.
#include "engine/runtime/lane_gather.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>
#include <vector>

namespace lane_gather_test {

using namespace warpwright;
using engine::LaneRange;

constexpr unsigned kLanes = 32;
constexpr std::uint64_t kBytes = 1 << 13;

struct Form {
    const char* name;
    std::function<std::uint64_t(unsigned lane)> element;
};

const std::vector<Form>& forms() {
    static std::mt19937_64 draw(1);
    static std::vector<std::uint64_t> drawn(kLanes);
    for (auto& x : drawn) x = draw() % 400;
    static const std::vector<Form> all{
        {"one after the other", [](unsigned l) { return l; }},
        {"eights apart", [](unsigned l) { return (l & ~7u) * 3 + (l & 7); }},
        {"falling", [](unsigned l) { return 31 - l; }},
        {"all one", [](unsigned) { return 5; }},
        {"any", [](unsigned l) { return drawn[l]; }},
    };
    return all;
}

struct Width {
    unsigned bytes, count;
    unsigned total() const { return bytes * count; }
    /// [element][lane]
    std::size_t at(unsigned element, unsigned lane) const { return (element * kLanes + lane) * std::size_t{bytes}; }
};

std::vector<std::uint8_t> numbered(std::size_t bytes, unsigned from) {
    std::vector<std::uint8_t> out(bytes);
    for (std::size_t k = 0; k < bytes; ++k) out[k] = static_cast<std::uint8_t>(from + k * 7 + k / 256);
    return out;
}

void check(const Form& form, const Width& w, std::uint32_t mask, bool narrow, bool store) {
    SCOPED_TRACE(std::string(form.name) + ", " + std::to_string(w.bytes) + " x " + std::to_string(w.count) +
                 ", lanes " + std::to_string(mask) + (narrow ? ", narrow" : "") + (store ? ", stored" : ""));
    auto memory = numbered(kBytes, 3), data = numbered(std::size_t{kLanes} * w.total(), 100);
    const auto host = reinterpret_cast<std::uint64_t>(memory.data());
    // Of narrow addresses the upper halves may be anything.
    const LaneRange range = narrow ? LaneRange{0, kBytes, host, 0xffffffffu} : LaneRange{host, kBytes};
    const auto expected_in = [&] {
        auto expected = memory;
        for (unsigned l = 0; l < kLanes; ++l)
            for (unsigned e = 0; e < w.count && (mask >> l & 1); ++e)
                std::memcpy(&expected[form.element(l) * w.total() + e * w.bytes], &data[w.at(e, l)], w.bytes);
        return expected;
    };
    const auto expected = store ? expected_in() : memory;
    std::uint64_t addresses[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) {
        addresses[l] = form.element(l) * w.total() + (narrow ? std::uint64_t{l} << 40 : host);
        if (!(mask >> l & 1)) addresses[l] = 0xdead0001 + l;
    }
    ASSERT_EQ(engine::move_in_range(range, addresses, mask, w.bytes, w.count, data.data(), store),
              engine::has_gathers());
    if (!engine::has_gathers()) return;
    EXPECT_EQ(memory, expected);
    for (unsigned l = 0; l < kLanes && !store; ++l)
        for (unsigned e = 0; e < w.count && (mask >> l & 1); ++e)
            EXPECT_EQ(std::memcmp(&data[w.at(e, l)], &memory[form.element(l) * w.total() + e * w.bytes], w.bytes), 0)
                << "lane " << l << ", element " << e;
}

TEST(LaneGather, MovesAsLaneByLane) {
    for (const auto& form : forms())
        for (const Width w : {Width{4, 1}, Width{8, 1}, Width{4, 2}, Width{8, 2}, Width{4, 4}})
            for (const std::uint32_t mask : {0xffffffffu, 0x7fffffffu, 0x00ffff00u, 0xff00f0f1u, 0x80000001u, 1u << 20})
                for (const bool narrow : {true, false})
                    for (const bool store : {true, false}) check(form, w, mask, narrow, store);
}

TEST(LaneGather, RefusesWhatLiesOutside) {
    std::vector<std::uint8_t> memory(kBytes), data(kLanes * 4);
    const auto host = reinterpret_cast<std::uint64_t>(memory.data());
    const auto moves = [&](std::uint64_t last, std::uint64_t bytes) {
        std::uint64_t addresses[kLanes];
        for (auto& a : addresses) a = host;
        addresses[kLanes - 1] = host + last;
        return engine::move_in_range({host, bytes}, addresses, ~0u, 4, 1, data.data(), false);
    };
    EXPECT_EQ(moves(kBytes - 4, kBytes), engine::has_gathers());
    EXPECT_FALSE(moves(kBytes, kBytes)) << "behind the end";
    EXPECT_FALSE(moves(0 - std::uint64_t{4}, kBytes)) << "before the start";
    EXPECT_FALSE(moves(2, kBytes)) << "not aligned";
    EXPECT_FALSE(moves(0, 3)) << "memory smaller than a lane's word";
}

}  // namespace lane_gather_test
