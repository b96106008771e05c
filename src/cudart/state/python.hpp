// The Python interpreter of the process, where there is one: the lines of a Python program that call this library, and
// the tensors that it hands to a launch. The interpreter is asked through its own functions, found by name, so this
// library needs none of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpwright::cudart::python {

/// A line of the Python program.
struct Place {
    std::string file, function;
    unsigned line = 0;
};

/// Whether the process is a Python program's: what it keeps until its end is no leak.
bool is_there();
/// The program's own line that called: of the frames outside of installed packages the innermost one. `caller`: an
/// address in the library that called this one. Null where no Python code of this thread calls, or where asking could
/// wait for a lock that the caller has.
const Place* calling_line(const void* caller);
/// Whether an address of a call stack is such a place.
const Place* place_of(const void* address);

/// Memory of the host's that a Python object describes.
struct Tensor {
    std::uint64_t first = 0, bytes = 0;
    bool whole = false;  ///< these are all bytes of its storage; else a view may have more around it
    std::string name;    ///< the program's variable; empty: not known
};
/// The tensor whose data begin at an address, among those that the calling functions of this thread have at hand.
std::optional<Tensor> tensor_at(const void* address);

}  // namespace warpwright::cudart::python
