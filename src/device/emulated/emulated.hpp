// The emulated GPU as a Device.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "device/device.hpp"
#include "support/source_files.hpp"

namespace warpwright::device {

struct ModelledTime;  // modelled_time.hpp

struct EmulatedOptions {
    Limits limits;
    unsigned threads = 0;  ///< host threads; 0 = all
    std::string cpu;       ///< LLVM CPU name or feature preset ("native", "avx2", "x86-64", ...); empty = native
    std::uint64_t memory = std::uint64_t{64} << 30;  ///< address range reserved for device memory, bytes
    /// Device memory lies in a nameless file of this folder instead of the host's memory; empty: it does not.
    std::string memory_folder;
    std::string cache_directory;  ///< compiled host code; empty = no disk cache
    bool zeroed = false;          ///< fresh memory reads as zeros instead of 0xCD
    /// Accesses by up to 512 bytes past an allocation's last 512 do not end a launch, as they do not on a GPU:
    /// Device::findings() reports each such line of a kernel once. Not used where launches are checked.
    bool tolerant = false;
    /// Pages that nothing may touch lie around each allocation (engine/shared/guard.hpp): for tests.
    bool guarded = false;
    bool lazy = false;  ///< Module::kernels() then has only names and parameters
    /// Registers and spills are estimated, even where the environment (WARPWRIGHT_PTXAS) names an assembler that could
    /// tell them, or one is found.
    bool estimated_registers = false;
    /// A set of record::Checker: launches are checked, Device::findings() has the findings, and a bad access no longer
    /// ends a launch. 0: nothing is checked, at no cost. If this is 0, the environment's WARPWRIGHT_CHECKERS ("all",
    /// "memory,race") is used.
    std::uint32_t checkers = 0;
    /// Checked launches: how long all threads of one must wait for memory to change before that is a deadlock. 0 if a
    /// launch is alone with its memory; more if the host, or another launch, may change it meanwhile.
    std::chrono::milliseconds patience{0};
    /// Checked launches of whole programs: whether an address that is no memory of the device is the program's own, so
    /// that it was given a pointer of the host. Empty: nobody knows.
    std::function<bool(std::uint64_t)> is_host_memory;
    /// The time limits of launches and of making their code count the time in which their threads had a processor, as
    /// with WARPWRIGHT_TIMEOUT_OF_PROCESSOR: what ends a launch does not depend on other work of the machine.
    bool limits_of_processor = false;
    /// A launch that executes more instructions, over all of its warps, ends with ErrorKind::fault, at the loop in
    /// which it is: on every machine at the same one. 0: no limit, or that of the environment
    /// (WARPWRIGHT_MOST_INSTRUCTIONS). Grids that a kernel launches have the limit each.
    std::uint64_t most_instructions = 0;
    /// Receives a line about a launch that runs for long on this machine: where it is. From any thread. Empty: nobody
    /// is told.
    std::function<void(const std::string&)> tell;
    /// Texts from which messages may take names of arrays and of a kernel's parameters; null: no source is read, and a
    /// parameter has its number.
    std::shared_ptr<SourceFiles> sources = nullptr;
    /// With it, streams and events have a modelled clock; without it, events report no time.
    std::shared_ptr<const ModelledTime> time = nullptr;
    /// Where the process listens that has the way to other hosts, which then run blocks of large grids (device/hosts);
    /// empty: there are none. Not used where launches are checked.
    std::string hosts = {};
};

/// Whether the environment names a schedule that there is (WARPWRIGHT_SCHEDULE).
Result<void> check_schedule();

/// The emulated GPU.
Result<std::unique_ptr<Device>> make_emulated(const EmulatedOptions& options);

}  // namespace warpwright::device
