// A program that ends, with all that it has started, when the process ends that runs it, even where that one is killed.
// A second process of ours stands between the two: it hears of the end by a pipe, and whatever the program started is
// its descendant, whoever started it.
#pragma once

#include "support/child_process.hpp"
#include "support/result.hpp"

namespace warpwright {

/// Runs a program to its end; its status as waitpid() gives it. ErrorKind::no_device where it cannot be started.
/// `started` is called once it runs.
Result<int> run_watched(const Start& start, const std::function<void()>& started = {});

}  // namespace warpwright
