#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "ladder/verify.hpp"

namespace warpwright::ladder {
namespace verify_test {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

std::span<const std::byte> bytes(const std::vector<float>& v) { return std::as_bytes(std::span(v)); }

Expected of(const std::vector<double>& values, double magnitude = 1) {
    Expected e(values.size(), false);
    for (std::size_t i = 0; i < values.size(); ++i) e.set(i, values[i], magnitude);
    return e;
}

bool passes(const std::vector<float>& actual, const std::vector<double>& expected, double tolerance = 1e-6) {
    return verify(values::Element::f32, bytes(actual), of(expected), tolerance, ToleranceScale::magnitude).passed;
}

TEST(Verify, nan_never_passes_for_a_number) {
    EXPECT_FALSE(passes({kNan}, {1}));
    EXPECT_FALSE(passes({kNan}, {1}, 1e30));
    EXPECT_FALSE(passes({kNan}, {1}, kInf));
    EXPECT_TRUE(passes({kNan}, {kNan}));
    EXPECT_FALSE(passes({1}, {kNan}));
}

TEST(Verify, infinities_must_be_the_same) {
    EXPECT_FALSE(passes({kInf}, {1}, 1e30));
    EXPECT_FALSE(passes({kInf}, {3e38}, kInf));
    EXPECT_TRUE(passes({-kInf}, {-kInf}));
    EXPECT_FALSE(passes({kInf}, {-kInf}));
    EXPECT_FALSE(passes({3.4e38f}, {kInf}));
}

TEST(Verify, unwritten_outputs_fail_whatever_the_type) {
    for (values::Element e :
         {values::Element::i8, values::Element::u8, values::Element::i16, values::Element::i32, values::Element::u64,
          values::Element::f16, values::Element::bf16, values::Element::f32, values::Element::f64}) {
        // The reference holds the value of the first poison candidate: another must be taken.
        std::byte candidate[8];
        std::memset(candidate, 0xa5, 8);
        Expected expected(2, true);
        expected.set(0, values::load_element(e, candidate), 1);
        expected.set(1, 3, 1);
        std::vector<std::byte> unwritten(2 * values::element_size(e), static_cast<std::byte>(poison_byte(e, expected)));
        Verification v = verify(e, unwritten, expected, 0.5, ToleranceScale::magnitude);
        EXPECT_EQ(v.wrong, 2u) << values::element_name(e);
    }
}

TEST(Verify, one_wrong_element_is_found_and_named) {
    std::vector<double> expected(1000, 2.0);
    std::vector<float> actual(1000, 2.0f);
    EXPECT_TRUE(passes(actual, expected));
    actual[999] = 2.001f;
    Verification v = verify(values::Element::f32, bytes(actual), of(expected), 1e-4, ToleranceScale::magnitude);
    EXPECT_FALSE(v.passed);
    EXPECT_EQ(v.wrong, 1u);
    EXPECT_EQ(v.first_wrong, 999u);
    EXPECT_EQ(v.checked, 1000u);
    EXPECT_THAT(v.text, testing::HasSubstr("1 of 1000 elements wrong; first at 999: 2.00099993, should be 2"));
}

TEST(Verify, an_element_that_nobody_has_written_is_named_so) {
    std::vector<double> expected(8, 2.0);
    std::vector<float> actual(8, 2.0f);
    std::memset(&actual[3], 0xff, sizeof actual[3]);  // as an output is filled before the run
    Verification v = verify(values::Element::f32, bytes(actual), of(expected), 1e-4, ToleranceScale::magnitude);
    EXPECT_EQ(v.text, "1 of 8 elements wrong; first at 3: never written, should be 2");
    actual[3] = std::numeric_limits<float>::quiet_NaN();  // a result of arithmetic
    v = verify(values::Element::f32, bytes(actual), of(expected), 1e-4, ToleranceScale::magnitude);
    EXPECT_EQ(v.text, "1 of 8 elements wrong; first at 3: nan, should be 2");
}

TEST(Verify, the_scale_is_as_asked) {
    std::vector<float> actual{1.01f, 100.0f};
    Expected e(2, false);
    e.set(0, 1.0, 50);
    e.set(1, 100.0, 200);
    auto with = [&](ToleranceScale s) { return verify(values::Element::f32, bytes(actual), e, 1e-3, s).passed; };
    EXPECT_TRUE(with(ToleranceScale::magnitude));
    EXPECT_FALSE(with(ToleranceScale::value));
    EXPECT_TRUE(with(ToleranceScale::norm));
}

TEST(Verify, where_the_scale_is_0_only_the_exact_value_passes) {
    Expected e(1, false);
    e.set(0, 0.0, 0.0);
    EXPECT_TRUE(verify(values::Element::f32, bytes({0.0f}), e, 1e-3, ToleranceScale::magnitude).passed);
    EXPECT_FALSE(verify(values::Element::f32, bytes({1e-30f}), e, 1e-3, ToleranceScale::magnitude).passed);
}

TEST(Verify, integers_are_exact) {
    std::vector<std::int64_t> actual{9007199254740993};  // 2^53 + 1: no double
    Expected e(1, true);
    e.set(0, 9007199254740993.0L, 1);
    EXPECT_TRUE(verify(values::Element::i64, std::as_bytes(std::span(actual)), e, 1, ToleranceScale::magnitude).passed);
    actual[0] += 1;
    EXPECT_FALSE(
        verify(values::Element::i64, std::as_bytes(std::span(actual)), e, 1, ToleranceScale::magnitude).passed);
}

TEST(Verify, a_short_output_fails_and_an_empty_one_passes) {
    EXPECT_FALSE(passes({1}, {1, 1}));
    EXPECT_TRUE(passes({}, {}));
}

HostBuffer buffer(values::Element e, const std::vector<long double>& values) {
    HostBuffer b{e, std::vector<std::byte>(values.size() * values::element_size(e))};
    for (std::size_t i = 0; i < values.size(); ++i)
        values::store_element(e, b.bytes.data() + i * values::element_size(e), values[i]);
    return b;
}

TEST(Reference, matmul_by_hand) {
    auto a = buffer(values::Element::f32, {1, -2, 3, 4, 5, 6}), b = buffer(values::Element::f32, {7, 8, 9, 10, 11, 12});
    Expected e = reference_matmul(a, b, values::Element::f32, 2, 2, 3);  // [[1,-2,3],[4,5,6]] [[7,8],[9,10],[11,12]]
    EXPECT_EQ(e.value(0), 22);
    EXPECT_EQ(e.value(1), 24);
    EXPECT_EQ(e.value(2), 139);
    EXPECT_EQ(e.value(3), 154);
    EXPECT_EQ(e.magnitude(0), 7 + 18 + 33);
    Expected empty = reference_matmul(a, b, values::Element::f32, 2, 2, 0);
    EXPECT_EQ(empty.value(3), 0);
    EXPECT_EQ(reference_matmul(a, b, values::Element::f32, 0, 3, 2).count(), 0u);
}

TEST(Reference, integer_matmul_wraps) {
    auto a = buffer(values::Element::i32, {2147483647, 2}), b = buffer(values::Element::i32, {2, 3});
    EXPECT_EQ(reference_matmul(a, b, values::Element::i32, 1, 1, 2).value(0), 4);  // 2^32 - 2 + 6 mod 2^32
}

TEST(Reference, sum_wraps_for_integers_and_is_accurate_for_floats) {
    EXPECT_EQ(reference_reduce(buffer(values::Element::i32, {2147483647, 1}), values::Element::i32, 2).value(0),
              -2147483648.0L);
    EXPECT_EQ(
        reference_reduce(buffer(values::Element::u64, {18446744073709551615.0L, 3}), values::Element::u64, 2).value(0),
        2);
    auto f = buffer(values::Element::f64, {1e16, 1, -1e16, 0.5});
    EXPECT_EQ(reference_reduce(f, values::Element::f64, 4).value(0), 1.5L);
    EXPECT_EQ(reference_reduce(f, values::Element::f64, 0).value(0), 0);
}

TEST(Reference, elementwise) {
    HostBuffers in;
    in.emplace("x", buffer(values::Element::f32, {1, 2, 3}));
    in.emplace("y", buffer(values::Element::f32, {10, 20, 30}));
    auto e = reference_elementwise(*Expression::parse("a*x + y + i"), in, {{"a", 2}}, values::Element::f32, 3);
    ASSERT_TRUE(e.ok());
    EXPECT_EQ(e->value(2), 38);
    EXPECT_FALSE(reference_elementwise(*Expression::parse("x"), in, {}, values::Element::f32, 4).ok());
}

}  // namespace verify_test
}  // namespace warpwright::ladder
