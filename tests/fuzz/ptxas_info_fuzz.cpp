// Any bytes as what ptxas says: figures that a thread can have, of functions whose names are names.
// Run: ww_fuzz_ptxas_info tests/fuzz/corpus/ptxas_info
#include "compile/ptxas/figures.hpp"
#include "fuzz_target.hpp"

using namespace warpwright;

FUZZ_TARGET(ptxas_info) {
    for (const auto& [name, f] : compile::read_ptxas_info(text)) {
        if (name.empty() || name.find_first_of(" \n\r\t\x1b") != std::string::npos)
            fuzz::complain("a function has no name", name);
        if (f.registers.value_or(0) > 255) fuzz::complain("a thread has too many registers");
        if (f.frame > (1u << 30) || f.spill_stores > (1u << 30) || f.spill_loads > (1u << 30))
            fuzz::complain("a thread has too much local memory");
    }
    if (const auto version = compile::read_ptxas_version(text))
        if (version->release.empty() || version->release.size() > 20 ||
            version->release.find_first_not_of("0123456789.") != std::string::npos)
            fuzz::complain("a version is no number", version->release);
}
