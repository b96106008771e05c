// Keys that would make tables within tables without end.
#include "support/toml_keys.hpp"

#include <gtest/gtest.h>

namespace warpwright {
namespace toml_keys_test {

std::string parts(unsigned n, const std::string& part) {
    std::string key = part;
    for (unsigned k = 1; k < n; ++k) key += "." + part;
    return key;
}

unsigned line_of(const std::string& text) {
    const auto place = key_of_too_many_parts(text, "file.toml");
    if (place) {
        EXPECT_EQ(place->file, "file.toml");
    }
    return place ? place->line : 0;
}

TEST(TomlKeys, ThatGoTooDeepAreFoundHoweverTheyAreWritten) {
    for (const char* part : {"a", "\"a\"", "'a'", "\"=.#\"", " b ", "\"\\\"\""}) {
        EXPECT_EQ(line_of("x = 1\n" + parts(kMostKeyParts, part) + " = 1\n"), 0u) << part;
        EXPECT_EQ(line_of("x = 1\n" + parts(kMostKeyParts + 1, part) + " = 1\n"), 2u) << part;
        EXPECT_EQ(line_of("\n\n[" + parts(100000, part) + "]\n"), 3u) << part;
        EXPECT_EQ(line_of("x = {" + parts(100, part) + " = 1}"), 1u) << part;
    }
}

TEST(TomlKeys, TextsNumbersAndCommentsAreNone) {
    const std::string dots(1000, '.'), words = parts(1000, "and so on");
    EXPECT_EQ(line_of("x = \"" + dots + words + "\" # " + dots + "\ny = '" + words + "'"), 0u);
    EXPECT_EQ(line_of("x = \"\"\"" + words + "\n" + words + "\"\"\"\ny =  + dots + \n"), 0u);
    EXPECT_EQ(line_of("x = [1.5, 2.5, 3.5, 1.5, 2.5, 3.5, 1.5, 2.5, 3.5, 1.5, 2.5, 3.5, 1.5, 2.5, 3.5, 1.5, 2.5, 3.5]"),
              0u);
    EXPECT_EQ(line_of(parts(3, "a") + " = 1\n" + parts(16, "b") + " = 1\n"), 0u);
    EXPECT_EQ(line_of("x = \"not closed"), 0u);
    EXPECT_EQ(line_of(""), 0u);
}

}  // namespace toml_keys_test
}  // namespace warpwright
