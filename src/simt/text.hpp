// The warp IR as text that can be read again. One line is one instruction:
//
//   results = kind spelling operands [in SPACE] [as TYPE] [bytes=N] [written=...] [nounroll] [;glue]
//
// Each result has its register class (v3:b32), what is not used is `_`. Addresses stand in brackets with what is added
// to them; special registers, parameters, variables and functions have their names. Space and type are written where
// the spelling does not imply them. `written` is how the PTX operands stood, where the meaning depends on it: r for a
// register or what was made one, a number, {} a vector, [] an address, () a pair. `;glue` marks what no PTX instruction
// is counted for; any other text after a semicolon is a comment.
#pragma once

#include <string>
#include <string_view>

#include "simt/passes.hpp"
#include "simt/shape.hpp"

namespace warpwright::simt {

/// As print(), with the shape of each instruction's results as a comment behind it, and which blocks' ends may split
/// lanes.
std::string print(const Function& f, const Shapes& shapes);

/// A function from the text that print() gives. `module` has the variables and functions that the text names; it must
/// live as long as the result. Places in the source are not part of the text. The result has passed verify().
Result<Function> parse(std::string_view text, const ptx::Module& module);

}  // namespace warpwright::simt
