// Rules of plurals as CLDR writes them.
#include "text/plural.hpp"

#include <gtest/gtest.h>

namespace warpwright {
namespace plural_test {

std::size_t form(const std::map<std::string, std::string>& rules, std::uint64_t number) {
    auto parsed = PluralRules::parse(rules);
    EXPECT_TRUE(parsed) << parsed.error().text();
    return parsed ? parsed->form(number) : 99;
}

TEST(Plural, English_has_one_and_other) {
    const std::map<std::string, std::string> english{{"one", "n = 1"}};
    EXPECT_EQ(form(english, 1), 0u);
    for (const std::uint64_t n : {0, 2, 11, 21, 101}) EXPECT_EQ(form(english, n), 1u) << n;
}

TEST(Plural, Russian_has_one_few_and_many) {
    const std::map<std::string, std::string> russian{{"one", "n % 10 = 1 and n % 100 != 11"},
                                                     {"few", "n % 10 = 2..4 and n % 100 != 12..14"}};
    for (const std::uint64_t n : {1, 21, 101}) EXPECT_EQ(form(russian, n), 0u) << n;
    for (const std::uint64_t n : {2, 4, 22, 104}) EXPECT_EQ(form(russian, n), 1u) << n;
    for (const std::uint64_t n : {0, 5, 11, 12, 14, 112}) EXPECT_EQ(form(russian, n), 2u) << n;
}

TEST(Plural, lists_of_ranges_and_alternatives) {
    const std::map<std::string, std::string> rules{{"few", "n = 3, 5..7 or n % 100 = 0 and n != 0"}};
    for (const std::uint64_t n : {3, 5, 7, 100, 200}) EXPECT_EQ(form(rules, n), 0u) << n;
    for (const std::uint64_t n : {0, 4, 8, 101}) EXPECT_EQ(form(rules, n), 1u) << n;
}

TEST(Plural, a_language_without_rules_has_one_form) { EXPECT_EQ(form({}, 1), 0u); }

TEST(Plural, what_is_no_rule_is_refused) {
    for (const char* rule : {"", "n", "n = ", "x = 1", "n % 0 = 1", "n = 1..2..3", "n = one", "= 1", "n % 10 % 2 = 1"})
        EXPECT_FALSE(PluralRules::parse({{"one", rule}})) << rule;
    EXPECT_FALSE(PluralRules::parse({{"several", "n = 2"}}));
}

}  // namespace plural_test
}  // namespace warpwright
