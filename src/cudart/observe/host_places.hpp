// Where the program called this library, for findings.
#pragma once

#include <string>
#include <utility>

#include "cudart/state/call_stack.hpp"
#include "record/finding.hpp"
#include "support/source_files.hpp"

namespace warpwright::cudart {

/// The program's line from which this library was called, and the function that it is in. `stub`: through the host
/// function that the compiler generates for a kernel.
std::pair<record::FindingPlace, std::string> host_place(const CallStack& stack, bool stub = false);

/// A file in the working folder or below is named from there, as kernels' files are.
std::string short_path(const std::string& file);

/// The variable that an allocating call sets. Takes the column away, which nothing else needs.
std::string set_by(SourceFiles& sources, record::FindingPlace& place);

}  // namespace warpwright::cudart
