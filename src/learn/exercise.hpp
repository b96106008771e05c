// An exercise of the course as its folder describes it: a problem with hidden inputs, what counts as done, and what is
// said of mistakes. docs/exercises.md has the format.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ladder/ladder.hpp"
#include "support/result.hpp"

namespace warpwright::learn {

/// The texts of an exercise in one language.
struct ExerciseTexts {
    std::string title;
    std::string task;                         ///< what there is to do: paragraphs
    std::string why;                          ///< what it shows: for whoever has done it
    std::vector<std::string> hints;           ///< they open one by one
    std::map<std::string, std::string> says;  ///< by name: what is said where a requirement does not hold (Words)
};

/// Something that must hold of the learner's kernel at the measured size.
struct Requirement {
    enum class Compare { at_most, at_least, equal };
    /// A key of docs/counters.md, "predicted_time" (seconds), or "cause.NAME": a cause's share. Of programs
    /// predicted_time is that from the first work on the device to the last, and there is "overlap". Of kernels there
    /// are those of kResidency.
    std::string metric;
    Compare compare = Compare::at_most;
    /// Sees the sizes, `reference` (the reference's own value) and `start` (that of the untouched file).
    ladder::Expression limit;
    std::string say;
    Location where;

    /// The names among `reference` and `start` that the limit sees, and the rungs that they stand for.
    std::vector<std::pair<std::string, std::string>> own_figures(const struct Exercise& exercise) const;
};

/// A question, whose answer follows from the counts of a rung at the measured size.
struct Question {
    std::string name;  ///< the word before '=' in the learner's file
    std::string rung;
    ladder::Expression value;  ///< sees the sizes, all counts by key and predicted_time (seconds)
    double within = 0;         ///< relative
    std::string say;
    Location where;
};

/// A typical wrong solution, and what must be said of it.
struct Mistake {
    std::string rung, say;
    Location where;
};

struct Exercise {
    std::string name;
    std::string folder;
    std::string file;                              ///< what the learner edits: the name of the start's file
    std::string source;                            ///< the text on GPU optimisation that it belongs to: "000"
    std::string reference;                         ///< the rung (of questions the file) that solves it
    std::string start;                             ///< the rung (of questions the file) that the learner begins with
    std::string model;                             ///< device model
    std::vector<std::vector<std::int64_t>> sizes;  ///< results and findings are looked at
    std::vector<std::int64_t> measured;            ///< counts and times are
    std::string wrong;                             ///< what is said of a wrong result
    std::map<std::string, std::string> findings;   ///< kind of finding -> what is said; "" for all others
    std::vector<Requirement> requirements;
    bool program = false;             ///< the learner's file is a whole program; `ladder` has its files' names alone
    std::vector<Question> questions;  ///< with some, the learner writes answers and no kernel
    std::vector<Mistake> mistakes;
    std::map<std::string, ExerciseTexts> texts;  ///< by language; English is there
    ladder::Ladder ladder;

    const ladder::Rung* rung(std::string_view name) const;
    /// A size as its task names it: all numbers ("1 x 1"); of a program its arguments ("1000 256").
    std::string size_text(const std::vector<std::int64_t>& size) const;
    /// The file that the learner begins with, and the one that solves it.
    std::string start_file() const;
    std::string reference_file() const;
    /// Those of a language, English where it lacks them.
    const ExerciseTexts& texts_in(const std::string& language) const;
};

/// Figures of a launch's occupancy that a requirement may name.
inline constexpr std::string_view kResidency[] = {"occupancy", "resident_blocks", "resident_warps", "waves",
                                                  "registers"};

/// Hints before this one never tell the solution.
inline constexpr std::size_t kHintsBeforeSolution = 3;

/// The languages in which an exercise has its texts.
const std::vector<std::string>& exercise_languages();

/// Reads a folder's exercise.toml, its ladder.toml and its texts. Errors (input) name file and line.
Result<Exercise> read_exercise(const std::string& folder);

/// As much of an exercise as lists show.
struct Heading {
    std::string name, file, source;
    std::string title;  ///< in the language asked for, English where it lacks it
};
/// Reads no more than it takes. Errors (input) name file and line.
Result<Heading> read_heading(const std::string& folder, const std::string& language = "en");

}  // namespace warpwright::learn
