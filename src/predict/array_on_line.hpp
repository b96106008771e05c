// The array that a line of source accesses, as its text has it. Names make messages readable; nothing else rests on
// them, because no compiler has looked at the text.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::predict {

/// Of "out[j * n + i] = tile[threadIdx.x][k];" "out" is stored and "tile" loaded. In the order of the line, each once.
std::vector<std::string> arrays_on_line(std::string_view line, bool stored);

/// What an atomic function on the line changes: "count" of "atomicAdd(&count[k], 1);". Empty where there is none.
std::string array_of_atomic(std::string_view line);

/// Adds the arrays and variables that the line declares in shared memory.
void add_shared_names(std::string_view line, std::set<std::string>& names);

/// The line's branch with its condition: "if (i % 2 == 0)". A long one is cut; empty where the line has none.
std::string branch_on_line(std::string_view line);

/// How often the line calls a function of the math library in its exact form: "x = sinf(y);", not "__sinf(y)".
unsigned calls_of_math(std::string_view line);

}  // namespace warpwright::predict
