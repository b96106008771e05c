// What is said of an attempt, in the learner's language: used by its lines and by its JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/learn.hpp"
#include "report/causes.hpp"

namespace warpwright::cli {

/// Of what a kernel printed, bytes.
inline constexpr std::size_t kMostOutput = 4000;

/// "bounds.cu:5: what was found"; `file`: where the finding has no place.
std::string finding_line(const Desk& desk, const record::Finding& finding, const std::string& file);
/// "bounds.cu:5:3: what is wrong (what to do)"; the compiler's words are its own.
std::string error_line(const Desk& desk, const Error& error);

/// What the exercise says of the first requirement that does not hold; empty where it says nothing.
std::string said(const Desk& desk, const learn::Exercise& exercise, const learn::Verdict& verdict);

/// What holds the launch back, the largest first, and what would mend it.
std::vector<report::CauseLines> causes_of(const Desk& desk, const record::Predicted& predicted);

/// Whether the learner may read what mends a cause: it may be the solution, and is told where the third hint was.
bool fixes_told(const Desk& desk, const learn::Exercise& exercise);

}  // namespace warpwright::cli
