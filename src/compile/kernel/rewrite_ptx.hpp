// Small rewrites of clang's PTX text that make it equal to nvcc's for the same source. None changes what a kernel
// computes.
#pragma once

#include <string>
#include <string_view>

namespace warpwright::compile {

/// True when the text declares a function of libclc that nothing defines.
bool calls_library(std::string_view ptx);

/// True when the text calls operator new or delete and does not define it: the source was compiled without <new>.
bool calls_heap_operators(std::string_view ptx);

/// True when the text has a .const variable.
bool has_constant_memory(std::string_view ptx);

/// - Device functions that were inlined everywhere are removed, as by nvcc in whole-program mode.
/// - `@p bra A; bra.uni B; A:` becomes `@!p bra B; A:`: clang's back end never reverses a branch, which would count one
///   instruction too many at the end of most loops.
/// - What clang's plugin says of `__cluster_dims__` becomes directives of the kernels, for targets that have clusters.
/// - Parameters are loaded where a kernel begins (parameter_loads.hpp).
/// - Constants of shuffles go to registers first (constant_moves.hpp).
/// - Comments on lines of their own are removed, and so is "./" before a file's name in .file.
/// `whole`: the program has no other files that could call this one's functions.
std::string tidy(std::string_view ptx, bool whole = true);

}  // namespace warpwright::compile
