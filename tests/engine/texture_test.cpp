// How places in textures are read, over memory of the test's own. Expected values are worked out here from the tables
// and formulas of the CUDA C++ Programming Guide ("Texture Fetching"), not by the code under test.
#include "engine/runtime/texture/texture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "engine/runtime/texture/touched_texels.hpp"

namespace warpwright::engine {
namespace texture_test {

using Kind = TextureState::Kind;
using Address = TextureState::Address;

/// A texture of one level over `data`, which it does not own.
template <class T>
TextureState over(std::vector<T>& data, std::uint32_t width, std::uint32_t height, std::uint32_t depth = 1,
                  unsigned channels = 1) {
    TextureState t;
    t.channels = static_cast<std::uint8_t>(channels);
    t.bits = sizeof(T) * 8;
    t.kind = std::is_floating_point_v<T> ? Kind::real
             : std::is_signed_v<T>       ? Kind::signed_integer
                                         : Kind::unsigned_integer;
    const auto row = std::uint64_t{width} * channels * sizeof(T);
    t.level[0] = {reinterpret_cast<std::uint64_t>(data.data()), row, row * height, width, height, depth};
    return t;
}

struct Channels {
    std::uint32_t bits[4];
    float operator[](unsigned k) const {
        float f;
        std::memcpy(&f, &bits[k], 4);
        return f;
    }
};

Channels sample(const TextureState& t, const TexturePoint& p) {
    Channels c;
    sample_texture(t, p, c.bits);
    return c;
}

TexturePoint at(std::initializer_list<float> place) {
    TexturePoint p;
    p.dimensions = static_cast<unsigned>(place.size());
    std::copy(place.begin(), place.end(), p.at);
    return p;
}

std::vector<float> counted(std::size_t n) {
    std::vector<float> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i);
    return v;
}

TEST(Texture, EachDimensionHasItsOwnAddressMode) {
    auto data = counted(4 * 4 * 4);
    auto t = over(data, 4, 4, 4);
    t.normalized_coordinates = true;
    const Address all[] = {Address::wrap, Address::clamp, Address::mirror, Address::border};
    // Element of 4 at -0.375 (element -2) and 1.125 (element 4): by hand.
    const int below[] = {2, 0, 1, -1}, above[] = {0, 3, 3, -1};
    t.border[0] = -7;
    for (unsigned mx = 0; mx < 4; ++mx)
        for (unsigned my = 0; my < 4; ++my)
            for (unsigned mz = 0; mz < 4; ++mz) {
                t.address[0] = all[mx], t.address[1] = all[my], t.address[2] = all[mz];
                const auto expected = [](int x, int y, int z) {
                    return x < 0 || y < 0 || z < 0 ? -7.0f : static_cast<float>(16 * z + 4 * y + x);
                };
                EXPECT_EQ(sample(t, at({-0.375f, 1.125f, -0.375f}))[0], expected(below[mx], above[my], below[mz]))
                    << mx << my << mz;
                EXPECT_EQ(sample(t, at({1.125f, -0.375f, 1.125f}))[0], expected(above[mx], below[my], above[mz]))
                    << mx << my << mz;
            }
}

TEST(Texture, WrapAndMirrorNeedNormalizedCoordinates) {
    auto data = counted(4);
    auto t = over(data, 4, 1);
    for (const auto mode : {Address::wrap, Address::mirror}) {
        t.address[0] = mode;
        EXPECT_EQ(sample(t, at({5.5f}))[0], 3);
        EXPECT_EQ(sample(t, at({-5.5f}))[0], 0);
    }
}

TEST(Texture, FiltersWithWeightsOfEightBits) {
    std::vector<float> data{0, 1024};
    auto t = over(data, 2, 1);
    t.linear = true;
    // alpha = frac(x - 0.5), to the nearest of 256: so the sum is a multiple of 4.
    for (int i = 0; i <= 1000; ++i) {
        const double alpha = i / 1000.0;
        EXPECT_EQ(sample(t, at({static_cast<float>(0.5 + alpha)}))[0],
                  4 * std::floor(static_cast<float>(0.5 + alpha) * 256.0 - 128 + 0.5))
            << i;
    }
}

TEST(Texture, BorderTakesPartInFiltering) {
    std::vector<float> data{8, 8};
    auto t = over(data, 2, 1);
    t.linear = true;
    t.address[0] = Address::border;
    t.border[0] = 16;
    EXPECT_EQ(sample(t, at({0.25f}))[0], 10);
    EXPECT_EQ(sample(t, at({2.0f}))[0], 12);
    EXPECT_EQ(sample(t, at({9.0f}))[0], 16);
}

TEST(Texture, NumbersOfEachFormat) {
    std::vector<std::uint8_t> bytes{0, 51, 128, 255};
    std::vector<std::int8_t> signed_bytes{-128, -127, 64, 127};
    std::vector<std::uint16_t> words{0, 13107, 32768, 65535}, halves{0x3c00, 0xc000, 0x0001, 0x7c00};
    std::vector<std::int16_t> signed_words{-32768, -32767, 16384, 32767};
    const auto expect = [](TextureState t, std::vector<float> numbers) {
        t.normalized_floats = true;
        const auto all = sample(t, at({0.5f}));
        for (unsigned k = 0; k < 4; ++k) EXPECT_FLOAT_EQ(all[k], numbers[k]) << k;
    };
    expect(over(bytes, 1, 1, 1, 4), {0, 0.2f, 128 / 255.0f, 1});
    expect(over(signed_bytes, 1, 1, 1, 4), {-1, -1, 64 / 127.0f, 1});
    expect(over(words, 1, 1, 1, 4), {0, 0.2f, 32768 / 65535.0f, 1});
    expect(over(signed_words, 1, 1, 1, 4), {-1, -1, 16384 / 32767.0f, 1});
    auto t = over(halves, 1, 1, 1, 4);
    t.kind = Kind::real;
    expect(t, {1, -2, std::ldexp(1.0f, -24), HUGE_VALF});
    std::vector<std::uint32_t> packed{0x3ffu | 341u << 10 | 0u << 20 | 2u << 30};
    t = over(packed, 1, 1);
    t.packed = true, t.channels = 4, t.bits = 16;
    expect(t, {1, 341 / 1023.0f, 0, 2 / 3.0f});
}

TEST(Texture, MissingChannelsAreZeroAndOne) {
    std::vector<std::uint8_t> bytes{7, 9};
    auto t = over(bytes, 1, 1, 1, 2);
    const auto whole = sample(t, at({0.5f}));
    EXPECT_EQ(whole.bits[0], 7u);
    EXPECT_EQ(whole.bits[1], 9u);
    EXPECT_EQ(whole.bits[2], 0u);
    EXPECT_EQ(whole.bits[3], 1u);
    t.normalized_floats = true;
    EXPECT_EQ(sample(t, at({0.5f}))[3], 1.0f);
}

TEST(Texture, SrgbColoursBecomeLinearBeforeTheyAreFiltered) {
    std::vector<std::uint8_t> bytes{0, 188, 10, 128, 255, 188, 10, 128};
    auto t = over(bytes, 2, 1, 1, 4);
    t.normalized_floats = t.srgb = t.linear = true;
    const auto between = sample(t, at({1.0f}));
    EXPECT_FLOAT_EQ(between[0], 0.5f);  // not the 0.21 that 127.5 stands for
    EXPECT_NEAR(between[1], 0.5028864, 1e-6);
    EXPECT_FLOAT_EQ(between[2], 10 / 255.0f / 12.92f);
    EXPECT_FLOAT_EQ(between[3], 128 / 255.0f);  // alpha stays
}

TEST(Texture, OffsetsCountElements) {
    auto data = counted(16);
    auto t = over(data, 4, 4);
    t.normalized_coordinates = true;
    auto p = at({0.3f, 0.3f});  // element (1, 1)
    p.shift[0] = 2, p.shift[1] = -1;
    EXPECT_EQ(sample(t, p)[0], 3);
    p.shift[1] = 7;
    EXPECT_EQ(sample(t, p)[0], 15);
}

TEST(Texture, GathersCounterClockwiseFromTheLowerLeft) {
    auto data = counted(2 * 16);
    auto t = over(data, 4, 4, 1, 2);
    std::uint32_t out[4];
    gather_texture(t, at({2.0f, 2.0f}), 1, out);
    const float expected[] = {2 * 9 + 1, 2 * 10 + 1, 2 * 6 + 1, 2 * 5 + 1};
    for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(std::memcmp(&out[k], &expected[k], 4), 0) << k;
}

TEST(Texture, LayersAreClamped) {
    auto data = counted(3 * 4);
    auto t = over(data, 4, 1, 3);
    t.layered = true;
    auto p = at({1.5f});
    p.layered = true;
    const float expected[] = {1, 5, 9, 9};
    for (p.layer = 0; p.layer < 4; ++p.layer) EXPECT_EQ(sample(t, p)[0], expected[p.layer]);
}

/// Faces, and where on them, of directions whose place the table gives at sight.
TEST(CubePlace, FollowsTheTable) {
    struct Case {
        float direction[3];
        unsigned face;
        float s, t;
    };
    // m, s, t: +x: x, -z, -y; -x: -x, z, -y; +y: y, x, z; -y: -y, x, -z; +z: z, x, -y; -z: -z, -x, -y.
    const Case cases[] = {{{2, 1, 0.5f}, 0, 0.375f, 0.25f}, {{-2, 1, 0.5f}, 1, 0.625f, 0.25f},
                          {{1, 2, 0.5f}, 2, 0.75f, 0.625f}, {{1, -2, 0.5f}, 3, 0.75f, 0.375f},
                          {{1, 0.5f, 2}, 4, 0.75f, 0.375f}, {{1, 0.5f, -2}, 5, 0.25f, 0.375f}};
    for (const auto& c : cases) {
        const auto p = cube_place(c.direction);
        EXPECT_EQ(p.face, c.face);
        EXPECT_EQ(p.s, c.s) << c.face;
        EXPECT_EQ(p.t, c.t) << c.face;
    }
}

/// What is filtered over an edge goes on without a step: both sides of each of the 12 edges, near to it.
TEST(CubePlace, SeamlessFilteringHasNoSteps) {
    constexpr unsigned n = 8;
    std::vector<float> data(6 * n * n);
    auto t = over(data, n, n, 6);
    t.cube = t.linear = t.seamless = t.normalized_coordinates = true;
    // A smooth function of the direction, so that the wrong neighbour would show.
    const auto value = [](float x, float y, float z) {
        const float length = std::sqrt(x * x + y * y + z * z);
        return 10 * x / length + 100 * y / length + 1000 * z / length;
    };
    // The table backwards: direction of face and place.
    for (unsigned f = 0; f < 6; ++f)
        for (unsigned j = 0; j < n; ++j)
            for (unsigned i = 0; i < n; ++i) {
                const float a = (2 * i + 1.0f) / n - 1, b = (2 * j + 1.0f) / n - 1;
                const float d[6][3] = {{1, -b, -a}, {-1, -b, a}, {a, 1, b}, {a, -1, -b}, {a, -b, 1}, {-a, -b, -1}};
                data[(f * n + j) * n + i] = value(d[f][0], d[f][1], d[f][2]);
            }
    for (unsigned first = 0; first < 3; ++first)
        for (unsigned second = first + 1; second < 3; ++second)
            for (const float sign_a : {-1.0f, 1.0f})
                for (const float sign_b : {-1.0f, 1.0f})
                    for (int k = -7; k <= 7; ++k) {
                        float near_a[3], near_b[3];
                        near_a[3 - first - second] = near_b[3 - first - second] = k / 8.0f;
                        near_a[first] = sign_a, near_a[second] = sign_b * 0.999f;
                        near_b[first] = sign_a * 0.999f, near_b[second] = sign_b;
                        auto pa = at({near_a[0], near_a[1], near_a[2]}), pb = at({near_b[0], near_b[1], near_b[2]});
                        pa.cube = pb.cube = true;
                        ASSERT_NE(cube_place(pa.at).face, cube_place(pb.at).face);
                        EXPECT_NEAR(sample(t, pa)[0], sample(t, pb)[0], 4) << first << second << sign_a << sign_b << k;
                    }
}

struct Levels : testing::Test {
    std::vector<float> data[4];
    TextureState t;
    void SetUp() override {
        t.levels = 4;
        t.normalized_coordinates = true;
        for (unsigned l = 0; l < 4; ++l) {
            const auto n = 8u >> l;
            data[l].assign(n * n, 100.0f * l);
            t.level[l] = {reinterpret_cast<std::uint64_t>(data[l].data()), n * 4ull, n * n * 4ull, n, n, 1};
        }
        t.most_level = 100;
    }
    float given(float level) {
        auto p = at({0.5f, 0.5f});
        p.mode = TexturePoint::Level::given, p.level = level;
        return sample(t, p)[0];
    }
    float along(float ax, float ay, float bx, float by) {
        auto p = at({0.5f, 0.5f});
        p.mode = TexturePoint::Level::gradients;
        p.across[0] = ax, p.across[1] = ay, p.down[0] = bx, p.down[1] = by;
        return texture_level(t, p);
    }
};

TEST_F(Levels, NearestOrBetween) {
    EXPECT_EQ(given(1.49f), 100);
    EXPECT_EQ(given(1.5f), 200);
    EXPECT_EQ(given(-3), 0);
    EXPECT_EQ(given(17), 300);
    EXPECT_EQ(given(std::nanf("")), 0);
    t.mip_linear = true;
    EXPECT_EQ(given(1.5f), 150);
    EXPECT_EQ(given(2.99f), (1 - 253 / 256.0f) * 200 + 253 / 256.0f * 300);
    EXPECT_EQ(given(17), 300);
}

TEST_F(Levels, BiasComesBeforeTheClamps) {
    t.bias = 1;
    EXPECT_EQ(given(0), 100);
    t.most_level = 1.75f;
    t.mip_linear = true;
    EXPECT_EQ(given(1), 175);
    t.least_level = 0.5f, t.bias = -9;
    EXPECT_EQ(given(3), 50);
    t.least_level = t.most_level = 0;  // the description's zeros: the first level only
    EXPECT_EQ(given(3), 0);
}

TEST_F(Levels, GradientsByTheLongerOne) {
    EXPECT_FLOAT_EQ(along(0.25f, 0, 0, 0.125f), 1);
    EXPECT_FLOAT_EQ(along(0.125f, 0, 0, 0.5f), 2);
    EXPECT_FLOAT_EQ(along(0.3f, 0.4f, 0, 0), 2);
    EXPECT_FLOAT_EQ(along(0, 0, 0, 0), 0);
    t.anisotropy = 4, t.linear = true;
    EXPECT_FLOAT_EQ(along(0.5f, 0, 0, 0.125f), 0);  // 4 to 1: four samples of the finest
    EXPECT_FLOAT_EQ(along(1, 0, 0, 0.125f), 1);     // 8 to 1, and no more than four samples
}

/// The sectors of 32 bytes that a fetch touches.
std::set<std::uint64_t> touched(const TextureState& t, TexturePoint p) {
    TouchedTexels texels;
    p.touched = &texels;
    Channels c;
    sample_texture(t, p, c.bits);
    std::set<std::uint64_t> out;
    for (const auto& place : texels.places()) out.insert((place.address - t.level[0].data) / 32);
    return out;
}

TEST(Texture, AFilterTouchesTwoRowsOfLinearMemoryAndOneTileOfAnArray) {
    auto data = counted(64 * 64);
    auto t = over(data, 64, 64);
    EXPECT_EQ(touched(t, at({2.5f, 2.5f})), (std::set<std::uint64_t>{16}));
    t.linear = true;
    EXPECT_EQ(touched(t, at({2.0f, 3.0f})), (std::set<std::uint64_t>{16, 24})) << "rows of 256 bytes";
    t.tiled = true;
    EXPECT_EQ(touched(t, at({2.0f, 3.0f})), (std::set<std::uint64_t>{2})) << "rows 2 and 3 share a sector of a tile";
    EXPECT_EQ(touched(t, at({4.0f, 3.0f})), (std::set<std::uint64_t>{2, 3})) << "16 bytes of each";
}

TEST(Texture, TilesKeepEveryElementApart) {
    auto data = counted(48 * 24);
    auto t = over(data, 48, 24);
    t.tiled = true;
    std::set<std::uint64_t> all;
    for (unsigned y = 0; y < 24; ++y)
        for (unsigned x = 0; x < 48; ++x) all.insert(texel_address(t, t.level[0], x * 4, y, 0) - t.level[0].data);
    EXPECT_EQ(all.size(), 48u * 24u);
    EXPECT_EQ(*all.rbegin(), 48u * 24u * 4u - 4u);
}

}  // namespace texture_test
}  // namespace warpwright::engine
