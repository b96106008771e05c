// A course: a list of exercises, ours or an instructor's own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::learn {

/// How the exercises of a class are graded.
struct Grading {
    std::uint64_t seed = 1;   ///< of the hidden inputs
    double right = 0.5;       ///< share of the points for a right result without findings
    double late_per_day = 1;  ///< share taken away for each day that began after the deadline
    double late_at_most = 1;  ///< and never more than this
};

struct Course {
    std::string file;
    std::string title;
    std::map<std::string, std::string> titles;  ///< in other languages, by language
    const std::string& title_in(const std::string& language) const {
        const auto it = titles.find(language);
        return it == titles.end() ? title : it->second;
    }
    std::vector<std::string> folders;  ///< of its exercises, in order
    Grading grading;
    std::map<std::string, double> points;    ///< by exercise; those that are not there have 1
    std::map<std::string, std::string> due;  ///< by exercise: ISO 8601, UTC; those that are not there are never late

    /// The folder of an exercise by its name. ErrorKind::usage, with the nearest names.
    Result<std::string> folder_of(const std::string& exercise) const;
    std::vector<std::string> names() const;
};

/// Seconds since 1970 of "2026-10-01T22:00:00Z"; absent for any other text.
std::optional<std::int64_t> seconds_of(const std::string& iso);

/// The course that comes with the program: course.toml in one of the folders of Data::course.
Result<std::string> own_course();

/// Reads a course: a course.toml, or a folder that holds one. Its exercises are named by their folders, relative to the
/// file or, by a plain name, among our own. Errors (input) name file and line.
Result<Course> read_course(const std::string& path);

}  // namespace warpwright::learn
