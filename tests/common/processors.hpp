// Processors of this machine's kind that a test may ask kernels' code for.
#pragma once

#include <string>
#include <vector>

namespace warpwright::test {

/// The plainest that there is: every machine of the kind runs its code.
inline std::string plainest_processor() {
#if defined(__x86_64__)
    return "x86-64";
#else
    return "generic";
#endif
}

/// Two lesser ones than machines of today have; of x86-64 without AVX2 and with it.
inline std::vector<std::string> lesser_processors() {
#if defined(__x86_64__)
    return {"x86-64-v2", "x86-64-v3"};
#else
    return {"cortex-a53", "generic"};
#endif
}

}  // namespace warpwright::test
