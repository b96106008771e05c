// Texts in a language: found by key, arguments put in by name, and nothing missing unseen.
#include "text/words.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "common/files.hpp"

namespace warpwright {
namespace words_test {

/// Words with a folder of texts before the others.
Result<Words> load_with(const test::Folder& folder, const char* language, bool all = false) {
    setenv("WARPWRIGHT_TEXT", folder.string().c_str(), 1);
    auto words = all ? Words::load_all(language) : Words::load(language);
    unsetenv("WARPWRIGHT_TEXT");
    return words;
}

TEST(Words, arguments_are_put_in_by_name) {
    const Words words = Words::of("en", {{"a.b", "{n} words, {share:.1f} % of {what}"}});
    EXPECT_EQ(words("a.b", {{"share", 12.345}, {"n", 7}, {"what", "all"}}), "7 words, 12.3 % of all");
}

TEST(Words, whole_numbers_of_five_digits_are_grouped) {
    const Words english = Words::of("en", {{"a", "{n} elements"}});
    EXPECT_EQ(english("a", {{"n", std::int64_t{4096}}}), "4096 elements");
    EXPECT_EQ(english("a", {{"n", std::int64_t{29136}}}), "29,136 elements");
    EXPECT_EQ(english("a", {{"n", std::int64_t{-1048576}}}), "-1,048,576 elements");
    EXPECT_EQ(Words::of("xx", {{"a", "{n}"}, {"number.group", "."}})("a", {{"n", std::int64_t{131072}}}), "131.072");
}

TEST(Words, a_noun_has_the_form_of_its_number) {
    const Words english = Words::of("en", {{"a", "{n} {n?block|blocks}"}, {"plural.one", "n = 1"}});
    EXPECT_EQ(english("a", {{"n", std::int64_t{1}}}), "1 block");
    EXPECT_EQ(english("a", {{"n", std::int64_t{2}}}), "2 blocks");
    EXPECT_EQ(english("a", {{"n", Figure{"1"}}}), "1 block");
    EXPECT_EQ(english("a", {{"n", Figure{"1,001"}}}), "1,001 blocks");
    for (const char* no_number : {"1.0", "1 KiB"})
        EXPECT_EQ(english("a", {{"n", Figure{no_number}}}), std::string(no_number) + " blocks");
    const Words russian = Words::of("ru", {{"a", "{n} {n?блок|блока|блоков}"},
                                           {"plural.one", "n % 10 = 1 and n % 100 != 11"},
                                           {"plural.few", "n % 10 = 2..4 and n % 100 != 12..14"}});
    EXPECT_EQ(russian("a", {{"n", std::int64_t{21}}}), "21 блок");
    EXPECT_EQ(russian("a", {{"n", std::int64_t{3}}}), "3 блока");
    EXPECT_EQ(russian("a", {{"n", std::int64_t{12}}}), "12 блоков");
    EXPECT_EQ(Words::of("fi", {{"a", "{n} {n?x|y}"}})("a", {{"n", std::int64_t{1}}}), "[a]")
        << "more forms than plurals";
}

TEST(Words, no_blank_stands_between_characters_of_a_closed_script) {
    const Words words = Words::of("zh", {{"a", "瓶颈是 {what}。"}, {"script.closed", "U+3000-U+9FFF U+FF00-U+FFEF"}});
    EXPECT_EQ(words("a", {{"what", "指令发射"}}), "瓶颈是指令发射。");
    EXPECT_EQ(words("a", {{"what", "DRAM"}}), "瓶颈是 DRAM。");
}

TEST(Words, a_key_or_argument_that_is_missing_is_seen) {
    const Words words = Words::of("en", {{"a", "{n}"}, {"c", "{n"}});
    EXPECT_EQ(words("a"), "[a]");
    EXPECT_EQ(words("b"), "[b]");
    EXPECT_EQ(words("c", {{"n", std::int64_t{1}}}), "[c]");
    EXPECT_EQ(words.render(message_or("b", "the English of it")), "the English of it");
}

TEST(Words, an_unknown_language_is_an_error_that_names_those_there_are) {
    const auto words = Words::load("xx");
    ASSERT_FALSE(words);
    EXPECT_EQ(words.error().kind, ErrorKind::usage);
    EXPECT_NE(words.error().hint.find("en"), std::string::npos);
    EXPECT_FALSE(Words::load("../text/en"));
    EXPECT_FALSE(Words::load(""));
}

TEST(Words, a_folder_is_a_language) {
    const test::Folder folder;
    folder.write("qq/language.toml", "[number]\ndecimal = \";\"\n");
    folder.write("qq/experiments/banks.toml", "title = \"Banko\"\n");
    folder.write("qq/ladders/reduce.toml", "[rung.sequential]\ntitle = \"unu post alia\"\n");
    const auto words = load_with(folder, "qq");
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_EQ((*words)("banks.title"), "Banko");
    EXPECT_EQ(words->figure("2.5"), "2;5");
    EXPECT_EQ(words->render(ladder_text("reduce", "rung.sequential.title", "sequential")), "unu post alia");
    EXPECT_EQ((*words)("banks.heading.nothing"), "[banks.heading.nothing]");
    EXPECT_EQ((*words)("report.results"), "Results") << "what a language lacks is shown in English";
    folder.write("qq/experiments/banks.toml", "title = \"Banko\"\nb = 3\n");
    const auto damaged = load_with(folder, "qq");
    ASSERT_FALSE(damaged);
    EXPECT_EQ(damaged.error().where.line, 2u);
    folder.write("qq/experiments/banks.toml", "title = \"Banko\"\n");
    folder.write("qq/language.toml", "[plural]\none = \"never\"\n");
    EXPECT_FALSE(load_with(folder, "qq")) << "rules of plurals that are none";
}

TEST(Words, English_needs_no_folder) {
    const Words& plain = Words::plain();
    const auto english = Words::load("en");
    ASSERT_TRUE(english) << english.error().text();
    EXPECT_EQ(plain.texts(), english->texts()) << "the program's own English is older than data/text/en";
}

TEST(Words, a_text_is_said_in_each_language) {
    const auto words = Words::load_all("en");
    ASSERT_TRUE(words) << words.error().text();
    EXPECT_EQ(words->all_languages().front(), "en");
    EXPECT_EQ(words->all_languages().size(), Words::languages().size());
    // A text as an argument of another one, and plain text around it.
    const Text basis = message("basis.measured");
    const Text both = "a " + message("explain.picture", {{"expression", basis}, {"warp", std::int64_t{3}}}) + " b";
    for (const std::string& language : Words::languages()) {
        const Words& own = words->in(language);
        EXPECT_EQ(own.language(), language);
        EXPECT_EQ(own.render(basis), own("basis.measured"));
        EXPECT_EQ(
            own.render(both),
            "a " + own("explain.picture", {{"expression", own("basis.measured")}, {"warp", std::int64_t{3}}}) + " b");
    }
}

TEST(Words, figures_have_the_signs_and_units_of_the_language) {
    const auto words = Words::load_all("en");
    ASSERT_TRUE(words);
    EXPECT_EQ(words->in("en").figure("1,234.5 GB/s"), "1,234.5 GB/s");
    EXPECT_EQ(words->in("ru").figure("1,234.5 GB/s"), "1\u00a0234,5 ГБ/с");
    EXPECT_EQ(words->in("fi").figure("1,234.5 GB/s"), "1\u00a0234,5 GB/s");
    EXPECT_EQ(words->in("zh").figure("1,234.5 GB/s"), "1,234.5 GB/s");
    const Words& russian = words->in("ru");
    EXPECT_EQ(russian.figure("2.5"), "2,5");
    EXPECT_EQ(russian.render(Figure{"2.5 ms"}), "2,5 мс");
    EXPECT_EQ(russian.unit("ms"), "мс");
    EXPECT_EQ(russian.unit("apples"), "apples");
    const std::string peak =
        russian("ladder.conclusion.share.bound", {{"rung", "r"}, {"share", 12.34}, {"resource", "DRAM"}});
    EXPECT_NE(peak.find("12,3 %"), std::string::npos) << peak;
}

TEST(Words, labels_have_the_colon_of_the_language) {
    const auto words = Words::load_all("en");
    ASSERT_TRUE(words);
    EXPECT_EQ(words->labelled("naive", "each thread"), "naive: each thread");
    EXPECT_EQ(words->in("zh").labelled("naive", "每个线程"), "naive：每个线程");
    EXPECT_EQ(words->in("zh").render(labelled("naive", "每个线程")), "naive：每个线程");
}

TEST(Text, plain_text_beside_plain_text_is_one) {
    EXPECT_EQ(Text("a") + "b", Text("ab"));
    EXPECT_TRUE(Text("").empty());
    EXPECT_TRUE((Text() + "").empty());
    EXPECT_FALSE(message("a").empty());
    Text twice = "a";
    twice += twice;
    EXPECT_EQ(twice, Text("aa"));
}

TEST(Text, wordings_of_a_file_are_shown_by_language) {
    const Text both = of_wordings({{"en", "measured"}, {"fi", "mitattu"}});
    EXPECT_EQ(Words::of("fi", {}).render(both), "mitattu");
    EXPECT_EQ(Words::of("xx", {}).render(both), "measured") << "the first, where there is no such";
    EXPECT_EQ(languages_of(both), (std::vector<std::string>{"en", "fi"}));
    EXPECT_EQ(of_wordings({{"en", "N"}, {"fi", "N"}}), Text("N")) << "one wording is plain text";
}

TEST(Carried, sentences_of_records_are_texts) {
    const auto words = Words::load("fi");
    ASSERT_TRUE(words);
    EXPECT_EQ(words->render(carried_text("the model has no L2 bandwidth: no L2 term")), (*words)("note.no_l2"));
    EXPECT_EQ(words->render(carried_text("no time is predicted: the launch kept no trace")),
              (*words)("prediction.none", {{"why", (*words)("prediction.why.no_trace")}}));
    EXPECT_EQ(words->render(carried_text("timed on the first 1,234 of 2,048 rows, and multiplied to the time of all")),
              (*words)("note.first_rows", {{"a", Figure{"1,234"}}, {"b", Figure{"2,048"}}}));
    EXPECT_EQ(words->render(carried_text("no such sentence")), "no such sentence");
    EXPECT_EQ(
        Words::plain().render(carried_text("1 launches: counts are their sum, grid and block those of the first")),
        "1 launch: counts are their sum, grid and block those of the first");
}

}  // namespace words_test
}  // namespace warpwright
