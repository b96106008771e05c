// What the stand-in for ptxas does: it checks PTX as the emulated device would, says what its kernels need in the words
// of ptxas -v, and gives the PTX itself as the result, which the driver library loads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/result.hpp"

namespace warpwright::compilers {

struct AssembleRequest {
    std::string input;
    std::optional<std::string> text;  ///< -input-as-string: the PTX itself, in the place of a file
    std::string output = "elf.o";     ///< as ptxas names it where nobody does
    std::string arch = "sm_52";       ///< likewise
    bool verbose = false;             ///< -v: registers and memory of each kernel
    bool version = false, help = false;
    std::vector<std::string> without_effect;  ///< options that change machine code, and nothing here
};

/// Reads the words of a command line as ptxas does: -name value, -name=value, --name value, --name=value.
Result<AssembleRequest> read_ptxas_words(const std::vector<std::string>& words);

struct Assembled {
    std::string log;  ///< what ptxas prints on standard error
    bool ok = false;
};

/// Checks the text: its grammar, and each kernel through the lowering that a launch begins with.
Assembled assemble(const std::string& text, const AssembleRequest& request);

/// What the output file has for a text: the driver library loads it. A loader that takes it for machine code hands it
/// on without its length, so the end is marked, as the driver wants it of PTX.
std::string output_of(std::string text);

/// What --version prints; clients read the release from it.
std::string ptxas_version();

}  // namespace warpwright::compilers
