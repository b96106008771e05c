// The program: argv -> library calls -> text. The only room that prints.
#pragma once

#include <string>

#include "cli/console.hpp"

namespace warpwright::cli {

/// Exit codes: 0 done; 1 a wrong result, a fault of a kernel or a defect of ours; 2 the user's words or files; 3 no
/// device, driver or tool.
/// `self` is this program's file, with which a sweep goes on after a fault (go_on.hpp); empty where the caller is
/// another. Where Console::leaves_at_once() afterwards, the caller ends with _Exit: something still runs that cannot be
/// stopped.
int run(int argc, const char* const* argv, Console& console, const std::string& self = {});

}  // namespace warpwright::cli
