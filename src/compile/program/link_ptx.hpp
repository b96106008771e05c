// Several PTX modules to one, as the driver's linker joins what separate compilation left: device functions and
// variables of one file that another file uses.
#pragma once

#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::compile {

/// Joins the modules. What is declared .extern meets its definition; of .weak definitions the first stays; names that a
/// module keeps to itself are changed where another module has the same. Modules that neither hold a kernel nor define
/// anything that others need are left out. ErrorKind::input when a name is defined twice.
Result<std::string> link_ptx(const std::vector<std::string>& modules);

/// True for text that link_ptx made. Every file's part of a program carries the same text then, which is one module.
bool is_linked_ptx(const std::string& text);

}  // namespace warpwright::compile
