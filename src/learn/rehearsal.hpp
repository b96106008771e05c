// What judging takes of an exercise's own files (figures of the reference, PTX, host code) is made once and kept on
// disk. A confined process keeps nothing and reads no cache: who starts it gives it what is kept.
#pragma once

#include "learn/workshop.hpp"

namespace warpwright::learn {

/// Whatever an answer is asked for, the exercise's own files have the same limits, so that what is kept of them does
/// not depend on who asked first. They are wider than an answer's, for courses whose answers are given more.
inline constexpr std::uint64_t kRehearsalInstructions = 20 * kMostInstructions;
inline constexpr std::chrono::seconds kRehearsalLimit{100};

/// The exit code of a judge that could not rehearse for a reason which is the machine's: no grade follows from it.
inline constexpr int kNotRehearsed = 75;

/// Gives a workshop what is kept of its exercise, having it made first where there is none: in a process of its own,
/// since a confined one must be copied from one without threads, and without the user's secret. Where there is no
/// folder to keep it in, it is made each time. After it judging reads no file of the exercise's own. The limits of
/// `options` do not count, but for those in `programs`. Errors: those of the exercise's own files, which judging has
/// then too; ErrorKind::internal, those of the machine: no process, no time.
Result<void> rehearse(const Exercise& exercise, const WorkshopOptions& options, Workshop& workshop);

/// The bytes that are kept, and what they say. Absent: they are not of this form.
std::string packed(const Rehearsed& rehearsed);
std::optional<Rehearsed> unpacked(const std::string& bytes);

}  // namespace warpwright::learn
