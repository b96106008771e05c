// Links several PTX modules to one, as the driver's linker does after separate compilation: device functions and
// variables of one file that another file uses.
#pragma once

#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::compile {

/// Links the modules. An .extern declaration gets its definition; of .weak definitions the first stays; local names of
/// a module are changed if another module has the same. Modules that neither hold a kernel nor define anything that
/// others need are left out. ErrorKind::input when a name is defined twice.
Result<std::string> link_ptx(const std::vector<std::string>& modules);

/// True for text that link_ptx made. Every file's part of a program then carries the same text, which is one module.
bool is_linked_ptx(const std::string& text);

}  // namespace warpwright::compile
