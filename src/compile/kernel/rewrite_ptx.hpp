// Small rewrites of clang's PTX text that bring it to what nvcc writes for the same source. None changes what a kernel
// computes.
#pragma once

#include <string>
#include <string_view>

namespace warpwright::compile {

/// True when the text declares a function of libclc's that nothing defines.
bool calls_library(std::string_view ptx);

/// True when the text calls operator new or delete and defines it nowhere: the source went without <new>.
bool calls_heap_operators(std::string_view ptx);

/// True when the text has a .const variable.
bool has_constant_memory(std::string_view ptx);

/// - Device functions that were inlined everywhere go, as nvcc drops them in whole-program mode.
/// - `@p bra A; bra.uni B; A:` becomes `@!p bra B; A:`: clang's back end never reverses a branch, which would count one
///   instruction too many at the end of most loops.
/// - Comments that stand alone go, and "./" before a file's name in .file.
/// `whole`: the program has no other files that could call this one's functions.
std::string tidy(std::string_view ptx, bool whole = true);

}  // namespace warpwright::compile
