// A source as the compiler is given it: by a name that can be nothing but a name, and with the bytes that were read
// here. What the compiler reads is then what the cache's key was made of, whatever becomes of the file meanwhile.
#pragma once

#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::compile {

struct SourceOperand {
    std::string name;                ///< after "--"
    std::vector<std::string> flags;  ///< that show the compiler the text
};

/// `path`: the source's name in messages and line information; its folder serves includes in quotes. `file`: it is a
/// file of that name, which includes may name too. `folder`: an absolute one of ours, for a copy of the text. Errors:
/// internal, of the copy.
Result<SourceOperand> source_operand(const std::string& path, bool file, const std::string& text,
                                     const std::string& folder);

}  // namespace warpwright::compile
