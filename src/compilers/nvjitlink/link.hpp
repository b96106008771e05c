// A link of nvJitLink's interface: PTX texts, and fat binaries with PTX, become one text.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "nvJitLink.h"

namespace warpwright::compilers {

struct JitLink {
    std::mutex mutex;  ///< held by the function that works on it
    std::vector<std::string> texts;
    std::string linked, errors, notes;
    unsigned capability = 0;  ///< of -arch: 90
    bool ptx_wanted = false;  ///< -ptx
    bool complete = false;

    nvJitLinkResult read_options(const std::vector<std::string>& words);
    nvJitLinkResult add(nvJitLinkInputType type, const void* data, std::size_t size, const std::string& name);
    nvJitLinkResult finish();

private:
    nvJitLinkResult refuse(nvJitLinkResult result, const std::string& why);
};

}  // namespace warpwright::compilers
