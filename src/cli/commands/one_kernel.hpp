// One kernel with the arguments of the command line, ready to be launched: what `launch` and `check` share.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cli/commands/session.hpp"
#include "cli/options/argument_words.hpp"
#include "cli/options/options.hpp"
#include "ladder/within.hpp"

namespace warpwright::cli {

/// A buffer argument on the device; released when this goes.
struct DeviceBuffer {
    device::Device* device;
    device::Address address = 0;
    std::uint64_t bytes = 0;
    DeviceBuffer(device::Device& d, device::Address a, std::uint64_t b) : device(&d), address(a), bytes(b) {}
    DeviceBuffer(DeviceBuffer&& o) noexcept
        : device(std::exchange(o.device, nullptr)), address(o.address), bytes(o.bytes) {}
    DeviceBuffer& operator=(DeviceBuffer&&) = delete;
    ~DeviceBuffer() {
        if (device) (void)device->release(address).ok();
    }
};

struct Prepared {
    std::vector<LaunchArgument> arguments;
    std::vector<std::pair<std::size_t, std::string>> outputs;
    device::LaunchConfig config;
};

/// Everything that can be refused before a device is touched.
Result<Prepared> prepare(const LaunchOptions& options);
/// The kernel that --kernel names, or the only one; ErrorKind::usage where it is missing and there are several.
Result<const device::KernelInfo*> chosen_kernel(const LaunchOptions& options, const device::Module& module);

struct OneKernel {
    std::shared_ptr<device::Module> module;
    const device::KernelInfo* kernel = nullptr;
    std::vector<std::optional<DeviceBuffer>> buffers;  ///< by argument
    std::vector<std::byte> parameters;
    std::chrono::milliseconds left{0};  ///< of the time for compiling; 0 = no limit
};

/// Tells an error and ends the process with its code, whatever runs.
[[noreturn]] void end_now(Console& console, const Error& error);

/// Work on the emulated device within a limit of time (0 = none). Compiling cannot be stopped: past the limit the error
/// is told and the process ends, so that nothing the work still uses goes away under it.
/// `more`: asked at the limit for how much longer it may go on.
template <class T>
T bounded(Runtime& runtime, Console& console, std::chrono::milliseconds limit, const Error& late,
          std::function<T()> work, const std::function<std::chrono::milliseconds()>& more = {}) {
    if (runtime.real() || limit.count() == 0) return work();
    if (auto done = ladder::within<T>(limit, std::move(work), more)) return std::move(*done);
    end_now(console, late);
}

/// What is said when `--timeout` is over.
Error too_late(const std::string& what, const std::string& file, std::chrono::milliseconds limit);

/// Launches it. The limit of the runtime's options holds for all of compiling together (to PTX, loading, host code for
/// the block's shape), and then for the launch itself.
Result<device::LaunchResult> launch_bounded(const LaunchOptions& options, const Prepared& prepared, Runtime& runtime,
                                            OneKernel& ready, Console& console);

/// Compiles the file, finds the kernel, and puts its arguments on the device.
Result<OneKernel> one_kernel(const LaunchOptions& options, const Prepared& prepared, Runtime& runtime,
                             Console& console);

}  // namespace warpwright::cli
