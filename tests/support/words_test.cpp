// Texts of the report: found by key, figures put in by name, and nothing missing unseen.
#include "support/words.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "common/files.hpp"

namespace warpwright {
namespace {

std::multiset<std::string> figures(const std::string& text) {
    static const std::regex name("\\{([a-z_0-9]+)[:}]");
    std::multiset<std::string> out;
    for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) out.insert((*it)[1]);
    return out;
}

/// Lines "key = ..." of a language's file, for load() fills up what it lacks.
std::size_t keys(const std::string& language) {
    std::ifstream in(std::string(WARPWRIGHT_SOURCE_DIR) + "/data/text/" + language + ".toml");
    static const std::regex key("^[A-Za-z0-9_.-]+ = .*");
    std::size_t count = 0;
    for (std::string line; std::getline(in, line);) count += std::regex_match(line, key);
    return count;
}

TEST(Words, figures_are_put_in_by_name) {
    const Words words = Words::of("en", {{"a.b", "{n} words, {share:.1f} % of {what}"}});
    EXPECT_EQ(words("a.b", {{"share", 12.345}, {"n", 7}, {"what", std::string("all")}}), "7 words, 12.3 % of all");
}

TEST(Words, a_key_or_figure_that_is_missing_is_seen) {
    const Words words = Words::of("en", {{"a", "{n}"}});
    EXPECT_EQ(words("a"), "[a]");
    EXPECT_EQ(words("b"), "[b]");
}

TEST(Words, an_unknown_language_is_an_error_that_names_those_there_are) {
    const auto words = Words::load("xx");
    ASSERT_FALSE(words);
    EXPECT_EQ(words.error().kind, ErrorKind::usage);
    EXPECT_NE(words.error().hint.find("en"), std::string::npos);
    EXPECT_FALSE(Words::load("../text/en"));
}

TEST(Words, a_damaged_file_is_located) {
    const test::Folder folder;
    folder.write("qq.toml", "[a]\nb = \"fine\"\nc = 3\n");
    setenv("WARPWRIGHT_TEXT", folder.string().c_str(), 1);
    const auto words = Words::load("qq");
    unsetenv("WARPWRIGHT_TEXT");
    ASSERT_FALSE(words);
    EXPECT_EQ(words.error().where.line, 3u);
}

TEST(Words, every_language_has_the_english_texts_with_the_same_figures) {
    const auto english = Words::load("en");
    ASSERT_TRUE(english) << english.error().text();
    for (const std::string& language : Words::languages()) {
        const std::string file = std::string(WARPWRIGHT_SOURCE_DIR) + "/data/text/" + language + ".toml";
        ASSERT_TRUE(std::filesystem::exists(file)) << file;
        const auto words = Words::load(language);
        ASSERT_TRUE(words) << words.error().text();
        EXPECT_EQ(words->texts().size(), english->texts().size()) << language << " has keys that English lacks";
        EXPECT_EQ(keys(language), keys("en")) << language << " lacks keys, which are shown in English";
        for (const auto& [key, text] : english->texts()) {
            ASSERT_TRUE(words->has(key));
            EXPECT_EQ(figures(words->texts().at(key)), figures(text)) << language << ": " << key;
        }
    }
}

}  // namespace
}  // namespace warpwright
