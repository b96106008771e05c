// Our headers beside NVIDIA's. A program may bring folders that hold a CUDA toolkit's own headers
// (`-I/usr/local/cuda/include` in its Makefile, a distribution's package in /usr/include). Of the two sets that declare
// the runtime, all of ours must win. What only the toolkit has (Thrust, CUB, libcu++, cublas_v2.h, curand_kernel.h) is
// read from there.
#pragma once

#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::compile {

/// True for a folder that holds a toolkit's runtime headers, and not ours.
bool holds_toolkit_headers(const std::string& folder);

/// The flags with toolkits' folders after all others: `-I D`, `-idirafter D` and their one-word spellings become
/// `-isystem D`, preceded by `-isystem D/cccl` where CUDA 13 keeps Thrust, CUB and libcu++.
std::vector<std::string> toolkits_last(const std::vector<std::string>& flags);

/// The folder of our own small part of libcu++ (`<cuda/atomic>`, `<cuda/std/...>`), for programs without a toolkit that
/// has the whole of it.
std::string own_libcu(const std::string& toolchain_dir);

/// Flags that put ours behind a toolkit's: our part of libcu++, and the headers of our cuBLAS and cuRAND. A toolkit's
/// have more in them.
std::vector<std::string> ours_last(const std::string& toolchain_dir);

/// Whether a compiler's diagnostics refuse a shared variable whose constructor has an effect: libcu++'s `cuda::barrier`
/// is one, which nvcc accepts and clang does not. Ours is not, so a second run with our part of libcu++ in front may
/// succeed.
bool refuses_shared_constructor(const std::string& diagnostics);

/// Flags that put our part of libcu++ before a toolkit's.
std::vector<std::string> own_libcu_first(const std::string& toolchain_dir);

/// Flags that show the compiler our headers, of the folders `ours`, in place of those with the same names in each
/// toolkit folder that `flags` or the system's own search path reach; none if there is no such folder. Toolkit headers
/// that include each other by
/// "..." search their own folder first, so the order of the search path alone cannot decide. The function writes a
/// description into `folder`.
Result<std::vector<std::string>> cover_toolkits(const std::vector<std::string>& flags,
                                                const std::vector<std::string>& ours, const std::string& folder);

/// A file's absolute name as a description of files for the compiler (-ivfsoverlay) has it.
std::string overlay_name(const std::string& path);

/// What to do when an #include of `name` finds no file, if it is one of a toolkit's; empty: it is not.
std::string missing_header_hint(const std::string& name);

}  // namespace warpwright::compile
