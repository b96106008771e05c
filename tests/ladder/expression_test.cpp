#include <gmock/gmock.h>

#include "ladder/expression.hpp"

namespace warpwright::ladder {
namespace expression_test {

using testing::HasSubstr;

std::int64_t whole(const char* text, const Variables& v = {}) {
    auto e = Expression::parse(text);
    EXPECT_TRUE(e.ok()) << text;
    auto value = e->integer(v);
    EXPECT_TRUE(value.ok()) << (value ? "" : value.error().text());
    return value ? *value : -999;
}

TEST(Expression, arithmetic_is_exact_for_large_whole_numbers) {
    EXPECT_EQ(whole("2^31 * 2^20 + 1"), (std::int64_t{1} << 51) + 1);
    EXPECT_EQ(whole("M*K + K*N", {{"M", 46341}, {"N", 46341}, {"K", 46341}}), 2ll * 46341 * 46341);
    EXPECT_EQ(whole("2^53"), std::int64_t{1} << 53);
}

TEST(Expression, functions) {
    EXPECT_EQ(whole("ceil_div(0, 16)"), 0);
    EXPECT_EQ(whole("ceil_div(1, 16)"), 1);
    EXPECT_EQ(whole("ceil_div(16, 16)"), 1);
    EXPECT_EQ(whole("ceil_div(17, 16)"), 2);
    EXPECT_EQ(whole("div(7, 2)"), 3);
    EXPECT_EQ(whole("mod(7, 4)"), 3);
    EXPECT_EQ(whole("round_up(33, 32)"), 64);
    EXPECT_EQ(whole("next_pow2(1000)"), 1024);
    EXPECT_EQ(whole("next_pow2(0)"), 1);
    EXPECT_EQ(whole("max(1, 5, 3) - min(4, 2)"), 3);
    EXPECT_EQ(whole("log2(1024)"), 10);
    EXPECT_EQ(whole("n > 4 && n < 9 ? 1 : 2", {{"n", 5}}), 1);
}

TEST(Expression, a_fraction_is_no_whole_number) {
    auto value = Expression::parse("7/2")->integer({});
    ASSERT_FALSE(value.ok());
    EXPECT_THAT(value.error().text(), HasSubstr("3.5"));
    EXPECT_THAT(value.error().hint, HasSubstr("ceil_div"));
}

TEST(Expression, refuses_what_is_not_finite_or_too_large) {
    EXPECT_FALSE(Expression::parse("1/n")->real({{"n", 0}}).ok());
    EXPECT_FALSE(Expression::parse("div(5, 0)")->integer({}).ok());
    EXPECT_FALSE(Expression::parse("2^53 + 2")->integer({}).ok());
    EXPECT_FALSE(Expression::parse("log2(0)")->real({}).ok());
}

TEST(Expression, errors_have_their_place) {
    auto e = Expression::parse("ceil_div(N, ", Location{"ladder.toml", 12, 8});
    ASSERT_FALSE(e.ok());
    EXPECT_THAT(e.error().text(), testing::StartsWith("ladder.toml:12:8: error: in 'ceil_div(N, '"));
    EXPECT_FALSE(Expression::parse("").ok());
    EXPECT_FALSE(Expression::parse("1, 2").ok());
    EXPECT_FALSE(Expression::parse("foo(3)").ok());
}

TEST(Expression, unknown_names_are_errors_that_list_the_known) {
    auto value = Expression::parse("TILE * 2", Location{"l.toml", 3, 1})->integer({{"N", 4}});
    ASSERT_FALSE(value.ok());
    EXPECT_EQ(value.error().text(), "l.toml:3:1: error: in 'TILE * 2': 'TILE' is not known here (known: N)");
}

TEST(Expression, bound_expressions_follow_their_variables) {
    Variables v{{"i", 0}, {"x", 0}};
    auto e = *Expression::parse("2*x + i");
    auto bound = BoundExpression::bind(e, v);
    ASSERT_TRUE(bound.ok());
    v["x"] = 3;
    v["i"] = 4;
    EXPECT_EQ((*bound)(), 10);
}

}  // namespace expression_test
}  // namespace warpwright::ladder
