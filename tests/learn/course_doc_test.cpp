// The page of the exercises lists what the course has, in its order.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "common/files.hpp"
#include "common/made_text.hpp"
#include "learn/course.hpp"
#include "learn/exercise.hpp"

namespace warpwright::learn {
namespace course_doc_test {

TEST(ExercisesPage, ListsTheCourseInItsOrder) {
    auto course = read_course(WARPWRIGHT_SOURCE_DIR "/course");
    ASSERT_TRUE(course) << course.error().text();
    std::vector<std::string> listed;
    std::istringstream lines(test::text_of(WARPWRIGHT_SOURCE_DIR "/docs/exercises.md"));
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("| exercise |")) inside = true;
        if (line.empty()) inside = false;
        if (inside && line.starts_with("| `")) listed.push_back(line.substr(3, line.find('`', 3) - 3));
    }
    EXPECT_EQ(listed, course->names());
}

std::string sign_of(Requirement::Compare compare) {
    return compare == Requirement::Compare::at_most ? "≤" : compare == Requirement::Compare::at_least ? "≥" : "=";
}

/// Of one exercise: where it is tried, and what counts.
std::string row_of(const Exercise& e) {
    std::string tried, counts;
    const auto add = [](std::string& to, const char* between, const std::string& more) {
        to += (to.empty() ? "" : between) + more;
    };
    for (const auto& size : e.sizes) add(tried, ", ", e.size_text(size));
    for (const Requirement& r : e.requirements)
        add(counts, "; ", "`" + r.metric + "` " + sign_of(r.compare) + " `" + r.limit.text() + "`");
    for (const Question& q : e.questions)
        add(counts, "; ",
            "`" + q.name + "`" + (q.within > 0 ? " within " + std::to_string(std::lround(100 * q.within)) + " %" : ""));
    return "| `" + e.name + "` | " + tried + " | " + e.size_text(e.measured) + " | " +
           std::to_string(e.mistakes.size()) + " | " + counts + " |\n";
}

TEST(ExercisesPage, SaysWhatEachExerciseCounts) {
    auto course = read_course(WARPWRIGHT_SOURCE_DIR "/course");
    ASSERT_TRUE(course) << course.error().text();
    std::string table =
        "| name | tried at | measured at | mistakes with an answer | counts, and answers asked for |\n"
        "|---|---|---|---|---|\n";
    for (const std::string& folder : course->folders) {
        auto e = read_exercise(folder);
        ASSERT_TRUE(e) << e.error().text();
        table += row_of(*e);
    }
    test::expect_made("exercises.md", "tests/learn/course_doc_test.cpp", table);
}

}  // namespace course_doc_test
}  // namespace warpwright::learn
