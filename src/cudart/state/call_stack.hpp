// The place from which the program has called this library, for what the checkers report.
#pragma once

#include <memory>
#include <vector>

namespace warpwright::cudart {

/// Return addresses in the program, from its call of this library outwards. In a Python program the first may be the
/// address of a python::Place, its own line.
using CallStack = std::vector<void*>;

/// That of the running call; null where nothing is checked.
std::shared_ptr<const CallStack> calling_place();

}  // namespace warpwright::cudart
