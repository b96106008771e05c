// One emulated device that stands for several of a machine, with one range of addresses as CUDA's unified addressing
// has it: whose memory an allocation is. On which of them a launch runs stands in its options (launch::LaunchOptions).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "device/device.hpp"

namespace warpwright::device {

/// The most devices that one stands for: bits of launch::LaunchOptions::reach.
inline constexpr unsigned kMostDevices = 16;

/// Who has access to memory of one of them.
enum class MemoryAccess : std::uint8_t {
    by_device,  ///< the devices that have access to all memory of its device, and those in `open_to`
    by_memory,  ///< those in `open_to` alone, as memory of pools and mapped memory have it
};

class SeveralDevices {
public:
    static constexpr std::string_view kPart = "several devices";
    virtual ~SeveralDevices() = default;
    /// The allocation that starts at `at` is memory of this device; `open_to` has further ones as bits. Until then, all
    /// of them reach it.
    virtual void belongs_to(Address at, unsigned device, MemoryAccess access, std::uint16_t open_to) = 0;
    /// The same of a part of an allocation.
    virtual void part_belongs_to(Address at, std::uint64_t bytes, unsigned device, MemoryAccess access,
                                 std::uint16_t open_to) = 0;
    virtual void belongs_to_all(Address at) = 0;
    /// Undoes part_belongs_to for what begins among these bytes.
    virtual void parts_belong_to_all(Address at, std::uint64_t bytes) = 0;
    /// Whose memory an address is; nothing where all devices reach it, or where there is none.
    virtual std::optional<unsigned> device_of(Address at) = 0;
    /// Device::load for one of them: its variables are that device's memory. `places`: of variables that have memory
    /// already, the host's or another device's copy of the module.
    virtual Result<std::shared_ptr<Module>> load_for(unsigned device, std::string name, std::string ptx,
                                                     const std::map<std::string, Address>& places) = 0;
};

}  // namespace warpwright::device
