// References in every form, against definitions written here, and checks that must find what is wrong with an output.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "ladder/answer.hpp"
#include "values/contents.hpp"

namespace warpwright::ladder {
namespace answer_test {

using testing::HasSubstr;

HostBuffer random(values::Element e, std::uint64_t count, const std::string& name) {
    return {e, *values::make_contents(*values::parse_contents("random"), e, count, name, 5)};
}

Input generated(values::Element e, std::uint64_t count, const std::string& name) {
    return Input(*values::parse_contents("random"), e, count, name, 5);
}

const Layout kLayouts[] = {{false, false}, {false, true}, {true, false}, {true, true}};

/// (A B)_ij and (|A||B|)_ij by the definition.
std::pair<long double, long double> element(const HostBuffer& a, const HostBuffer& b, const ProductSize& s,
                                            std::int64_t i, std::int64_t j) {
    long double sum = 0, size = 0;
    for (std::int64_t l = 0; l < s.k; ++l) {
        const long double term =
            a[s.layout.a_transposed ? l * s.m + i : i * s.k + l] * b[s.layout.b_transposed ? j * s.k + l : l * s.n + j];
        sum += term;
        size += std::fabs(term);
    }
    return {sum, size};
}

/// The product as a kernel would leave it; `off` adds to the element (i, j).
template <class Off>
HostBuffer product(const HostBuffer& a, const HostBuffer& b, values::Element out, const ProductSize& s,
                   const Off& off) {
    HostBuffer c{out, std::vector<std::byte>(s.m * s.n * values::element_size(out))};
    for (std::int64_t i = 0; i < s.m; ++i)
        for (std::int64_t j = 0; j < s.n; ++j) {
            const auto [sum, size] = element(a, b, s, i, j);
            values::store_element(out, c.bytes.data() + (i * s.n + j) * values::element_size(out),
                                  sum + off(i, j, size));
        }
    return c;
}

constexpr auto kNothing = [](std::int64_t, std::int64_t, long double) { return 0.0L; };

TEST(Product, every_layout_small_and_through_blas) {
    for (Layout layout : kLayouts)
        for (const ProductSize& s : {ProductSize{5, 7, 3, layout}, ProductSize{450, 401, 400, layout}}) {
            for (values::Element in : {values::Element::f32, values::Element::e4m3, values::Element::i8}) {
                const values::Element out = in == values::Element::i8 ? values::Element::i32 : values::Element::f32;
                const HostBuffer a = random(in, s.m * s.k, "A"), b = random(in, s.k * s.n, "B");
                const Expected e = reference_matmul(a, b, out, s.m, s.n, s.k, layout);
                ASSERT_EQ(e.count(), static_cast<std::uint64_t>(s.m * s.n));
                for (std::int64_t i = 0; i < s.m; i += 3)
                    for (std::int64_t j = 0; j < s.n; j += s.n / 5) {
                        const auto [sum, size] = element(a, b, s, i, j);
                        if (out == values::Element::i32) {
                            ASSERT_EQ(e.value(i * s.n + j), sum);
                            continue;
                        }
                        ASSERT_NEAR(e.value(i * s.n + j), sum, 1e-13L * size);
                        ASSERT_NEAR(e.magnitude(i * s.n + j), size, 1e-12L * size);
                    }
            }
        }
}

TEST(Product, integers_wrap_on_either_way) {
    EXPECT_TRUE(exact_in_double(values::Element::i8, values::Element::u8, 1 << 20));
    EXPECT_FALSE(exact_in_double(values::Element::i32, values::Element::i8, 2));
    EXPECT_FALSE(exact_in_double(values::Element::i16, values::Element::i16, 1 << 21));
    const std::int64_t n = 410;
    HostBuffer a = random(values::Element::i16, n * n, "A");
    for (std::size_t i = 0; i < a.bytes.size(); i += 2) {
        const std::int16_t large = i % 4 ? 32767 : 32766;
        std::memcpy(a.bytes.data() + i, &large, 2);
    }
    const Expected through_double = reference_matmul(a, a, values::Element::i32, n, n, n);
    const auto [sum, size] = element(a, a, {n, n, n, {}}, 1, 2);
    ASSERT_GT(size, 0x1p32L);
    std::byte bytes[4];
    values::store_element(values::Element::i32, bytes, sum);
    EXPECT_EQ(through_double.value(n + 2), values::load_element(values::Element::i32, bytes));
}

struct Case {
    values::Element in, out;
    double relative, rounding;
};

class Sampled : public testing::TestWithParam<std::tuple<Case, int>> {
protected:
    const Case& c = std::get<0>(GetParam());
    ProductSize s{53, 75, 41, kLayouts[std::get<1>(GetParam())]};
    HostBuffer a = random(c.in, s.m* s.k, "A"), b = random(c.in, s.k* s.n, "B");
    std::unique_ptr<Answer> answer = answer_sampled(a, b, c.out, s, 9);
    Allowed allowed{c.relative, ToleranceScale::magnitude, c.rounding};

