// The page of the exercises lists what the course has, in its order.
#include <gtest/gtest.h>

#include <sstream>

#include "common/files.hpp"
#include "learn/course.hpp"

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

}  // namespace course_doc_test
}  // namespace warpwright::learn
