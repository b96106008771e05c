// What ptxas -v says of the functions of a module.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace warpwright::compile {

/// Of one function, each as ptxas counts it. Bytes are those of a thread.
struct AssembledFunction {
    std::optional<std::uint32_t> registers;  ///< of kernels
    std::uint64_t frame = 0;                 ///< local arrays and what is spilled
    std::uint64_t spill_stores = 0;          ///< of instructions that spill, each once as it stands in the code
    std::uint64_t spill_loads = 0;           ///< the same of those that load again
    bool operator==(const AssembledFunction&) const = default;
};

using AssembledModule = std::map<std::string, AssembledFunction>;

/// Reads it, whatever the text may be: a line that is none of ptxas' own is passed over, and so is a number that no
/// thread can have.
AssembledModule read_ptxas_info(std::string_view text);

/// The release that --version names ("13.0"), with the stand-in of ours told apart.
struct PtxasVersion {
    std::string release;  ///< "13.0"
    std::string build;    ///< "13.0.88"
    bool ours = false;
};
/// Nothing where the text is not that of a ptxas.
std::optional<PtxasVersion> read_ptxas_version(std::string_view text);

}  // namespace warpwright::compile
