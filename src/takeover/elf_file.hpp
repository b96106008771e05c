// The symbols of an object that the loader has mapped: its file's symbol table, which is not loaded with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::takeover {

struct Function {
    const char* name;     ///< of names.hpp
    std::uint64_t value;  ///< its address before the object was moved
    std::uint64_t size;
};

struct ObjectFacts {
    bool device_code = false;         ///< it has kernels
    bool shared_runtime = false;      ///< it is linked to libcudart.so
    std::vector<Function> functions;  ///< those of the static runtime that are long enough to be led elsewhere
    std::size_t too_short = 0;
    bool has(const char* name) const;
};

/// Reads the file of an object that lies at `base`. Nothing in the file is trusted: what does not fit leaves the facts
/// empty, as does a file that is not what was mapped.
ObjectFacts look_at_object(const std::string& file, std::uint64_t base);

/// What the loader reads of a file before it maps it.
struct Needs {
    std::vector<std::string> libraries;  ///< DT_NEEDED
    std::vector<std::string> folders;    ///< DT_RPATH and DT_RUNPATH, with $ORIGIN replaced by the file's own folder
};
Needs needs_of(const std::string& file);

}  // namespace warpwright::takeover
