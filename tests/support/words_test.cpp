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

/// Lines "key = ..." of a language's own file and of its tables in the experiments' files, for load() fills up what it
/// lacks.
std::size_t keys(const std::string& language) {
    const std::string folder = std::string(WARPWRIGHT_SOURCE_DIR) + "/data/text/";
    static const std::regex key("^[A-Za-z0-9_.-]+ = .*"), table("^\\[([a-z]+).*");
    std::size_t count = 0;
    std::ifstream shared(folder + language + ".toml");
    for (std::string line; std::getline(shared, line);) count += std::regex_match(line, key);
    for (const auto& entry : std::filesystem::directory_iterator(folder + "experiments")) {
        std::ifstream in(entry.path());
        bool own = false;
        std::smatch match;
        for (std::string line; std::getline(in, line);) {
            if (std::regex_match(line, match, table)) own = match[1] == language;
            count += own && std::regex_match(line, key);
        }
    }
    return count;
}

TEST(Words, figures_are_put_in_by_name) {
    const Words words = Words::of("en", {{"a.b", "{n} words, {share:.1f} % of {what}"}});
    EXPECT_EQ(words("a.b", {{"share", 12.345}, {"n", 7}, {"what", std::string("all")}}), "7 words, 12.3 % of all");
}

TEST(Words, whole_numbers_of_five_digits_are_grouped) {
    const Words english = Words::of("en", {{"a", "{n} elements"}});
    EXPECT_EQ(english("a", {{"n", std::int64_t{4096}}}), "4096 elements");
    EXPECT_EQ(english("a", {{"n", std::int64_t{29136}}}), "29,136 elements");
    EXPECT_EQ(english("a", {{"n", std::int64_t{-1048576}}}), "-1,048,576 elements");
    EXPECT_EQ(Words::of("xx", {{"a", "{n}"}, {"number.group", "."}})("a", {{"n", std::int64_t{131072}}}), "131.072");
}

