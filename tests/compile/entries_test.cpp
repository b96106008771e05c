#include "compile/kernel/entries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpwright::compile {
namespace entries_test {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Entries, AreListedInOrder) {
    EXPECT_THAT(
        list_entries(
            ".visible .entry b(\n.param .u64 p\n)\n{\n}\n// .entry no(\n.visible .func f()\n{\n}\n.entry a()\n{\n}\n"),
        ElementsAre("b", "a"));
    EXPECT_TRUE(list_entries("").empty());
    EXPECT_TRUE(list_entries(".entry").empty());
}

TEST(Entries, AreFoundByAnyOfTheirNames) {
    const std::vector<std::string> entries{"_Z3fooILi16EEvPKfS1_Pfi", "_Z3barPf", "plain", "_ZN2ns3bazIfLj4EEEvT_"};
    for (const char* name : {"foo", "foo<16>", "_Z3fooILi16EEvPKfS1_Pfi"}) {
        auto found = find_entry(entries, name);
        ASSERT_TRUE(found.ok()) << name;
        EXPECT_EQ(*found, entries[0]);
    }
    EXPECT_EQ(*find_entry(entries, "bar"), "_Z3barPf");
    EXPECT_EQ(*find_entry(entries, "bar(float*)"), "_Z3barPf");
    EXPECT_EQ(*find_entry(entries, "plain"), "plain");
    for (const char* name : {"baz", "ns::baz", "ns::baz<float, 4>", "baz<float,4u>"}) {
        auto found = find_entry(entries, name);
        ASSERT_TRUE(found.ok()) << name;
        EXPECT_EQ(*found, entries[3]);
    }
}

TEST(Entries, ThatMatchNothingOrSeveralAreErrorsThatListThem) {
    const std::vector<std::string> entries{"_Z3fooILi16EEvPf", "_Z3fooILi32EEvPf", "plain"};
    auto none = find_entry(entries, "fooo");
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().kind, ErrorKind::input);
    EXPECT_THAT(none.error().hint, HasSubstr("foo<16>, foo<32>, plain"));
    auto two = find_entry(entries, "foo");
    ASSERT_FALSE(two.ok());
    EXPECT_THAT(two.error().hint, HasSubstr("foo<16>, foo<32>"));
    EXPECT_EQ(*find_entry(entries, "foo<32>"), entries[1]);
    EXPECT_FALSE(find_entry({}, "x").ok());
}

}  // namespace entries_test
}  // namespace warpwright::compile
