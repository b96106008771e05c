// The array that a line of source accesses, as its text has it. Names make messages readable; nothing else rests on
// them, because no compiler has looked at the text.
#pragma once

#include <string>
#include <string_view>

namespace warpwright::predict {

/// Of "out[j * n + i] = tile[threadIdx.x][k];" "out" is stored and "tile" loaded. Empty where the line has none, or
/// several.
std::string array_on_line(std::string_view line, bool stored);

/// How often the line calls a function of the math library in its exact form: "x = sinf(y);", not "__sinf(y)".
unsigned calls_of_math(std::string_view line);

}  // namespace warpwright::predict
