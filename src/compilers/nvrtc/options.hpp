// The options of nvrtcCompileProgram, as a request to our compiler.
#pragma once

#include <string>
#include <vector>

#include "compile/kernel/compile.hpp"
#include "support/result.hpp"

namespace warpwright::compilers {

struct RtcOptions {
    compile::CompileRequest request;  ///< all but the source
    bool machine_code = false;        ///< -arch=sm_90 and not compute_90: GetCUBIN has an answer
    bool default_device = false;      ///< functions without a qualifier are for the device as well
    std::string notes;                ///< options without effect, for the log
};

/// ErrorKind::usage names an option that is not known, or its value.
Result<RtcOptions> read_rtc_options(const std::vector<std::string>& words);

/// The same options for NVIDIA's library so that it makes PTX: sm_90 becomes compute_90, and code for linking is not
/// asked for.
std::vector<std::string> options_for_ptx(const std::vector<std::string>& words, bool& machine_code);

}  // namespace warpwright::compilers
