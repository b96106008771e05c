// The program: argv -> library calls -> text. The only room that prints.
#pragma once

#include "cli/console.hpp"

namespace warpwright::cli {

/// Exit codes: 0 done; 1 a wrong result, a fault of a kernel or a defect of ours; 2 the user's words or files; 3 no
/// device, driver or tool.
int run(int argc, const char* const* argv, Console& console);

}  // namespace warpwright::cli
