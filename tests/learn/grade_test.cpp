// Grades: what a submission is worth by the course's rules, and the files for other programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/files.hpp"
#include "learn/grade.hpp"

namespace warpwright::learn {
namespace grade_test {

using testing::HasSubstr;

Course course() {
    Course c;
    c.title = "A & B";
    c.folders = {WARPWRIGHT_SOURCE_DIR "/course/bounds", WARPWRIGHT_SOURCE_DIR "/course/sectors"};
    c.grading = {7, 0.6, 0.25, 0.5};
    c.points = {{"bounds", 10}};
    c.due = {{"bounds", "2026-10-01T22:00:00Z"}};
    return c;
}

Judged judged(bool done, bool right) {
    return {done, {{"compiles", true}, {"no_findings", right}, {"right", right}, {"requirement x", done}}, "", "", ""};
}

TEST(GradeOf, GivesPointsForARightResultAndTheRestForAll) {
    const Course c = course();
    const Submission s{"anna", "bounds", "bounds.cu"};
    EXPECT_EQ(grade_of(c, s, judged(true, true), {}).points, 10);
    EXPECT_EQ(grade_of(c, s, judged(false, true), {}).points, 6);
    EXPECT_EQ(grade_of(c, s, judged(false, true), {}).state, "partial");
    EXPECT_EQ(grade_of(c, s, judged(false, false), {}).points, 0);
    EXPECT_EQ(grade_of(c, {"anna", "sectors", "f"}, judged(true, true), {}).points, 1);
    const Judged answers{
        false, {{"answer a", true}, {"answer b", false}, {"answer c", true}, {"answer d", true}}, "", "", ""};
    EXPECT_EQ(grade_of(c, {"anna", "sectors", "f"}, answers, {}).points, 0.75);
    EXPECT_EQ(grade_of(c, {"anna", "bounds", ""}, judged(true, true), {}).state, "missing");
    const Grade failed = grade_of(c, s, Error{ErrorKind::fault, "it ended the judge", Location{}, ""}, {});
    EXPECT_EQ(failed.state, "failed");
    EXPECT_EQ(failed.points, 0);
}

TEST(GradeOf, TakesPointsForEachDayThatBegan) {
    const Course c = course();
    const Submission s{"anna", "bounds", "bounds.cu"};
    const auto points = [&](const char* at) { return grade_of(c, s, judged(true, true), {{"anna", at}}).points; };
    EXPECT_EQ(points("2026-10-01T22:00:00Z"), 10);
    EXPECT_EQ(points("2026-10-01T22:00:01Z"), 7.5);
    EXPECT_EQ(points("2026-10-02T22:00:01Z"), 5);
    EXPECT_EQ(points("2026-12-24T00:00:00Z"), 5);  // never more than a half
    EXPECT_EQ(
        grade_of(c, s, judged(true, true), {{"anna/bounds", "2026-09-01T00:00:00Z"}, {"anna", "2026-11-01T00:00:00Z"}})
            .points,
        10);
}

TEST(Grades, AreReadBackAndMerged) {
    const Course c = course();
    const std::vector<Grade> one{grade_of(c, {"anna", "bounds", "f"}, judged(true, true), {})};
    const std::vector<Grade> two{grade_of(c, {"bert", "bounds", "f"}, judged(false, true), {})};
    auto again = read_grades(grades_json(c, one), "one.json");
    ASSERT_TRUE(again) << again.error().text();
    auto all = merged({*again, two, one});
    ASSERT_TRUE(all) << all.error().text();
    ASSERT_EQ(all->size(), 2u);
    EXPECT_EQ(grades_json(c, *all), grades_json(c, {one[0], two[0]}));
    auto other = one;
    other[0].points = 3;
    EXPECT_FALSE(merged({one, other}));
    for (const char* text :
         {"", "{}", "{\"schema\": 1}", "{\"schema\": 1, \"grades\": [{}]}", "{\"schema\": 1, \"grades\": [3]}"})
        EXPECT_FALSE(read_grades(text, "f.json")) << text;
}

TEST(Grades, AreSafeInTablesAndXml) {
    Grade g = grade_of(course(), {"=cmd()", "bounds", "f"}, judged(false, false), {});
    g.text = "line \"7\" <b>\x1b[31m";
    EXPECT_THAT(grades_csv({g}), HasSubstr("'=cmd(),bounds,wrong,0,10,0,\"line \"\"7\"\""));
    const std::string xml = grades_junit(course(), {g});
    EXPECT_THAT(xml, HasSubstr("<testsuites name=\"A &amp; B\" "));
    EXPECT_THAT(xml, HasSubstr("line &quot;7&quot; &lt;b&gt;"));
    EXPECT_EQ(xml.find('\x1b'), std::string::npos);
    Grade other = g;
    other.submission.learner = "bert", other.state = "done", other.points = 10;
    const std::string two = grades_junit(course(), {g, other});
    EXPECT_THAT(two, HasSubstr("tests=\"2\" failures=\"1\""));
    EXPECT_THAT(two, HasSubstr("<testsuite name=\"bert\" tests=\"1\" failures=\"0\""));
}

TEST(FindSubmissions, TakesFilesAndNoLinks) {
    const test::Folder folder;
    folder.write("anna/bounds/bounds.cu", "a");
    folder.write("bert/bounds.cu", "b");
    folder.write("carl/notes.txt", "c");
    std::filesystem::create_directories(folder / "dora");
    std::filesystem::create_symlink("/etc/passwd", folder / "dora/bounds.cu");
    auto found = find_submissions(folder.string(), course());
    ASSERT_TRUE(found) << found.error().text();
    ASSERT_EQ(found->size(), 8u);
    EXPECT_EQ((*found)[0].unit(), "anna/bounds");
    EXPECT_THAT((*found)[0].file, testing::EndsWith("anna/bounds/bounds.cu"));
    EXPECT_THAT((*found)[2].file, testing::EndsWith("bert/bounds.cu"));
    EXPECT_EQ((*found)[4].file, "");
    EXPECT_EQ((*found)[6].file, "");
    folder.write("-rf/bounds.cu", "");
    EXPECT_FALSE(find_submissions(folder.string(), course()));
}

TEST(ReadTimes, NamesTheLine) {
    const test::Folder folder;
    auto times = read_times(folder.write("t.csv", "unit,time\r\nanna/bounds,2026-10-01T21:15:00Z\r\n").string());
    ASSERT_TRUE(times);
    EXPECT_EQ(times->at("anna/bounds"), "2026-10-01T21:15:00Z");
    auto bad = read_times(folder.write("t.csv", "unit,time\nanna,soon\n").string());
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().where.line, 2u);
}

}  // namespace grade_test
}  // namespace warpwright::learn
