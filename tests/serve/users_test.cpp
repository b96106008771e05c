// Tokens and their users, and how often one may ask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files.hpp"
#include "serve/users.hpp"

namespace warpwright::serve {
namespace users_test {

using testing::HasSubstr;

TEST(NewToken, IsAnotherOneEachTime) {
    auto one = new_token(), two = new_token();
    ASSERT_TRUE(one && two);
    EXPECT_EQ(one->size(), 32u);
    EXPECT_NE(*one, *two);
}

TEST(Users, AreKnownByTheirTokens) {
    const test::Folder folder;
    auto users = Users::read(
        folder.write("u.toml", "[users]\nanna = \"0123456789abcdef\"\nbert = \"fedcba9876543210\"\n").string(), 2);
    ASSERT_TRUE(users) << users.error().text();
    EXPECT_EQ(users->who("0123456789abcdef"), "anna");
    EXPECT_EQ(users->who("0123456789abcdeF"), std::nullopt);
    EXPECT_EQ(users->who(""), std::nullopt);
    EXPECT_EQ(Users::alone("t").who("t"), "");
}

TEST(Users, MayAskSoOftenInAMinute) {
    const test::Folder folder;
    auto users = Users::read(folder.write("u.toml", "[users]\nanna = \"0123456789abcdef\"\n").string(), 2);
    ASSERT_TRUE(users);
    EXPECT_TRUE(users->may("anna", 0));
    EXPECT_TRUE(users->may("anna", 1));
    EXPECT_FALSE(users->may("anna", 2));
    EXPECT_TRUE(users->may("anna", 40));
    EXPECT_FALSE(users->may("anna", 30));  // a clock that goes back gives nothing
    Users alone = Users::alone("t");
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(alone.may("", 0));
}

TEST(Users, NameTheLineThatIsWrong) {
    const test::Folder folder;
    const auto error = [&](const std::string& text) {
        auto users = Users::read(folder.write("u.toml", text).string(), 0);
        return users ? std::string() : users.error().text();
    };
    EXPECT_THAT(error("[users]\nanna = \"short\"\n"), HasSubstr("u.toml:2:"));
    EXPECT_THAT(error("[users]\nanna = \"0123456789abcdef\"\nbert = \"0123456789abcdef\"\n"), HasSubstr("same token"));
    EXPECT_THAT(error("[users]\n\"../x\" = \"0123456789abcdef\"\n"), HasSubstr("u.toml:2:"));
    EXPECT_THAT(error("anna = 3\n"), HasSubstr("u.toml"));
    EXPECT_THAT(error("[users\n"), HasSubstr("u.toml"));
}

}  // namespace users_test
}  // namespace warpwright::serve
