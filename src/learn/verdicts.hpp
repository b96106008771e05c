// What judging kernels and judging programs have in common: what is said of a finding, of a wrong result and of a
// figure that does not hold.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "learn/judge.hpp"

namespace warpwright::learn {

inline constexpr std::string_view kTime = "predicted_time", kCause = "cause.";

/// What a launch has of a multiprocessor, by the names that requirements and questions use for it.
std::vector<std::pair<std::string_view, double>> residency(const record::OccupancyRecord& occupancy);

/// The error to begin with: a misused barrier before the race that follows from it. Null: there is none.
const record::Finding* first_error(const std::vector<record::Finding>& findings);

void say_finding(Verdict& v, const Exercise& exercise, const std::vector<std::int64_t>& size, const record::Finding& f);
void say_wrong(Verdict& v, const Exercise& exercise, const std::vector<std::int64_t>& size, const std::string& found);

/// Whether a metric is of the predicted time, or of what makes it long.
bool is_of_time(std::string_view metric);
/// Why a launch has no predicted time, by its record, and what may help.
Error unpredicted(const record::Record& record, bool out_of_time);

/// A metric of a rung of the exercise, of a kernel's and of a program's.
Result<std::optional<double>> own_kernel_figure(Workshop& workshop, const std::string& rung, const std::string& metric);
Result<std::optional<double>> own_program_figure(Workshop& workshop, const std::string& rung,
                                                 const std::string& metric);

/// Holds the exercise's requirements against `value` (of the learner's); `own`: that of a rung of the exercise; `line`:
/// to which most of a metric belongs.
Result<void> hold_requirements(
    Verdict& v, const Exercise& exercise,
    const std::function<Result<std::optional<double>>(const std::string& rung, const std::string& metric)>& own,
    const std::function<std::optional<double>(const std::string& metric)>& value,
    const std::function<std::pair<std::string, unsigned>(const std::string& metric)>& line);

}  // namespace warpwright::learn
