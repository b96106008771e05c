#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "values/contents.hpp"
#include "values/element.hpp"

namespace warpwright::values {
namespace contents_test {

long double round_trip(Element e, long double v) {
    std::byte bytes[8];
    store_element(e, bytes, v);
    return load_element(e, bytes);
}

TEST(Element, half_precision_rounds_to_nearest_even) {
    EXPECT_EQ(round_trip(Element::f16, 1.0L), 1.0L);
    EXPECT_EQ(round_trip(Element::f16, 65504.0L), 65504.0L);
    EXPECT_EQ(round_trip(Element::f16, 65519.0L), 65504.0L);
    EXPECT_TRUE(std::isinf(round_trip(Element::f16, 65520.0L)));
    EXPECT_EQ(round_trip(Element::f16, 2049.0L), 2048.0L);
    EXPECT_EQ(round_trip(Element::f16, 2051.0L), 2052.0L);
    EXPECT_EQ(round_trip(Element::f16, 0x1p-24L), 0x1p-24L);
    EXPECT_EQ(round_trip(Element::f16, 0x1p-25L), 0.0L);
    EXPECT_EQ(round_trip(Element::f16, 0x1.8p-25L), 0x1p-24L);
    EXPECT_TRUE(std::isnan(round_trip(Element::f16, NAN)));
}

TEST(Element, half_bits_of_every_value_survive) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        if ((bits & 0x7c00) == 0x7c00 && (bits & 0x3ff)) continue;
        auto in = static_cast<std::uint16_t>(bits);
        std::byte bytes[2], out[2];
        std::memcpy(bytes, &in, 2);
        store_element(Element::f16, out, load_element(Element::f16, bytes));
        ASSERT_EQ(std::memcmp(bytes, out, 2), 0) << bits;
        if ((bits & 0x7f80) == 0x7f80 && (bits & 0x7f)) continue;
        store_element(Element::bf16, out, load_element(Element::bf16, bytes));
        ASSERT_EQ(std::memcmp(bytes, out, 2), 0) << bits;
    }
}

TEST(Element, eight_bit_floats) {
    EXPECT_EQ(round_trip(Element::e4m3, 448.0L), 448.0L);
    EXPECT_EQ(round_trip(Element::e4m3, 1e9L), 448.0L);  // no infinity: the largest value
    EXPECT_EQ(round_trip(Element::e4m3, -INFINITY), -448.0L);
    EXPECT_EQ(round_trip(Element::e4m3, 17.0L), 16.0L);  // halfway, to even
    EXPECT_EQ(round_trip(Element::e4m3, 19.0L), 20.0L);
    EXPECT_EQ(round_trip(Element::e4m3, 0x1p-9L), 0x1p-9L);
    EXPECT_EQ(round_trip(Element::e4m3, 0x1p-10L), 0.0L);
    EXPECT_EQ(round_trip(Element::e4m3, 0x1.8p-10L), 0x1p-9L);
    EXPECT_TRUE(std::isnan(round_trip(Element::e4m3, NAN)));
    EXPECT_EQ(round_trip(Element::e5m2, 57344.0L), 57344.0L);
    EXPECT_EQ(round_trip(Element::e5m2, 1e9L), 57344.0L);
    EXPECT_EQ(round_trip(Element::e5m2, 0x1p-16L), 0x1p-16L);
    EXPECT_EQ(round_trip(Element::e5m2, 9.0L), 8.0L);
    std::byte infinity{0x7c};
    EXPECT_TRUE(std::isinf(load_element(Element::e5m2, &infinity)));
    for (Element e : {Element::e4m3, Element::e5m2})
        for (unsigned bits = 0; bits < 256; ++bits) {
            const auto in = static_cast<std::byte>(bits);
            const long double value = load_element(e, &in);
            if (!std::isfinite(value)) continue;
            std::byte out;
            store_element(e, &out, value);
            ASSERT_EQ(in, out) << bits;
        }
    EXPECT_EQ(element_name(*parse_element("e4m3")), "e4m3");
}

TEST(Element, narrow_floats_round_once_and_to_nearest_whatever_the_value) {
    // Against the definition: of the two neighbouring values the nearer one, at a tie the even one.
    for (Element e : {Element::f16, Element::bf16, Element::e4m3, Element::e5m2}) {
        const unsigned size = element_size(e), values = size == 1 ? 0x7b : (e == Element::f16 ? 0x7bff : 0x7f7f);
        const unsigned step = size == 1 ? 1 : 7;
        for (unsigned bits = 0; bits < values; bits += step) {
            std::byte low[2], high[2], out[2];
            const std::uint16_t next = static_cast<std::uint16_t>(bits + 1), at = static_cast<std::uint16_t>(bits);
            std::memcpy(low, &at, 2);
            std::memcpy(high, &next, 2);
            const double a = static_cast<double>(load_element(e, low)), b = static_cast<double>(load_element(e, high));
            const double middle = a + (b - a) / 2;
            for (const auto& [value, wanted] : {std::pair(middle, bits % 2 ? next : at),
                                                {std::nextafter(middle, b), next},
                                                {std::nextafter(middle, a), at}}) {
                store_doubles(e, &value, 1, out);
                ASSERT_EQ(std::memcmp(out, wanted == at ? low : high, size), 0) << element_name(e) << bits;
            }
        }
    }
}

