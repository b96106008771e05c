// Submissions of a class: which there are, what each is worth, and the grades of all of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "learn/course.hpp"
#include "support/result.hpp"

namespace warpwright::learn {

/// One learner's file for one exercise.
struct Submission {
    std::string learner, exercise;
    std::string file;  ///< empty: none was handed in
    /// What it is called on a command line and in a file of units: "anna/bounds".
    std::string unit() const { return learner + "/" + exercise; }
};

/// LEARNER/EXERCISE/FILE or LEARNER/FILE below `folder`, for each learner and exercise of the course, sorted. Links are
/// not followed, and names that no file should have are refused (ErrorKind::input).
Result<std::vector<Submission>> find_submissions(const std::string& folder, const Course& course);

/// What judging a submission came to, as the program's own JSON says it (`learn --json`).
struct Judged {
    bool done = false;
    std::vector<std::pair<std::string, bool>> points;  ///< what was looked at, and whether it holds
    std::string say;                                   ///< name in [say]
    std::string text;                                  ///< what is said, in the language asked for
    std::string error;                                 ///< the compiler's or the launch's words
};
/// Errors: input, text that is no such JSON.
Result<Judged> judged_of(const std::string& json);

struct Grade {
    Submission submission;
    std::string
        state;  ///< "done", "partial", "wrong", "missing", "late" (too late to count), "failed" (it ended the judge)
    double points = 0, of = 0;
    std::uint32_t days_late = 0;
    std::string text;  ///< why not all points, one line or more
    std::vector<std::pair<std::string, bool>> checks;
};

/// When submissions were handed in: ISO 8601, UTC, by unit ("anna/bounds") or by learner.
using Times = std::map<std::string, std::string>;
/// From CSV: a line each, `unit,time`. Errors: input, with the line.
Result<Times> read_times(const std::string& file);

/// What the course gives for it. Partial credit: a share for a right result, the rest for all that the exercise asks
/// for besides. Each day that began after the deadline takes a share away.
Grade grade_of(const Course& course, const Submission& submission, const Result<Judged>& judged, const Times& times);

/// All grades, as JSON of schema 1; and back. Errors: input.
std::string grades_json(const Course& course, const std::vector<Grade>& grades);
Result<std::vector<Grade>> read_grades(const std::string& text, const std::string& file);
/// Those of several files, each unit once. ErrorKind::input where two differ about one.
Result<std::vector<Grade>> merged(const std::vector<std::vector<Grade>>& parts);

/// CSV: learner,exercise,state,points,of,days_late,text. A field that a table would take for a formula is guarded.
std::string grades_csv(const std::vector<Grade>& grades);
/// JUnit: a suite for each learner, a case for each exercise.
std::string grades_junit(const Course& course, const std::vector<Grade>& grades);

}  // namespace warpwright::learn
