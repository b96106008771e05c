// A device to work on outside any ladder: for experiments that queue copies and kernels themselves. It is the context's
// own, another emulated one with a modelled clock, or an OpenCL device.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "device/modelled_time.hpp"
#include "device/stream.hpp"
#include "lab/sweep/context.hpp"
#include "record/page.hpp"
#include "text/message.hpp"

namespace warpwright::lab {

class Workbench {
public:
    /// The context's device.
    static Workbench on(const Context& context);
    /// An emulated device of the context's model whose streams have a modelled clock.
    static Result<Workbench> emulated(const Context& context);
    /// The context's device where its events measure time, else an emulated one.
    static Result<Workbench> with_streams(const Context& context);
    static Result<Workbench> opencl(const Context& context, int ordinal);
    Workbench(Workbench&&) noexcept = default;
    Workbench& operator=(Workbench&&) = delete;
    ~Workbench();

    device::Device& device() const { return *device_; }
    const arch::DeviceModel& model() const { return *model_; }
    /// Times are measured; else modelled.
    bool measured() const { return device_->timer() != nullptr; }
    record::Basis basis() const { return measured() ? record::Basis::measured : record::Basis::predicted; }
    std::chrono::milliseconds timeout() const { return options_.timeout; }

    /// A kernel file among the program's kernels ("sum/sum.cl"), compiled for the device and loaded.
    Result<std::shared_ptr<device::Module>> load(const std::string& file, const std::vector<std::string>& defines = {});

    using Argument = std::variant<device::Address, std::int32_t, double>;
    /// A launch of a kernel, ready to run.
    Result<device::Step> step(std::shared_ptr<device::Module> module, const std::string& kernel,
                              const device::LaunchConfig& config, const std::vector<Argument>& arguments) const;
    /// Runs it once, with counts where the device has them.
    Result<device::LaunchResult> run(const device::Step& step) const;
    /// What that launch takes on the model (predict::kernel_time): seconds.
    double predicted_seconds(const device::Step& step, const device::LaunchResult& result) const;

    /// Given back with this.
    Result<device::Address> allocate(std::uint64_t bytes);
    void release_all();

private:
    Workbench() = default;
    std::unique_ptr<device::Device> owned_;
    device::Device* device_ = nullptr;
    const arch::DeviceModel* model_ = nullptr;
    std::shared_ptr<Target> target_;
    device::LaunchOptions options_;
    std::shared_ptr<predict::Predictor> predictor_;
    std::vector<device::Address> held_;
};

/// A kernel file among the program's kernels: its path. ErrorKind::input where it is not installed.
Result<std::string> kernel_file(const std::string& name);

/// "2.53 ms", "13.1 GB/s": a figure with the prefix that fits it.
Figure with_prefix(double value, const std::string& unit);

/// The middle one; NaN of none.
double median_of(std::vector<double> values);

}  // namespace warpwright::lab
