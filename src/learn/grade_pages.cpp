// The pages are the laboratory's, so that all printers (HTML, Markdown, terminal) have them, in all languages.
#include "learn/grade_pages.hpp"

#include <algorithm>
#include <map>

namespace warpwright::learn {
namespace {

using record::Basis;

Text state_text(const std::string& state) { return message("learn.state." + state); }

std::vector<std::string> learners_of(const std::vector<Grade>& grades) {
    std::vector<std::string> out;
    for (const Grade& g : grades)
        if (std::find(out.begin(), out.end(), g.submission.learner) == out.end()) out.push_back(g.submission.learner);
    return out;
}

}  // namespace

record::Page class_page(const Course& course, const std::vector<Grade>& grades) {
    record::Page page;
    page.id = "class";
    page.title = course.title;
    page.purpose = message("learn.page.class");
    record::Table points{"points", message("learn.page.points"), {{message("learn.page.learner")}}, {}};
    const auto exercises = course.names();
    // By what an exercise is worth: a class whose best has half of the points is not shown as done.
    for (const std::string& e : exercises) {
        const auto worth = course.points.find(e);
        points.columns.push_back({e, {}, Basis::computed, 3, true, worth == course.points.end() ? 1 : worth->second});
    }
    points.columns.push_back({message("learn.page.sum"), {}, Basis::computed});
    std::map<std::string, std::map<std::string, std::size_t>> states;
    for (const std::string& learner : learners_of(grades)) {
        std::vector<record::Scalar> row{Text(learner)};
        double sum = 0;
        for (const std::string& e : exercises) {
            const auto g = std::find_if(grades.begin(), grades.end(), [&](const Grade& one) {
                return one.submission.learner == learner && one.submission.exercise == e;
            });
            if (g == grades.end() || g->state == "missing")
                row.emplace_back(std::monostate{});
            else
                row.emplace_back(g->points), sum += g->points;
            if (g != grades.end()) ++states[e][g->state];
        }
        row.emplace_back(sum);
        points.rows.push_back(std::move(row));
    }
    record::Table went{"exercises", message("learn.page.exercises"), {{message("learn.page.exercise")}}, {}};
    const char* kStates[] = {"done", "partial", "late", "wrong", "failed", "missing"};
    for (const char* s : kStates) went.columns.push_back({state_text(s), {}, Basis::counted});
    for (const std::string& e : exercises) {
        std::vector<record::Scalar> row{Text(e)};
        for (const char* s : kStates) row.emplace_back(static_cast<std::int64_t>(states[e][s]));
        went.rows.push_back(std::move(row));
    }
    page.sections.push_back({message("learn.page.points"), {std::move(points)}});
    page.sections.push_back({message("learn.page.exercises"), {std::move(went)}});
    return page;
}

record::Page learner_page(const Course& course, const std::string& learner, const std::vector<Grade>& grades) {
    record::Page page;
    page.id = "learner";
    page.title = Text(learner + " · " + course.title);
    record::Table table{"grades",
                        message("learn.page.points"),
                        {{message("learn.page.exercise")},
                         {message("learn.page.state")},
                         {message("learn.page.points"), {}, Basis::computed},
                         {message("learn.page.of"), {}, Basis::computed}},
                        {}};
    double sum = 0, of = 0;
    std::vector<record::Section> details;
    for (const Grade& g : grades) {
        if (g.submission.learner != learner) continue;
        sum += g.points, of += g.of;
        table.rows.push_back({Text(g.submission.exercise), state_text(g.state), g.points, g.of});
        if (g.text.empty() && g.days_late == 0) continue;
        record::Section s{Text(g.submission.exercise), {}};
        if (g.days_late)
            s.blocks.emplace_back(
                record::Paragraph{message("learn.page.late", {{"days", static_cast<std::int64_t>(g.days_late)}}),
                                  record::ParagraphKind::note});
        if (!g.text.empty()) s.blocks.emplace_back(record::Paragraph{Text(g.text)});
        details.push_back(std::move(s));
    }
    page.purpose = message("learn.page.sum_of", {{"sum", sum}, {"of", of}});
    page.sections.push_back({message("learn.page.points"), {std::move(table)}});
    for (auto& s : details) page.sections.push_back(std::move(s));
    return page;
}

}  // namespace warpwright::learn
