// An exercise tried by its own files: the reference passes, the untouched file fails, and each typical mistake fails
// with the words that are meant for it.
#pragma once

#include <functional>
#include <string>

#include "learn/exercise.hpp"
#include "learn/workshop.hpp"

namespace warpwright::learn {

struct Claim {
    std::string rung;
    std::string expected;  ///< "done", "not done", or the name in [say]
    std::string found;     ///< the same of what happened
    std::string detail;    ///< the error or the first point that does not hold
    bool holds = false;
};

/// Every claim is told as it is known. False if one does not hold. Errors: what kept the exercise from being tried.
Result<bool> prove(const Exercise& exercise, const WorkshopOptions& options,
                   const std::function<void(const Claim&)>& tell);

/// Whether what is said of mistakes can be said in all languages: a text names only what it is given, in formats that
/// there are. Errors: input, with the file.
Result<void> texts_can_be_said(const Exercise& exercise);

}  // namespace warpwright::learn
