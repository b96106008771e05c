// Our headers beside NVIDIA's. A program may bring folders that hold a CUDA toolkit's own headers
// (`-I/usr/local/cuda/include` in its Makefile, a distribution's package in /usr/include). Of the two sets that declare
// the runtime one must win, and whole: ours. What only the toolkit has (Thrust, CUB, libcu++, cublas_v2.h,
// curand_kernel.h) is read from there.
#pragma once

#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::compile {

/// A folder that holds a toolkit's runtime headers, and not ours.
bool holds_toolkit_headers(const std::string& folder);

/// The flags with toolkits' folders behind all others that are named: `-I D`, `-idirafter D` and their one-word
/// spellings become `-isystem D`, before it `-isystem D/cccl` where CUDA 13 keeps Thrust, CUB and libcu++.
std::vector<std::string> toolkits_last(const std::vector<std::string>& flags);

/// The folder of our own small part of libcu++ (`<cuda/atomic>`, `<cuda/std/...>`), for when no toolkit brings the
/// whole.
std::string own_libcu(const std::string& toolchain_dir);

/// Whether a compiler's diagnostics are of shared variables whose constructors do something: libcu++'s `cuda::barrier`
/// is such, which nvcc takes and clang does not. Ours is not, so that a second run with our part of libcu++ in front
/// may do.
bool refuses_shared_constructor(const std::string& diagnostics);

/// Flags that put our part of libcu++ before a toolkit's.
std::vector<std::string> own_libcu_first(const std::string& toolchain_dir);

/// Flags that show the compiler our headers in place of those of the same name in each toolkit's folder that `flags` or
/// the system's own search path reach; none where there is no such folder. Toolkit headers that include each other by
/// "..." look beside themselves first, so the order of the search path alone cannot decide. A description is written
/// into `folder`.
Result<std::vector<std::string>> cover_toolkits(const std::vector<std::string>& flags, const std::string& toolchain_dir,
                                                const std::string& folder);

/// What to do when an #include of `name` finds no file, if it is one of a toolkit's; empty: it is not.
std::string missing_header_hint(const std::string& name);

}  // namespace warpwright::compile
