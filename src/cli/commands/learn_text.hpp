// What is said of an attempt, in the learner's language: used by its lines and by its JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/learn.hpp"
#include "report/causes.hpp"

namespace warpwright::cli {

/// Of what a kernel printed, bytes.
inline constexpr std::size_t kMostOutput = 4000;

/// What the exercise says of the first requirement that does not hold; empty where it says nothing.
std::string said(const Desk& desk, const learn::Exercise& exercise, const learn::Verdict& verdict);

/// What holds the launch back, the largest first, and what would mend it.
std::vector<report::CauseLines> causes_of(const Desk& desk, const record::Predicted& predicted);

/// Whether the learner may read what mends a cause: it may be the solution, and is told where the third hint was.
bool fixes_told(const Desk& desk, const learn::Exercise& exercise);

}  // namespace warpwright::cli
