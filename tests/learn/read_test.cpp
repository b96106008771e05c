// Files of exercises, courses and progress: what is wrong with them is told with its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "common/files.hpp"
#include "learn/course.hpp"
#include "learn/exercise.hpp"
#include "learn/progress.hpp"

namespace warpwright::learn {
namespace read_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

using test::text_of;

/// The exercise `bounds` with one text of one file replaced by another.
std::string error_with(const std::string& file, const std::string& from, const std::string& to) {
    const test::Folder folder;
    for (const auto& entry : fs::directory_iterator(WARPWRIGHT_SOURCE_DIR "/course/bounds")) {
        const std::string name = entry.path().filename().string();
        std::string text = text_of(entry.path().string());
        if (name == file) {
            const auto at = text.find(from);
            if (at == std::string::npos) return "the text to replace is not there";
            text.replace(at, from.size(), to);
        }
        folder.write(name, text);
    }
    auto e = read_exercise(folder.string());
    return e ? "" : e.error().text();
}

TEST(ReadExercise, TellsWhatIsWrongAndWhere) {
    EXPECT_EQ(error_with("exercise.toml", "schema = 1", "schema = 1"), "");
    EXPECT_THAT(error_with("exercise.toml", "schema = 1", "schema = 2"), HasSubstr("exercise.toml:"));
    EXPECT_THAT(error_with("exercise.toml", "out-of-bounds", "out-of-bound"), HasSubstr("no finding 'out-of-bound'"));
    EXPECT_THAT(error_with("exercise.toml", "say = \"guard\"", "say = \"gard\""), HasSubstr("no [say] 'gard'"));
    EXPECT_THAT(error_with("exercise.toml", "rung = \"no_guard\"", "rung = \"nobody\""), HasSubstr("no rung 'nobody'"));
    EXPECT_THAT(error_with("exercise.toml", "file = \"bounds.cu\"", "file = \"../bounds.cu\""),
                HasSubstr("plain name"));
    EXPECT_THAT(error_with("exercise.toml", "sizes = [[1000]", "sizes = [[1000, 2]"), HasSubstr("the problem has 1"));
    EXPECT_THAT(error_with("exercise.toml", "sizes = [[1000]", "sizes = [[-1]"), HasSubstr("whole numbers"));
    EXPECT_THAT(error_with("exercise.toml", "measured", "measure"), HasSubstr("unknown key 'measure'"));
    EXPECT_THAT(error_with("ru.toml", "unfinished =", "finished ="), HasSubstr("ru.toml"));
    EXPECT_THAT(error_with("en.toml", "title =", "titel ="), HasSubstr("unknown key 'titel'"));
    EXPECT_THAT(error_with("exercise.toml", "[findings]", "[findings"), HasSubstr("exercise.toml:"));
}

TEST(ReadExercise, TakesAWholeProgram) {
    auto e = read_exercise(WARPWRIGHT_SOURCE_DIR "/course/error_checks");
    ASSERT_TRUE(e) << e.error().text();
    EXPECT_TRUE(e->program);
    EXPECT_EQ(e->ladder.size_names, (std::vector<std::string>{"n", "threads"}));
    const test::Folder folder;
    for (const auto& entry : fs::directory_iterator(WARPWRIGHT_SOURCE_DIR "/course/error_checks"))
        folder.write(entry.path().filename().string(), text_of(entry.path().string()));
    const auto error = [&](const std::string& from, const std::string& to) {
        std::string text = text_of(WARPWRIGHT_SOURCE_DIR "/course/error_checks/exercise.toml");
        text.replace(text.find(from), from.size(), to);
        folder.write("exercise.toml", text);
        auto read = read_exercise(folder.string());
        return read ? std::string() : read.error().text();
    };
    EXPECT_THAT(error("start = \"sum.cu\"", "start = \"../sum.cu\""), HasSubstr("there is no file '../sum.cu'"));
    EXPECT_THAT(error("arguments = [\"n\", \"threads\"]", "arguments = []"), HasSubstr("'arguments'"));
    EXPECT_THAT(error("goes_on", "goes_out"), HasSubstr("no rung 'goes_on'"));
}

TEST(ReadHeading, HasTheTitleInTheLanguageAskedFor) {
    auto heading = read_heading(WARPWRIGHT_SOURCE_DIR "/course/bounds", "fi");
    ASSERT_TRUE(heading) << heading.error().text();
    EXPECT_EQ(heading->name, "bounds");
    EXPECT_EQ(heading->file, "bounds.cu");
    EXPECT_EQ(heading->source, "000");
    EXPECT_THAT(heading->title, HasSubstr("alkiota"));
    EXPECT_THAT(read_heading(WARPWRIGHT_SOURCE_DIR "/course/bounds", "sv")->title, HasSubstr("One thread"));
    EXPECT_FALSE(read_heading("/nowhere"));
}

TEST(ReadCourse, TellsWhatIsWrongAndWhere) {
    const test::Folder folder;
    const auto error = [&](const std::string& text) {
        auto course = read_course(folder.write("course.toml", text).string());
        return course ? std::string() : course.error().text();
    };
    EXPECT_EQ(error("schema = 1\ntitle = \"mine\"\nexercises = [\"bounds\"]\n"), "");
    EXPECT_THAT(error("exercises = [\"boundz\"]\n"), HasSubstr("course.toml:1:"));
    EXPECT_THAT(error("exercises = []\n"), HasSubstr("list of names"));
    EXPECT_THAT(error("exercises = [\"bounds\", \"tiles\", \"bounds\"]\n"), HasSubstr("'bounds' is named twice"));
    EXPECT_THAT(error("exercises = [\n"), HasSubstr("course.toml:"));
}

TEST(Progress, IsKeptAndLosesNothing) {
    const test::Folder folder;
    const std::string file = folder.string() + "/deeper/learn.json";
    auto progress = Progress::read(file);
    ASSERT_TRUE(progress);
    EXPECT_EQ(progress->of("bounds"), Standing{});
    ASSERT_TRUE(progress->set("bounds", {"2026-01-02T03:04:05Z", 2, 5}));
    ASSERT_TRUE(progress->set("padding", {"", 1, 1}));
    auto again = Progress::read(file);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->of("bounds"), (Standing{"2026-01-02T03:04:05Z", 2, 5}));
    EXPECT_EQ(again->of("padding"), (Standing{"", 1, 1}));
}