TEST(Words, no_blank_stands_between_han_characters) {
    const Words words = Words::of("zh", {{"a", "瓶颈是 {what}。"}});
    EXPECT_EQ(words("a", {{"what", std::string("指令发射")}}), "瓶颈是指令发射。");
    EXPECT_EQ(words("a", {{"what", std::string("DRAM")}}), "瓶颈是 DRAM。");
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

TEST(Words, an_experiment_has_its_texts_in_one_file) {
    const test::Folder folder;
    folder.write("experiments/probe.toml", "order = 1\n[en]\na = \"one\"\nb = \"two\"\n[fi]\na = \"yksi\"\n");
    setenv("WARPWRIGHT_TEXT", folder.string().c_str(), 1);
    const auto english = Words::load("en"), finnish = Words::load("fi");
    folder.write("experiments/probe.toml", "order = 1\n[fi]\na = 3\n");
    const auto damaged = Words::load("fi");
    unsetenv("WARPWRIGHT_TEXT");
    ASSERT_TRUE(english && finnish);
    EXPECT_EQ((*english)("probe.a"), "one");
    EXPECT_EQ((*finnish)("probe.a"), "yksi");
    EXPECT_EQ((*finnish)("probe.b"), "two") << "what a language lacks is shown in English";
    ASSERT_FALSE(damaged);
    EXPECT_EQ(damaged.error().where.line, 3u);
}

TEST(Words, texts_of_all_languages_hold_each) {
    const auto words = Words::load_all("en");
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_EQ(words->all_languages().front(), "en");
    EXPECT_EQ(words->all_languages().size(), Words::languages().size());
    const std::string basis = (*words)("basis.measured");
    for (const std::string& language : Words::languages()) {
        const Words own = words->in(language);
        EXPECT_EQ(own.language(), language);
        EXPECT_EQ(in_language(basis, language), own("basis.measured"));
        // A text of several languages as a figure of another one, and text around it.
        const std::string both = "a " + (*words)("explain.picture", {{"expression", basis}, {"warp", 3}}) + " b";
        EXPECT_EQ(in_language(both, language),
                  "a " + own("explain.picture", {{"expression", own("basis.measured")}, {"warp", 3}}) + " b");
    }
    EXPECT_EQ(languages_of(basis).size(), 4u);
    EXPECT_EQ(in_language(basis, "xx"), "measured") << "the first, where there is no such";
    EXPECT_EQ(in_language("plain \x02 text", "fi"), "plain \x02 text") << "what has no end is no mark";
    EXPECT_EQ(of_languages({{"en", "N"}, {"fi", "N"}}), "N") << "one wording needs no marks";
}

TEST(Words, figures_have_the_signs_and_units_of_the_language) {
    const auto words = Words::load_all("en");
    ASSERT_TRUE(words);
    const std::string rate = words->figure("1,234.5 GB/s");
    EXPECT_EQ(in_language(rate, "en"), "1,234.5 GB/s");
    EXPECT_EQ(in_language(rate, "ru"), "1\u00a0234,5 ГБ/с");
    EXPECT_EQ(in_language(rate, "fi"), "1\u00a0234,5 GB/s");
    EXPECT_EQ(in_language(rate, "zh"), "1,234.5 GB/s");
    const Words russian = words->in("ru");
    EXPECT_EQ(russian.figure("2.5"), "2,5");
    EXPECT_EQ(russian.unit("ms"), "мс");
    EXPECT_EQ(russian.unit("apples"), "apples");
    const std::string peak =
        russian("ladder.conclusion.share.bound", {{"rung", "r"}, {"share", 12.34}, {"resource", "DRAM"}});
    EXPECT_NE(peak.find("12,3 %"), std::string::npos) << peak;
    const std::string best =
        russian("ladder.conclusion.best.bound",
                {{"problem", "p"}, {"rung", "r"}, {"time", Figure{"1.04 µs"}}, {"rate", Figure{"152 GFLOP/s"}}});
    EXPECT_NE(best.find("1,04 мкс"), std::string::npos) << best;
}

TEST(Words, a_phrase_is_found_by_what_it_is_in_english) {
    const test::Folder folder;
    folder.write("phrases/fi.toml", "\"three nested loops\" = \"kolme silmukkaa\"\n");
    setenv("WARPWRIGHT_TEXT", folder.string().c_str(), 1);
    const auto words = Words::load_all("en");
    folder.write("phrases/fi.toml", "\"three nested loops\" = 3\n");
    const auto damaged = Words::load("fi");
    unsetenv("WARPWRIGHT_TEXT");
    ASSERT_TRUE(words);
    EXPECT_EQ(in_language(words->phrase("three nested loops"), "fi"), "kolme silmukkaa");
    EXPECT_EQ(in_language(words->phrase("three nested loops"), "en"), "three nested loops");
    EXPECT_EQ(words->phrase("no such phrase"), "no such phrase");
    ASSERT_FALSE(damaged);
    EXPECT_EQ(damaged.error().where.line, 1u);
}

TEST(Words, a_phrase_has_places_for_figures_and_phrases) {
    const test::Folder folder;
    folder.write("phrases/ru.toml",
                 "\"needs {n} of {what}\" = \"нужно {what}: {n}\"\n\"memory\" = \"память\"\n"
                 "\"it is {x}; {why}\" = \"это {x} ({why})\"\n");
    setenv("WARPWRIGHT_TEXT", folder.string().c_str(), 1);
    const auto words = Words::load("ru");
    unsetenv("WARPWRIGHT_TEXT");
    ASSERT_TRUE(words);
    EXPECT_EQ(words->phrase("needs 2.5 KiB of memory"), "нужно память: 2,5 КиБ");
    EXPECT_EQ(words->phrase("needs  of memory"), "needs  of memory");
    EXPECT_EQ(words->phrase("it needs 2 of memory"), "it needs 2 of memory");
    EXPECT_EQ(words->phrase("it is 3; needs 4 of memory; else"), "это 3 (нужно memory; else: 4)");
    EXPECT_EQ(words->phrase("it is 3"), "it is 3");
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
