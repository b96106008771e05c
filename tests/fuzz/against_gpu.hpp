// The GPU at hand as a further oracle of the kernel target: what a real GPU computes is right. Only kernels whose
// results the language defines can be compared, and only those that are sure to end are given to a GPU that others
// share.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace warpwright::fuzz {

/// Why a kernel's results cannot be compared with a GPU's, or it might not end there; empty where they can. Asks the
/// text alone: branches backwards, calls, the time, the place of a warp, approximate functions, what depends on the
/// order of warps.
std::string why_not_comparable(std::string_view text);

/// The text with every register set to zero where it is declared, so that no result depends on what was in a register
/// before. None where that cannot be said in PTX (registers of 8 and 128 bits, outside of functions).
std::optional<std::string> with_registers_set(std::string_view text);

/// The text without those instructions that are not needed for `still` to hold, tried one by one from the last on.
/// What with_registers_set() wrote stays.
std::string reduced(std::string text, const std::function<bool(const std::string&)>& still);

/// Its opcodes with their suffixes, each once, in alphabetical order; without the loads of
/// parameters and what sets a register to zero.
std::set<std::string> opcodes_of(std::string_view text);

/// The GPU, and the folder for what it computes otherwise.
class AgainstGpu {
public:
    /// Null unless WARPWRIGHT_FUZZ_GPU names a folder. Ends the program where there is no GPU.
    static AgainstGpu* here();

    device::Device& device() { return *device_; }
    /// Writes the text with what is wrong as a comment, once for each kind and reason (digits left out).
    void note(const std::string& kind, const std::string& why, std::string_view text);
    /// Whether the text has all the opcodes of a kernel that was computed otherwise before: the same again, most
    /// likely.
    bool known(std::string_view text) const;
    /// Writes a kernel that the GPU computes otherwise, reduced, with the place where the whole kernel's memory
    /// differs; `still` says whether a text shows it.
    void note_difference(std::string_view text, const std::string& place,
                         const std::function<bool(const std::string&)>& still);
    /// Adds to the number of kernels that were compared, which stands in the folder's file "compared".
    void count();
    /// A fault ends a GPU's context: the program ends, and whoever started it may start it again.
    [[noreturn]] static void end_after_fault();

private:
    AgainstGpu(std::filesystem::path folder, std::unique_ptr<device::Device> device);

    std::filesystem::path folder_;
    std::unique_ptr<device::Device> device_;
    std::size_t compared_ = 0;
    std::set<std::string> noted_;                   ///< kinds and reasons
    std::vector<std::set<std::string>> different_;  ///< opcodes of what was computed otherwise
};

}  // namespace warpwright::fuzz
