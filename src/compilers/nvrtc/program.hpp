// A program of NVRTC's interface, compiled by clang with our headers.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "nvrtc.h"

namespace warpwright::compilers {

struct RtcProgram {
    std::mutex mutex;  ///< held by the function that works on it
    std::string source, name;
    std::vector<std::pair<std::string, std::string>> headers;  ///< include name, text
    std::vector<std::string> expressions;

    bool compiled = false, machine_code = false;
    std::string ptx, log;
    std::map<std::string, std::string> lowered;  ///< by expression

    nvrtcResult compile(const std::vector<std::string>& options);
};

}  // namespace warpwright::compilers
