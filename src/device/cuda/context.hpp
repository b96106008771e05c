// A device's primary context, with one stream and two events, and its renewal after a kernel's fault.
#pragma once

#include <map>
#include <memory>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/driver.hpp"

namespace warpwright::device::cuda {

class ContextHolder {
public:
    static Result<std::unique_ptr<ContextHolder>> make(std::shared_ptr<const Driver> driver, CudaDeviceInfo info);
    ContextHolder(const ContextHolder&) = delete;
    ContextHolder& operator=(const ContextHolder&) = delete;
    ~ContextHolder();

    const DriverTable& table() const { return driver_->table; }
    const CudaDeviceInfo& info() const { return info_; }

    /// Makes the context current in this thread; call it before any call of the driver. After a fault this creates the
    /// context anew, empty: everything allocated or loaded in the old one is gone.
    Result<void> use();

    /// The error of a failed call; records whether the call lost the context.
    Error failed(Status status, const std::string& what, Location where = {});
    /// A kernel that does not end cannot be stopped, and every call would wait for it: from now on use() refuses.
    void give_up(const std::string& why) { gone_ = why; }
    bool given_up() const { return !gone_.empty(); }

    /// The number of contexts so far: modules and allocations belong to one of them.
    unsigned generation() const { return generation_; }
    Context handle() const { return context_; }
    Stream stream() const { return stream_; }
    Event first() const { return first_; }
    Event last() const { return last_; }

    /// Allocations of this generation: address and bytes asked for.
    std::map<Address, std::uint64_t>& allocations() { return allocations_; }

private:
    ContextHolder(std::shared_ptr<const Driver> driver, CudaDeviceInfo info)
        : driver_(std::move(driver)), info_(std::move(info)) {}
    Result<void> open();

    std::shared_ptr<const Driver> driver_;
    CudaDeviceInfo info_;
    DeviceId device_ = 0;
    Context context_ = nullptr;
    Stream stream_ = nullptr;
    Event first_ = nullptr, last_ = nullptr;
    unsigned generation_ = 0;
    bool lost_ = false;
    std::string gone_;
    std::map<Address, std::uint64_t> allocations_;
};

}  // namespace warpwright::device::cuda
