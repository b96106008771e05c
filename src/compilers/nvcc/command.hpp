// What the stand-in for nvcc does: `nvcc --ptx`, `--cubin`, `--fatbin` and `--preprocess`, for clients that call nvcc
// at run time and load what it writes. Other work is left to a real nvcc, if the program's PATH has one.
#pragma once

#include <string>
#include <vector>

#include "compile/kernel/compile.hpp"
#include "support/result.hpp"

namespace warpwright::compilers {

struct NvccCommand {
    enum class Kind { other, version, ptx, cubin, fatbin, preprocess } kind = Kind::other;
    std::string output;               ///< -o, or as nvcc names it
    compile::CompileRequest request;  ///< its path is the source
};

/// ErrorKind::usage: an option without its value, more than one source.
Result<NvccCommand> read_nvcc_words(const std::vector<std::string>& words);

/// Carries it out: the bytes of the output file, or of standard output where a preprocessed text has no file.
Result<std::string> run_nvcc(const NvccCommand& command, std::string& log);

std::string nvcc_version();

}  // namespace warpwright::compilers
