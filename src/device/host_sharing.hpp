// Memory that the host and a device's kernels both access, by the same addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "device/launch.hpp"
#include "record/finding.hpp"

namespace warpwright::device {

/// An access that a launch has left in the checkers' memory: a range of bytes, by one instruction.
struct LaunchAccess {
    Address at = 0;
    std::uint64_t bytes = 0;
    std::uint32_t launch = 0;  ///< its mark
    std::uint32_t site = 0;    ///< its instruction
    bool write = false;
    bool strong = false;  ///< atomic, volatile or relaxed, for threads beyond one block
};

class HostSharing {
public:
    static constexpr std::string_view kPart = "memory that it shares with the host";
    virtual ~HostSharing() = default;
    /// The allocation that contains an address of device memory: its start and its bytes.
    virtual std::optional<std::pair<Address, std::uint64_t>> allocation(Address at) = 0;
    /// Whether kernels may access all these bytes, and, where they are to be `written`, write them.
    virtual bool reaches(Address at, std::uint64_t bytes, bool written) = 0;
    /// Host memory that kernels may access by the same address from now on.
    virtual Result<void> adopt(void* memory, std::uint64_t bytes) = 0;
    virtual Result<void> disown(void* memory) = 0;
    /// The host may write this allocation of device memory at any time, also while kernels run.
    virtual void shared(Address at) = 0;
    /// The host has written device memory directly: it counts as initialised.
    virtual void written(Address at, std::uint64_t bytes) = 0;
    /// The same if it copied from device memory directly: bytes that were never written there count as unwritten here.
    virtual void copied(Address to, Address from, std::uint64_t bytes) = 0;
    /// What of this memory nothing has written, as address and size, in order; nothing where that is not checked.
    virtual std::vector<std::pair<Address, std::uint64_t>> unwritten(Address at, std::uint64_t bytes) = 0;
    /// The launch that wrote a byte last, as far as the checkers know it.
    virtual std::optional<record::Writer> writer(Address at) = 0;
    /// The marks of the launch that the calling thread made last and of those that its kernels made, in order; none
    /// where races are not looked for.
    virtual std::vector<std::uint32_t> launch_marks() = 0;
    /// From now on each launch's accesses are taken when it ends, for last_accesses().
    virtual void keep_accesses(bool keep) = 0;
    /// Those of the calling thread's last launch.
    virtual std::vector<LaunchAccess> last_accesses() = 0;
    /// What launches of these marks have left, by address. What later launches accessed as well may be missing, and
    /// all of it when marks have been used up meanwhile.
    virtual std::vector<LaunchAccess> accesses(const std::vector<std::uint32_t>& marks) = 0;
    /// Where the instruction of an access is, and what it does.
    virtual record::FindingPlace place_of(const LaunchAccess& access) = 0;
};

}  // namespace warpwright::device
