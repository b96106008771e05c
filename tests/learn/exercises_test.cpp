// Our own exercises: each proves what it claims of itself, and has its texts in all languages.
#include <gtest/gtest.h>

#include <set>

#include "learn/course.hpp"
#include "learn/prove.hpp"
#include "support/settings.hpp"

namespace warpwright::learn {
namespace exercises_test {

std::vector<std::string> own_exercises() {
    auto course = read_course(WARPWRIGHT_SOURCE_DIR "/course/course.toml");
    return course ? course->names() : std::vector<std::string>{};
}

/// Those whose file is a kernel or a list of answers; tests/cli proves the whole programs.
std::vector<std::string> own_kernels() {
    std::vector<std::string> out;
    for (const std::string& name : own_exercises())
        if (auto e = read_exercise(WARPWRIGHT_SOURCE_DIR "/course/" + name); e && !e->program) out.push_back(name);
    return out;
}

class OwnExercise : public testing::TestWithParam<std::string> {};
class OwnKernel : public testing::TestWithParam<std::string> {};

TEST_P(OwnKernel, ProvesItsClaims) {
    // What is proved does not depend on it, and most of a proof's time is the making of code.
    settings::choose(Setting::code, "quick");
    auto e = read_exercise(WARPWRIGHT_SOURCE_DIR "/course/" + GetParam());
    ASSERT_TRUE(e) << e.error().text();
    std::size_t claims = 0;
    auto proved = prove(*e, {}, [&](const Claim& c) {
        ++claims;
        EXPECT_TRUE(c.holds) << c.rung << ": " << c.expected << " expected, " << c.found << " found: " << c.detail;
    });
    ASSERT_TRUE(proved) << proved.error().text();
    EXPECT_TRUE(*proved);
    EXPECT_GE(claims, 2u);
}

TEST_P(OwnExercise, HasItsTextsInAllLanguages) {
    auto e = read_exercise(WARPWRIGHT_SOURCE_DIR "/course/" + GetParam());
    ASSERT_TRUE(e) << e.error().text();
    for (const std::string& language : exercise_languages()) EXPECT_TRUE(e->texts.contains(language)) << language;
    const auto said = texts_can_be_said(*e);
    EXPECT_TRUE(said) << said.error().text();
}

TEST(Prove, RefusesATextThatCannotBeSaid) {
    auto e = read_exercise(WARPWRIGHT_SOURCE_DIR "/course/coalesced");
    ASSERT_TRUE(e) << e.error().text();
    const std::string say = e->requirements.front().say;
    for (const char* wrong : {"{value:.0%}", "{found}", "{line", "{value?one}"}) {
        e->texts.at("ru").says[say] = wrong;
        const auto said = texts_can_be_said(*e);
        ASSERT_FALSE(said) << wrong;
        EXPECT_EQ(said.error().kind, ErrorKind::input);
        EXPECT_TRUE(said.error().where.file.ends_with("ru.toml"));
        EXPECT_NE(said.error().what.find(say), std::string::npos) << said.error().what;
    }
}

INSTANTIATE_TEST_SUITE_P(Course, OwnKernel, testing::ValuesIn(own_kernels()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Course, OwnExercise, testing::ValuesIn(own_exercises()),
                         [](const auto& info) { return info.param; });

TEST(Prove, HoldsTheWordsOfEachQuestionAgainstAWrongAnswer) {
    auto e = read_exercise(WARPWRIGHT_SOURCE_DIR "/course/sectors");
    ASSERT_TRUE(e) << e.error().text();
    ASSERT_GE(e->questions.size(), 3u);
    const auto failing = [&] {
        std::vector<std::string> out;
        auto proved = prove(*e, {}, [&](const Claim& c) {
            if (!c.holds) out.push_back(c.rung);
        });
        EXPECT_TRUE(proved) << proved.error().text();
        return out;
    };
    EXPECT_TRUE(failing().empty());
    // A question that takes any answer meets no words at all.
    e->questions[1].within = 1e9;
    EXPECT_EQ(failing(), std::vector<std::string>{e->questions[1].name});
}

TEST(Course, NamesEachOfItsExercisesOnce) {
    auto course = read_course(WARPWRIGHT_SOURCE_DIR "/course");
    ASSERT_TRUE(course) << course.error().text();
    const auto names = course->names();
    EXPECT_GE(names.size(), 6u);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(Course, NamesTheNearestExercise) {
    auto course = read_course(WARPWRIGHT_SOURCE_DIR "/course");
    ASSERT_TRUE(course);
    auto folder = course->folder_of("bound");
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().kind, ErrorKind::usage);
    EXPECT_NE(folder.error().hint.find("bounds"), std::string::npos) << folder.error().hint;
}

}  // namespace exercises_test
}  // namespace warpwright::learn
