// Grades follow from what was judged and from the course's rules alone: the same submission has the same grade on every
// machine.
#include "learn/grade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace warpwright::learn {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;
constexpr std::int64_t kDay = 86400;

/// Days that began after the deadline.
std::uint32_t days_late(const Course& course, const Submission& s, const Times& times) {
    const auto due = course.due.find(s.exercise);
    if (due == course.due.end()) return 0;
    auto at = times.find(s.unit());
    if (at == times.end()) at = times.find(s.learner);
    if (at == times.end()) return 0;
    const std::int64_t late = *seconds_of(at->second) - *seconds_of(due->second);
    return late <= 0 ? 0 : static_cast<std::uint32_t>((late + kDay - 1) / kDay);
}

double share_of(const Course& course, const Judged& judged) {
    if (judged.done) return 1;
    // A right result without findings, where only what the exercise asks for besides is lacking. Questions count one by
    // one.
    std::size_t answers = 0, right_answers = 0;
    bool right = false;
    for (const auto& [what, holds] : judged.points) {
        if (what == "right") right = holds;
        if (what.starts_with("answer")) ++answers, right_answers += holds;
    }
    if (answers > 0) return static_cast<double>(right_answers) / static_cast<double>(answers);
    return right ? course.grading.right : 0;
}

}  // namespace

Result<Judged> judged_of(const std::string& text) {
    const json root = json::parse(text, nullptr, false);
    const auto bad = [] { return Error{ErrorKind::input, "the judge's answer cannot be read", Location{}, ""}; };
    if (!root.is_object() || root.value("schema", 0) != kSchema || !root.contains("done") || !root["done"].is_boolean())
        return bad();
    Judged out;
    out.done = root["done"].get<bool>();
    const auto word = [&](const json& from, const char* key) {
        return from.contains(key) && from[key].is_string() ? from[key].get<std::string>() : std::string();
    };
    if (root.contains("points") && root["points"].is_array())
        for (const json& p : root["points"]) {
            if (!p.is_object() || !p.contains("holds") || !p["holds"].is_boolean()) return bad();
            const std::string name = word(p, "name");
            out.points.emplace_back(word(p, "what") + (name.empty() ? "" : " " + name), p["holds"].get<bool>());
        }
    out.say = word(root, "say");
    out.text = word(root, "text");
    out.error = word(root, "error");
    return out;
}

Grade grade_of(const Course& course, const Submission& submission, const Result<Judged>& judged, const Times& times) {
    Grade g;
    g.submission = submission;
    const auto points = course.points.find(submission.exercise);
    g.of = points == course.points.end() ? 1 : points->second;
    if (submission.file.empty()) {
        g.state = "missing";
        return g;
    }
    if (!judged) {
        g.state = "failed";
        g.text = judged.error().text();
        return g;
    }
    g.checks = judged->points;
    g.days_late = days_late(course, submission, times);
    const double taken = std::min(course.grading.late_at_most, course.grading.late_per_day * g.days_late);
    const double share = share_of(course, *judged);
    g.points = g.of * share * (1 - taken);
    g.state = share > 0 && g.points == 0 && g.of > 0 ? "late" : judged->done ? "done" : share > 0 ? "partial" : "wrong";
    g.text = judged->text.empty() ? judged->error : judged->text;
    return g;
}

std::string grades_json(const Course& course, const std::vector<Grade>& grades) {
    json list = json::array();
    for (const Grade& g : grades) {
        json one = {{"learner", g.submission.learner},
                    {"exercise", g.submission.exercise},
                    {"state", g.state},
                    {"points", g.points},
                    {"of", g.of},
                    {"checks", json::array()}};
        if (g.days_late) one["days_late"] = g.days_late;
        if (!g.text.empty()) one["text"] = g.text;
        for (const auto& [what, holds] : g.checks) one["checks"].push_back({{"what", what}, {"holds", holds}});
        list.push_back(std::move(one));
    }
    const json root = {
        {"schema", kSchema}, {"course", course.title}, {"seed", course.grading.seed}, {"grades", std::move(list)}};
    return root.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<std::vector<Grade>> read_grades(const std::string& text, const std::string& file) {
    const json root = json::parse(text, nullptr, false);
    const auto bad = [&](const std::string& why) {
        return Error{ErrorKind::input, "this file has no grades: " + why, Location{file, 0, 0},
                     "warpwright grade --json writes them"};
    };
    if (!root.is_object() || root.value("schema", 0) != kSchema) return bad("it is not of schema 1");
    if (!root.contains("grades") || !root["grades"].is_array()) return bad("'grades' is missing");
    std::vector<Grade> out;
    for (const json& one : root["grades"]) {
        try {
            Grade g;
            g.submission = {one.at("learner").get<std::string>(), one.at("exercise").get<std::string>(), ""};
            g.state = one.at("state").get<std::string>();
            g.points = one.at("points").get<double>();
            g.of = one.at("of").get<double>();
            g.days_late = one.value("days_late", 0u);
            g.text = one.value("text", "");
            for (const json& c : one.at("checks"))
                g.checks.emplace_back(c.at("what").get<std::string>(), c.at("holds").get<bool>());
            out.push_back(std::move(g));
        } catch (const json::exception&) {
            return bad(fmt::format("grade number {} is not whole", out.size() + 1));
        }
    }
    return out;
}

Result<std::vector<Grade>> merged(const std::vector<std::vector<Grade>>& parts) {
    std::map<std::string, Grade> all;
    for (const auto& part : parts)
        for (const Grade& g : part) {
            const auto [it, fresh] = all.emplace(g.submission.unit(), g);
            if (!fresh && (it->second.state != g.state || it->second.points != g.points))
                return Error{ErrorKind::input, "two files have different grades of " + g.submission.unit(), Location{},
                             "grade it again, and merge one of them"};
        }
    std::vector<Grade> out;
    for (auto& [unit, g] : all) out.push_back(std::move(g));
    return out;
}

}  // namespace warpwright::learn