TEST(ProgressDeathTest, IsKeptWhereTheDiskIsFull) {
    const test::Folder folder;
    const std::string file = folder.string() + "/learn.json";
    auto progress = Progress::read(file);
    ASSERT_TRUE(progress);
    ASSERT_TRUE(progress->set("bounds", {"2026-01-02T03:04:05Z", 2, 5}));
    const std::string before = text_of(file);
    // No file of this process may grow: writing ends as on a disk without room.
    const auto on_a_full_disk = [&] {
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit none{};
        ::setrlimit(RLIMIT_FSIZE, &none);
        const auto kept = progress->set("padding", {"", 1, 1});
        std::_Exit(!kept && kept.error().text().find('\n') == std::string::npos ? 0 : 1);
    };
    EXPECT_EXIT(on_a_full_disk(), testing::ExitedWithCode(0), "");
    EXPECT_EQ(text_of(file), before);
    auto again = Progress::read(file);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->of("bounds"), (Standing{"2026-01-02T03:04:05Z", 2, 5}));
}

TEST(Progress, RefusesAnotherFile) {
    const test::Folder folder;
    for (const char* text : {"", "[]", "{\"schema\": 7}", "{\"schema\": 1, \"exercises\": {\"a\": 3}}"}) {
        const std::string file = folder.write("learn.json", text);
        auto progress = Progress::read(file);
        ASSERT_FALSE(progress) << text;
        EXPECT_EQ(progress.error().kind, ErrorKind::input);
        EXPECT_EQ(text_of(file), text);
    }
}

}  // namespace read_test
}  // namespace warpwright::learn
