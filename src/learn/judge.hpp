// What an attempt is worth: requirement by requirement, with what to say of the first that does not hold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learn/exercise.hpp"
#include "learn/workshop.hpp"
#include "text/message.hpp"
#include "text/words.hpp"

namespace warpwright::learn {

/// One thing that must hold.
struct Point {
    enum class What { compiles, no_findings, right, requirement, answer, readable };
    What what = What::compiles;
    std::string name = {};  ///< the metric, or the question
    bool holds = false;
    std::optional<double> value = {}, limit = {};
    Requirement::Compare compare = Requirement::Compare::at_most;
};

struct Verdict {
    bool done = false;
    std::vector<Point>
        points;  ///< in order, those behind the first that does not hold left out where they were not tried
    std::string
        say;  ///< of the first that does not hold: a name in ExerciseTexts::says; empty where done, or not compiled
    std::optional<Text> told;    ///< what is said where the exercise has no word for it
    Values values;               ///< for its text: line, source, array, element, value, limit, size, found
    std::optional<Error> error;  ///< the compiler's or the launch's own words
    std::optional<record::Finding> finding;
    std::optional<record::Record> counted;
    LaunchView view;                   ///< of the counted launch
    std::optional<Roofline> roofline;  ///< its place on the exercise's model
    std::string output;
    std::vector<std::string> warnings;  ///< the compiler's, of the learner's file
};

/// `seed`: of the hidden inputs.
Result<Verdict> judge_kernel(const Exercise& exercise, Workshop& workshop, const ladder::Rung& rung, std::uint64_t seed,
                             const std::string& file = "");

/// A whole program: its results and findings at each hidden size, and what it did on the device at the measured one.
Result<Verdict> judge_program(const Exercise& exercise, Workshop& workshop, const ladder::Rung& rung,
                              std::uint64_t seed, const std::string& file = "");

/// Answers as a file has them: "name = number" on a line each; what follows '#' is a remark.
Result<Verdict> judge_answers(const Exercise& exercise, Workshop& workshop, const std::string& file);
/// The same of a text; `file`: where it stands.
Result<Verdict> judge_answers_text(const Exercise& exercise, Workshop& workshop, const std::string& text,
                                   const std::string& file);
/// What the answer to a question is, by the counts of its rung.
Result<double> right_answer(const Exercise& exercise, Workshop& workshop, const Question& question);

/// The one of these two that the exercise asks for.
Result<Verdict> judge(const Exercise& exercise, Workshop& workshop, std::uint64_t seed, const std::string& file);

/// A text of an exercise with its arguments; absent where it names one that is not given, or has an unknown format.
std::optional<std::string> said_of(const Words& words, const std::string& text, const Values& values);

/// The arrays whose elements a line of source names: "tile" and "in" of "tile[y][x] = in[i];".
std::vector<std::string> arrays_in(const std::string& line);

}  // namespace warpwright::learn