TEST(Element, integers_keep_their_64_bits) {
    EXPECT_EQ(round_trip(Element::u64, 18446744073709551615.0L), 18446744073709551615.0L);
    EXPECT_EQ(round_trip(Element::i64, -9223372036854775807.0L), -9223372036854775807.0L);
    EXPECT_EQ(round_trip(Element::i32, 2147483648.0L), -2147483648.0L);
    EXPECT_EQ(round_trip(Element::u8, 300.0L), 44.0L);
}

TEST(Contents, grammar) {
    EXPECT_EQ(parse_contents("zero")->kind, Contents::Kind::zero);
    EXPECT_EQ(parse_contents("const(-2.5)")->value, -2.5);
    auto r = parse_contents("random(-3, 4.5)");
    ASSERT_TRUE(r.ok());
    EXPECT_EQ(*r->low, -3);
    EXPECT_EQ(*r->high, 4.5);
    EXPECT_EQ(parse_contents("file:a b.npy")->path, "a b.npy");
    EXPECT_EQ(parse_contents("random_2_4")->kind, Contents::Kind::random_2_4);
    for (const char* bad : {"", "zeros", "const()", "const(x)", "random(1)", "random(2,1)", "random(nan,1)",
                            "random(1,2", "file:", "random(1,2,3)"})
        EXPECT_FALSE(parse_contents(bad).ok()) << bad;
}

TEST(Contents, random_depends_on_seed_name_and_index_only) {
    for (Element e : {Element::f32, Element::f64, Element::i32, Element::u8}) {
        auto whole = *make_contents(*parse_contents("random"), e, 1000, "A", 7);
        std::vector<std::byte> part(300 * element_size(e));
        fill_contents(*parse_contents("random"), e, "A", 7, 500, part);
        EXPECT_EQ(std::memcmp(part.data(), whole.data() + 500 * element_size(e), part.size()), 0);
        EXPECT_NE(whole, *make_contents(*parse_contents("random"), e, 1000, "B", 7));
        EXPECT_NE(whole, *make_contents(*parse_contents("random"), e, 1000, "A", 8));
        for (std::uint64_t i = 0; i < 1000; ++i)
            ASSERT_EQ(load_element(e, whole.data() + i * element_size(e)),
                      round_trip(e, random_value(e, 7, "A", i, {}, {})));
    }
}

TEST(Contents, pieces_made_at_once_are_the_pieces) {
    for (Element e : {Element::f32, Element::e4m3, Element::bf16, Element::i16, Element::u64})
        for (const char* text : {"random", "random_2_4", "random(-3,5)", "iota"}) {
            const Contents c = *parse_contents(text);
            const unsigned size = element_size(e);
            const auto whole = *make_contents(c, e, 150001, "A", 7);  // on all cores
            std::vector<std::byte> part(70 * size);
            for (std::uint64_t begin : {0u, 65500u, 131001u, 149931u}) {
                fill_contents(c, e, "A", 7, begin, part);
                ASSERT_EQ(std::memcmp(part.data(), whole.data() + begin * size, part.size()), 0) << text << begin;
            }
        }
}

TEST(Contents, of_four_neighbours_two_are_zero_and_any_two) {
    for (Element e : {Element::f32, Element::bf16, Element::e5m2, Element::i8}) {
        const auto bytes = *make_contents(*parse_contents("random_2_4"), e, 24000, "A", 3);
        const unsigned size = element_size(e);
        int seen[16] = {}, others = 0;
        for (unsigned g = 0; g < 6000; ++g) {
            unsigned pruned = 0, zero = 0;
            for (unsigned j = 0; j < 4; ++j) {
                const unsigned i = 4 * g + j;
                const long double v = load_element(e, bytes.data() + i * size);
                if (pruned_2_4(3, "A", i)) pruned |= 1u << j;
                if (v == 0) zero |= 1u << j;
                if (v == 0 || pruned_2_4(3, "A", i)) continue;
                ++others;
                std::byte same[8];
                store_element(e, same, random_value(e, 3, "A", i, {}, {}));
                ASSERT_EQ(v, load_element(e, same));
            }
            ASSERT_EQ(pruned & ~zero, 0u);
            ++seen[pruned];
        }
        EXPECT_GT(others, 11500);
        for (unsigned pair : {0b0011u, 0b0101u, 0b1001u, 0b0110u, 0b1010u, 0b1100u}) EXPECT_GT(seen[pair], 850) << pair;
    }
}

TEST(Contents, random_fills_its_range) {
    long double low = 9, high = -9, sum = 0;
    for (int i = 0; i < 20000; ++i) {
        long double v = random_value(Element::f32, 1, "x", i, {}, {});
        low = std::min(low, v), high = std::max(high, v), sum += v;
        ASSERT_GE(v, -1);
        ASSERT_LT(v, 1);
    }
    EXPECT_LT(low, -0.99);
    EXPECT_GT(high, 0.99);
    EXPECT_LT(std::fabs(sum / 20000), 0.02);
    std::vector<int> seen(7);
    for (int i = 0; i < 7000; ++i) ++seen.at(static_cast<int>(random_value(Element::i32, 1, "x", i, -3.0, 3.0)) + 3);
    for (int n : seen) EXPECT_GT(n, 800);
}

TEST(Contents, too_large_is_an_error_not_a_crash) {
    EXPECT_FALSE(make_contents(Contents{}, Element::f64, std::uint64_t{1} << 62, "A", 1).ok());
}

}  // namespace contents_test
}  // namespace warpwright::values