    template <class Off>
    Verification check(const Off& off) const {
        return answer->check(c.out, product(a, b, c.out, s, off).bytes, allowed);
    }
};

TEST_P(Sampled, the_product_passes) {
    const Verification v = check(kNothing);
    EXPECT_TRUE(v.passed) << v.text;
    EXPECT_EQ(v.checked, static_cast<std::uint64_t>(16 * s.n + 16 * s.m));
    EXPECT_THAT(v.method, HasSubstr("16 whole rows and 16 whole columns; all elements by 265 signed sums of 16 each"));
    EXPECT_LE(v.max_error, c.relative + (c.rounding > 0 ? c.rounding : 0));
}

TEST_P(Sampled, errors_that_are_allowed_in_every_element_pass) {
    if (!values::is_floating(c.out)) return;
    for (int sign : {1, -1}) {  // the rest is for storing an f32
        const Verification v = check([&](auto, auto, long double size) { return sign * 0.7L * c.relative * size; });
        EXPECT_TRUE(v.passed) << v.text;
    }
}

TEST_P(Sampled, one_wrong_element_anywhere_is_found) {
    // More than the sums of 16 elements allow: at most 6 of their norms.
    const long double off = values::is_floating(c.out) ? 40 * c.relative * s.k + 40 * c.rounding * std::sqrt(s.k) : 1;
    for (const auto& [row, column] : {std::pair(0, 0), {52, 74}, {17, 33}, {30, 11}, {31, 64}, {8, 70}}) {
        const Verification v =
            check([&](std::int64_t i, std::int64_t j, long double) { return i == row && j == column ? off : 0.0L; });
        EXPECT_FALSE(v.passed) << row << " " << column;
        EXPECT_GE(v.wrong, 1u);
        // In a sampled row or column it is that element, else one of the 16 whose sum is off.
        const auto at = static_cast<std::uint64_t>(row * s.n + column);
        EXPECT_LE(v.first_wrong, at);
        EXPECT_GE(v.first_wrong + 15, at);
    }
}

TEST_P(Sampled, what_was_not_written_is_found) {
    HostBuffer whole = product(a, b, c.out, s, kNothing);
    const unsigned size = values::element_size(c.out);
    const auto poison = static_cast<std::byte>(answer->poison(c.out));
    for (std::size_t at : {std::size_t{0}, std::size_t(20 * s.n + 50), std::size_t(s.m * s.n - 1)}) {
        HostBuffer one = whole;
        std::fill_n(one.bytes.begin() + static_cast<std::ptrdiff_t>(at * size), size, poison);
        EXPECT_FALSE(answer->check(c.out, one.bytes, allowed).passed) << at;
    }
    std::fill(whole.bytes.begin(), whole.bytes.end(), poison);
    const Verification v = answer->check(c.out, whole.bytes, allowed);
    EXPECT_FALSE(v.passed);
    whole.bytes.resize(whole.bytes.size() - 1);
    EXPECT_FALSE(answer->check(c.out, whole.bytes, allowed).passed);
}

TEST_P(Sampled, inputs_made_in_pieces_give_the_same_answer) {
    const auto again = answer_sampled(generated(c.in, s.m * s.k, "A"), generated(c.in, s.k * s.n, "B"), c.out, s, 9);
    const HostBuffer result = product(a, b, c.out, s, kNothing);
    const Verification one = answer->check(c.out, result.bytes, allowed),
                       two = again->check(c.out, result.bytes, allowed);
    EXPECT_TRUE(two.passed);
    EXPECT_EQ(one.max_error, two.max_error);
}

INSTANTIATE_TEST_SUITE_P(
    Types, Sampled,
    testing::Combine(testing::Values(Case{values::Element::f32, values::Element::f32, 0x1p-22, 0},
                                     Case{values::Element::bf16, values::Element::bf16, 0x1p-22, 0x1p-8},
                                     Case{values::Element::e4m3, values::Element::f16, 0x1p-22, 0x1p-11},
                                     Case{values::Element::e5m2, values::Element::f32, 0x1p-22, 0},
                                     Case{values::Element::i8, values::Element::i32, 0, 0},
                                     Case{values::Element::f64, values::Element::f64, 0x1p-46, 0}),
                     testing::Range(0, 4)));

TEST(Product, a_large_one_is_sampled_a_small_one_is_not) {
    const HostBuffer thin = random(values::Element::f32, 8200, "A");
    const ProductSize large{8200, 8200, 1, {}};  // many elements, little work
    const auto sampled = answer_product(thin, thin, values::Element::f32, large, 1);
    std::vector<std::byte> c(std::size_t{4} * 8200 * 8200);
    for (std::int64_t i = 0; i < 8200; ++i)
        for (std::int64_t j = 0; j < 8200; ++j)
            values::store_element(values::Element::f32, &c[4 * (i * 8200 + j)], thin[i] * thin[j]);
    const Allowed allowed{0x1p-23, ToleranceScale::magnitude, 0};
    Verification v = sampled->check(values::Element::f32, c, allowed);
    EXPECT_TRUE(v.passed) << v.text;
    EXPECT_THAT(v.method, HasSubstr("16 whole rows"));
    values::store_element(values::Element::f32, &c[std::size_t{4} * (4321 * 8200 + 1234)], 3.0L);
    v = sampled->check(values::Element::f32, c, allowed);
    EXPECT_FALSE(v.passed);
    const auto whole = answer_product(thin, thin, values::Element::f32, {100, 80, 1, {}}, 1);
    EXPECT_EQ(whole->check(values::Element::f32, c, allowed).method, "every element");
}

TEST(Tolerance, rounding_comes_on_top_and_holds_near_zero) {
    Expected e(3, false);
    e.set(0, 1.0, 4);
    e.set(1, 100.0, 4);
    e.set(2, 0.0, 4);
    const auto passes = [&](double a, double b, double c, double rounding) {
        std::vector<float> v{float(a), float(b), float(c)};
        return verify(values::Element::f32, std::as_bytes(std::span(v)), e,
                      Allowed{1e-3, ToleranceScale::magnitude, rounding})
            .passed;
    };
    EXPECT_TRUE(passes(1.0039, 100, 0, 0));
    EXPECT_FALSE(passes(1.0041, 100, 0, 0));
    EXPECT_FALSE(passes(1, 100.9, 0, 0));
    EXPECT_TRUE(passes(1, 100.9, 0, 0.01));
    EXPECT_FALSE(passes(1, 101.1, 0, 0.01));
    EXPECT_TRUE(passes(1, 100, 0.0039, 0.01));
    EXPECT_FALSE(passes(1, 100, 0.0041, 0.01));
    // Half of the least f16 is 2^-25: nothing nearer to it can be stored.
    Expected least(1, false);
    least.set(0, 0x1p-25, 0);
    std::vector<std::uint16_t> stored{1};
    const Allowed only_rounding{0, ToleranceScale::magnitude, 0x1p-11};
    EXPECT_TRUE(verify(values::Element::f16, std::as_bytes(std::span(stored)), least, only_rounding).passed);
    stored[0] = 3;
    EXPECT_FALSE(verify(values::Element::f16, std::as_bytes(std::span(stored)), least, only_rounding).passed);
}

TEST(Moved, transposes_and_copies_are_compared_bit_by_bit) {
    for (values::Element e :
         {values::Element::u8, values::Element::bf16, values::Element::f32, values::Element::i64, values::Element::f64})
        for (const auto& [m, n] : {std::pair(1, 1), {3, 5}, {64, 64}, {65, 130}, {200, 1}, {1, 3000}, {130, 1030}}) {
            const HostBuffer in = random(e, m * n, "x");
            const unsigned size = values::element_size(e);
            std::vector<std::byte> out(in.bytes.size());
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < n; ++j) std::memcpy(&out[(j * m + i) * size], &in.bytes[(i * n + j) * size], size);
            for (const Input& input : {Input(in), generated(e, m * n, "x")}) {
                const auto answer = answer_moved(input, m, n);
                Verification v = answer->check(e, out, {});
                EXPECT_TRUE(v.passed) << v.text;
                EXPECT_EQ(v.checked, static_cast<std::uint64_t>(m * n));
                EXPECT_EQ(v.method, "every element, bit by bit");
                auto wrong = out;
                const std::size_t at = out.size() / size / 2;
                wrong[at * size] ^= std::byte{1};
                v = answer->check(e, wrong, {});
                EXPECT_EQ(v.wrong, 1u);
                EXPECT_EQ(v.first_wrong, at);
                EXPECT_THAT(v.text, HasSubstr("1 of "));
                std::fill(wrong.begin(), wrong.end(), static_cast<std::byte>(answer->poison(e)));
                v = answer->check(e, wrong, {});
                EXPECT_EQ(v.wrong, static_cast<std::uint64_t>(m * n)) << values::element_name(e) << m << " " << n;
            }
        }
    EXPECT_FALSE(answer_moved(random(values::Element::f32, 4, "x"), 2, 2)->check(values::Element::f32, {}, {}).passed);
    EXPECT_TRUE(answer_moved(random(values::Element::f32, 0, "x"), 0, 7)->check(values::Element::f32, {}, {}).passed);
}

TEST(Reduce, every_type_and_operation_by_definition) {
    for (values::Element e : {values::Element::i8, values::Element::u16, values::Element::i32, values::Element::u32,
                              values::Element::i64, values::Element::u64, values::Element::e4m3, values::Element::f16,
                              values::Element::bf16, values::Element::f32, values::Element::f64})
        for (std::uint64_t n : {1u, 7u, 65536u, 200001u}) {
            const HostBuffer in = random(e, n, "x");
            const Input made = generated(e, n, "x");
            long double sum = 0, size = 0, least = in[0], most = in[0];
            for (std::uint64_t i = 0; i < n; ++i) {
                sum += in[i];
                size += std::fabs(in[i]);
                least = std::min(least, in[i]);
                most = std::max(most, in[i]);
            }
            EXPECT_EQ(reference_reduce(in, e, n, "min").value(0), least) << values::element_name(e);
            EXPECT_EQ(reference_reduce(made, e, n, "max").value(0), most) << values::element_name(e);
            const values::Element out = values::is_floating(e) ? values::Element::f64 : values::Element::i64;
            for (const Input& input : {Input(in), made}) {
                const Expected expected = reference_reduce(input, out, n, "sum");
                EXPECT_NEAR(expected.value(0), sum, values::is_floating(e) ? 1e-13L * size : 0)
                    << values::element_name(e) << n;
                if (values::is_floating(e)) {
                    EXPECT_NEAR(expected.magnitude(0), size, 1e-9L * size);
                }
            }
        }
}

TEST(Reduce, of_nothing_and_beyond_the_type) {
    const HostBuffer none{values::Element::f32, {}};
    EXPECT_EQ(reference_reduce(none, values::Element::f32, 0, "sum").value(0), 0);
    EXPECT_EQ(reference_reduce(none, values::Element::f32, 0, "min").value(0), INFINITY);
    EXPECT_EQ(reference_reduce(none, values::Element::f32, 0, "max").value(0), -INFINITY);
    EXPECT_EQ(reference_reduce(none, values::Element::i32, 0, "min").value(0), 2147483647);
    EXPECT_EQ(reference_reduce(none, values::Element::i32, 0, "max").value(0), -2147483648.0L);
    EXPECT_EQ(reference_reduce(none, values::Element::u64, 0, "min").value(0), 18446744073709551615.0L);
    EXPECT_EQ(reference_reduce(none, values::Element::u64, 0, "max").value(0), 0);
    const HostBuffer large{values::Element::f16, *values::make_contents(*values::parse_contents("const(60000)"),
                                                                        values::Element::f16, 3, "x", 1)};
    EXPECT_EQ(reference_reduce(large, values::Element::f16, 3, "sum").value(0), INFINITY);
    EXPECT_GT(reference_reduce(large, values::Element::f32, 3, "sum").value(0), 179000);
    HostBuffer odd{values::Element::f32, std::vector<std::byte>(12)};
    for (const auto& [i, v] : {std::pair(0, NAN), {1, 2.0f}, {2, -1.0f}}) std::memcpy(&odd.bytes[4 * i], &v, 4);
    EXPECT_EQ(reference_reduce(odd, values::Element::f32, 3, "max").value(0), 2);
}

}  // namespace answer_test
}  // namespace warpwright::ladder
