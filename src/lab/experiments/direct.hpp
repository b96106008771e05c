// Kernels that an experiment launches itself, outside any ladder: to see what threads write down, or to work on a
// user's data.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "lab/sweep/context.hpp"
#include "ladder/problem.hpp"

namespace warpwright::lab {

/// A file that comes with the program, "kernels/threads/indices.cu" or "examples/vecadd/vecadd.cu": beside the ladders
/// that are found. ErrorKind::input where it is not there.
Result<std::string> own_file(const std::string& name);

/// Memory on the device, released when this goes.
class DeviceMemory {
public:
    /// Filled with `value`.
    static Result<DeviceMemory> make(device::Device& device, std::uint64_t bytes, std::uint8_t value = 0);
    /// Holds these elements.
    template <class T>
    static Result<DeviceMemory> of(device::Device& device, const std::vector<T>& values) {
        auto memory = make(device, values.size() * sizeof(T));
        if (!memory) return memory;
        if (auto ok = device.write(memory->address_, std::as_bytes(std::span(values))); !ok)
            return std::move(ok).error();
        return memory;
    }
    DeviceMemory(DeviceMemory&& other) noexcept
        : device_(other.device_), address_(other.address_), bytes_(other.bytes_) {
        other.device_ = nullptr;
    }
    DeviceMemory& operator=(DeviceMemory&&) = delete;
    ~DeviceMemory();

    device::Address address() const { return address_; }
    /// All of it, as elements.
    template <class T>
    Result<std::vector<T>> read() const {
        std::vector<T> out(bytes_ / sizeof(T));
        if (auto ok = device_->read(std::as_writable_bytes(std::span(out)), address_); !ok)
            return std::move(ok).error();
        return out;
    }

private:
    DeviceMemory(device::Device& device, device::Address address, std::uint64_t bytes)
        : device_(&device), address_(address), bytes_(bytes) {}
    device::Device* device_;
    device::Address address_;
    std::uint64_t bytes_;
};

/// A kernel that is compiled and loaded.
struct Kernel {
    std::shared_ptr<device::Module> module;
    const device::KernelInfo* info = nullptr;
    std::string file;  ///< its source
};
Result<Kernel> load_kernel(const Context& context, const std::string& file, const std::string& entry,
                           const std::vector<std::string>& defines = {});

/// A pointer, a whole number or a real one.
using KernelArgument = std::variant<device::Address, std::int64_t, double>;

/// Runs it once. The record has names, grid, block, counts and bound; its axes and verification are the caller's.
struct Launched {
    record::Record record;
    device::LaunchResult result;
};
Result<Launched> launch(const Context& context, const Kernel& kernel, const device::LaunchConfig& config,
                        const std::vector<KernelArgument>& arguments, const std::string& experiment);

}  // namespace warpwright::lab
