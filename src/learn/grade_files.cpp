// Grades for other programs: tables and continuous integration.
#include <fmt/format.h>

#include <map>

#include "learn/grade.hpp"
#include "support/source_files.hpp"

namespace warpwright::learn {
namespace {

/// RFC 4180; what a table would take for a formula begins with an apostrophe.
std::string field(std::string text) {
    if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) text.insert(0, "'");
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

std::string xml(const std::string& text) {
    std::string out;
    for (const char c : printable_lines(text)) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

}  // namespace

std::string grades_csv(const std::vector<Grade>& grades) {
    std::string out = "learner,exercise,state,points,of,days_late,text\r\n";
    for (const Grade& g : grades)
        out += fmt::format("{},{},{},{:g},{:g},{},{}\r\n", field(g.submission.learner), field(g.submission.exercise),
                           g.state, g.points, g.of, g.days_late, field(g.text));
    return out;
}

std::string grades_junit(const Course& course, const std::vector<Grade>& grades) {
    std::map<std::string, std::vector<const Grade*>> by_learner;
    for (const Grade& g : grades) by_learner[g.submission.learner].push_back(&g);
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"" + xml(course.title) + "\">\n";
    for (const auto& [learner, list] : by_learner) {
        std::size_t failures = 0;
        for (const Grade* g : list) failures += g->state != "done";
        out += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n", xml(learner), list.size(),
                           failures);
        for (const Grade* g : list) {
            out += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml(learner), xml(g->submission.exercise));
            if (g->state == "done")
                out += "/>\n";
            else
                out +=
                    fmt::format(">\n      <failure message=\"{}: {:g} of {:g} points\">{}</failure>\n    </testcase>\n",
                                g->state, g->points, g->of, xml(g->text));
        }
        out += "  </testsuite>\n";
    }
    return out + "</testsuites>\n";
}

}  // namespace warpwright::learn
