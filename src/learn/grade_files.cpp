// Grades for other programs: tables and continuous integration.
#include <fmt/format.h>

#include <algorithm>

#include "learn/grade.hpp"
#include "record/junit.hpp"
#include "report/escape.hpp"
#include "support/source_files.hpp"

namespace warpwright::learn {

std::string grades_csv(const std::vector<Grade>& grades) {
    using report::csv_field;
    std::string out = "learner,exercise,state,points,of,days_late,text\r\n";
    for (const Grade& g : grades)
        out += fmt::format("{},{},{},{:g},{:g},{},{}\r\n", csv_field(g.submission.learner),
                           csv_field(g.submission.exercise), g.state, g.points, g.of, g.days_late, csv_field(g.text));
    return out;
}

std::string grades_junit(const Course& course, const std::vector<Grade>& grades) {
    std::vector<record::TestSuite> suites;
    for (const Grade& g : grades) {
        const auto& [learner, exercise, file] = g.submission;
        auto suite = std::find_if(suites.begin(), suites.end(), [&](const auto& s) { return s.name == learner; });
        if (suite == suites.end()) suite = suites.insert(suites.end(), {learner, {}});
        record::TestCase one{learner, exercise, "", printable_lines(g.text), ""};
        if (g.state != "done") one.failure = fmt::format("{}: {:g} of {:g} points", g.state, g.points, g.of);
        suite->cases.push_back(std::move(one));
    }
    return record::junit_xml(suites, course.title);
}

}  // namespace warpwright::learn
