// A class's folder is a stranger's: names come from learners, and a link could lead anywhere.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "learn/exercise.hpp"
#include "learn/grade.hpp"
#include "support/read_file.hpp"
#include "support/source_files.hpp"

namespace warpwright::learn {
namespace {

namespace fs = std::filesystem;

/// A name that may stand in reports and on command lines as it is.
bool plain_name(const std::string& name) {
    return !name.empty() && name[0] != '.' && name[0] != '-' && name.size() <= 100 && printable(name) == name &&
           name.find_first_of("/\\,\"") == std::string::npos;
}

bool regular(const fs::path& file) {
    std::error_code ec;
    return fs::is_regular_file(fs::symlink_status(file, ec));
}

}  // namespace

Result<std::vector<Submission>> find_submissions(const std::string& folder, const Course& course) {
    std::error_code ec;
    if (!fs::is_directory(folder, ec))
        return Error{ErrorKind::input, "there is no folder of submissions", Location{folder, 0, 0}, ""};
    std::vector<std::pair<std::string, std::string>> files;  // exercise, file's name
    for (const std::string& one : course.folders) {
        auto e = read_heading(one);
        if (!e) return std::move(e).error();
        files.emplace_back(e->name, e->file);
    }
    std::vector<Submission> out;
    for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
        if (!fs::is_directory(it->symlink_status())) continue;
        const std::string learner = it->path().filename().string();
        if (learner[0] == '.') continue;
        if (!plain_name(learner))
            return Error{ErrorKind::input, "the folder's name '" + printable(learner) + "' cannot be a learner's",
                         Location{folder, 0, 0}, "letters, digits, blanks, '.', '_' and '-'"};
        for (const auto& [exercise, file] : files) {
            Submission s{learner, exercise, ""};
            for (const fs::path& place : {it->path() / exercise / file, it->path() / file})
                if (s.file.empty() && regular(place)) s.file = place.string();
            out.push_back(std::move(s));
        }
    }
    if (ec) return Error{ErrorKind::input, ec.message(), Location{folder, 0, 0}, ""};
    if (out.empty())
        return Error{ErrorKind::input, "there is no learner's folder", Location{folder, 0, 0},
                     "a folder for each learner, with a folder or a file for each exercise"};
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.learner < b.learner; });
    return out;
}

Result<Times> read_times(const std::string& file) {
    auto text = read_file(file, file_limit::table);
    if (!text) return std::move(text).error();
    Times out;
    std::istringstream lines(*text);
    std::string line;
    for (unsigned number = 1; std::getline(lines, line); ++number) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty()) continue;
        const auto comma = line.rfind(',');
        if (comma == std::string::npos || !seconds_of(line.substr(comma + 1))) {
            if (number == 1) continue;  // a heading
            return Error{ErrorKind::input, "this is no time of a submission", Location{file, number, 0},
                         "anna/bounds,2026-10-01T21:15:00Z"};
        }
        out[line.substr(0, comma)] = line.substr(comma + 1);
    }
    return out;
}

}  // namespace warpwright::learn
