// A program that the platform compiled, and its kernels. Internal to this room.
#pragma once

#include "device/opencl/context.hpp"

namespace warpwright::device::opencl {

class OpenclModule final : public Module {
public:
    /// Builds `source`; `name` is its name in messages, its folder serves #include "...". If the compiler refuses a
    /// source, the error is ErrorKind::input with the place of the first diagnostic.
    static Result<std::shared_ptr<OpenclModule>> build(std::shared_ptr<Holder> holder, std::string name,
                                                       const std::string& source);
    OpenclModule(std::shared_ptr<Holder> holder, std::string name)
        : holder_(std::move(holder)), name_(std::move(name)) {}
    OpenclModule(const OpenclModule&) = delete;
    OpenclModule& operator=(const OpenclModule&) = delete;
    ~OpenclModule() override;

    const std::vector<KernelInfo>& kernels() const override { return kernels_; }
    Result<std::pair<Address, std::uint64_t>> variable(const std::string& name) const override;

    /// Queues a launch; `event` (may be null) receives its event.
    Result<void> enqueue(const std::string& kernel, const LaunchConfig& config, std::span<const std::byte> parameters,
                         Event* event);
    Location where() const { return {name_, 0, 0}; }

private:
    struct Argument {
        Space space = Space::value;
        std::uint32_t offset = 0, size = 0;
    };
    struct BuiltKernel {
        Kernel handle = nullptr;
        std::vector<Argument> arguments;
    };
    Result<void> add(const std::string& kernel);

    std::shared_ptr<Holder> holder_;
    std::string name_;
    Program program_ = nullptr;
    std::vector<KernelInfo> kernels_;
    std::vector<BuiltKernel> entries_;  ///< beside kernels_
};

}  // namespace warpwright::device::opencl
