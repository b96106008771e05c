// Grades as pages: one of the class, one for each learner.
#pragma once

#include <string>
#include <vector>

#include "learn/grade.hpp"
#include "record/page.hpp"

namespace warpwright::learn {

/// Points of every learner and exercise, and how each exercise went.
record::Page class_page(const Course& course, const std::vector<Grade>& grades);

/// What one learner has, exercise by exercise, and why not more.
record::Page learner_page(const Course& course, const std::string& learner, const std::vector<Grade>& grades);

}  // namespace warpwright::learn
