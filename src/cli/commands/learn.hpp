// What the actions of `learn` have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/learn_programs.hpp"
#include "cli/console.hpp"
#include "cli/options/options.hpp"
#include "learn/course.hpp"
#include "learn/exercise.hpp"
#include "learn/judge.hpp"
#include "learn/progress.hpp"
#include "text/words.hpp"

namespace warpwright::cli {

struct LearnOptions {
    std::vector<std::string> words;  ///< an action and names; see learn.cpp
    std::string course;              ///< empty: the one that comes with the program
    std::string folder = ".";        ///< where the learner's files are, in a folder for each exercise
    std::string language;            ///< empty: that of the locale
    std::string progress;            ///< the file that keeps it; empty: the user's own
    double limit = 10;               ///< seconds for a launch
    std::uint64_t instructions = learn::kMostInstructions;  ///< of warps, for a launch
    bool once = false;                                      ///< answer once, do not watch
    std::string file;                                       ///< judged in place of the learner's own
    std::optional<std::uint64_t> seed;                      ///< of hidden inputs; absent: by the file's text
    std::optional<std::string> json;
    RunOptions run;
};

/// What every action needs.
struct Desk {
    const LearnOptions& options;
    Console& console;
    std::string language;
    Words words;
    learn::Course course;
    learn::Progress progress;

    /// The learner's file of an exercise.
    std::string file_of(const learn::Exercise& exercise) const;
};

/// What a whole program of a learner's may use.
ProgramBounds program_bounds(const Desk& desk);

/// A text for the terminal: paragraphs, which an empty line divides, are filled; lines that four blanks begin are code.
std::string paragraphs(const Desk& desk, const std::string& text, const std::string& indent);

/// The answer to an attempt, as JSON of schema 1.
std::string answer_json(const Desk& desk, const learn::Exercise& exercise, const learn::Verdict& verdict,
                        const std::string& file);

/// The answer to an attempt, in lines.
std::string answer_text(const Desk& desk, const learn::Exercise& exercise, const learn::Verdict& verdict,
                        const std::string& file);

/// Judges the learner's file, prints the answer, keeps the progress; then again whenever the file changes, until it is
/// done or interrupted, unless it is to answer once. The exit code.
int answer(Desk& desk, const learn::Exercise& exercise);

/// Judges a stranger's file (LearnOptions::file) in a confined process, once. The exit code.
int answer_confined(Desk& desk, const learn::Exercise& exercise);

/// Puts the file that an exercise begins with where the learner's is. Absent: it is there already, and stays.
Result<std::optional<std::string>> lay_out(const Desk& desk, const learn::Exercise& exercise);

}  // namespace warpwright::cli
