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

class HostSharing {
public:
    static constexpr std::string_view kPart = "memory that it shares with the host";
    virtual ~HostSharing() = default;
    /// The allocation that contains an address of device memory: its start and its bytes.
    virtual std::optional<std::pair<Address, std::uint64_t>> allocation(Address at) = 0;
    /// Host memory that kernels may access by the same address from now on.
    virtual Result<void> adopt(void* memory, std::uint64_t bytes) = 0;
    virtual Result<void> disown(void* memory) = 0;
    /// The host has written device memory directly: it counts as initialised.
    virtual void written(Address at, std::uint64_t bytes) = 0;
    /// The same if it copied from device memory directly: bytes that were never written there count as unwritten here.
    virtual void copied(Address to, Address from, std::uint64_t bytes) = 0;
    /// What of this memory nothing has written, as address and size, in order; nothing where that is not checked.
    virtual std::vector<std::pair<Address, std::uint64_t>> unwritten(Address at, std::uint64_t bytes) = 0;
    /// The launch that wrote a byte last, as far as the checkers know it.
    virtual std::optional<record::Writer> writer(Address at) = 0;
};

}  // namespace warpwright::device
