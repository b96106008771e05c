// An OpenCL device in use: its context and queue, and the addresses that stand for its buffers. Internal to this room.
#pragma once

#include <map>

#include "device/opencl/driver.hpp"
#include "device/opencl/opencl_device.hpp"

namespace warpwright::device::opencl {

/// OpenCL has buffers, our interface has addresses: each allocation gets a range of numbers that is never used again.
/// An address inside one becomes a sub-buffer when a kernel gets it.
class Holder {
public:
    static Result<std::shared_ptr<Holder>> make(std::shared_ptr<const Driver> driver, const PlatformDevice& place,
                                                OpenclDeviceInfo info);
    Holder(std::shared_ptr<const Driver> driver, const PlatformDevice& place, OpenclDeviceInfo info)
        : driver_(std::move(driver)), place_(place), info_(std::move(info)) {}
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    ~Holder();

    const OpenclFunctions& table() const { return driver_->table; }
    const OpenclDeviceInfo& info() const { return info_; }
    DeviceId device() const { return place_.device; }
    Context context() const { return context_; }
    Queue queue() const { return queue_; }

    /// ErrorKind::no_device after a kernel has exceeded its time: it cannot be stopped, and each call would wait for
    /// it.
    Result<void> use() const;
    bool given_up() const { return !gone_.empty(); }

    Result<Address> allocate(std::uint64_t bytes);
    Result<void> release(Address address);
    /// The buffer that holds these bytes, and their offset in it. ErrorKind::fault if none does.
    Result<std::pair<Memory, std::uint64_t>> covered(Address at, std::uint64_t bytes, const char* what);
    /// The argument that a kernel gets for an address: null for 0.
    Result<Memory> argument(Address at, const std::string& name, const Location& where);

    /// Waits for an event; after the limit (0 = none) the device is given up. An error status of the event is returned
    /// as an error.
    Result<void> wait(Event event, std::chrono::milliseconds limit, const std::string& what, const Location& where);

private:
    struct Block {
        Memory memory = nullptr;
        std::uint64_t bytes = 0;
        std::map<std::uint64_t, Memory> parts;  ///< by their offsets
    };
    std::map<Address, Block>::iterator find(Address at);
    void free(Block& block) const;

    std::shared_ptr<const Driver> driver_;
    PlatformDevice place_;
    OpenclDeviceInfo info_;
    Context context_ = nullptr;
    Queue queue_ = nullptr;
    std::string gone_;
    std::map<Address, Block> blocks_;
    Address next_ = Address{1} << 46;
};

}  // namespace warpwright::device::opencl
