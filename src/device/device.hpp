// The one Device interface: where a kernel runs. Implementations: emulated/, cuda/, opencl/.
//
// Device has what every device has. What only some have is a part with an interface of its own (Timer, Textures, ...),
// which a device hands out or does not (a null pointer). need() hands it out or says that the device has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/finding_log.hpp"
#include "device/host_sharing.hpp"
#include "device/launch.hpp"
#include "device/stream.hpp"
#include "device/tensor_map.hpp"
#include "device/texture.hpp"
#include "device/timer.hpp"
#include "device/vendor_queue.hpp"

namespace warpwright::device {

/// Properties of a real device, for records. Empty and 0 if it does not report them, as on the emulated one.
struct DeviceFacts {
    std::string title;        ///< "NVIDIA H200"
    std::string driver;       ///< "CUDA 13.0, driver 580.65.06"
    std::uint64_t cache = 0;  ///< bytes of the last cache before memory
    double clock_mhz = 0;     ///< of the multiprocessors, the highest
    double memory_clock_mhz = 0;
    std::string unwatched;  ///< why state() returns nothing; empty if it does
};

/// The state of a device at a moment.
struct DeviceState {
    std::optional<double> clock_mhz, memory_clock_mhz, power_w, temperature_c;
    std::vector<std::string> throttle;  ///< what limits its clocks: "power cap", "heat", ...
};

class Sampler;          // emulated/sampled_launch.hpp
class PlacedVariables;  // emulated/placed_variables.hpp
class SeveralDevices;   // emulated/several_devices.hpp

class Device {
public:
    virtual ~Device() = default;

    virtual std::string name() const = 0;  ///< "emulated", "cuda:0"
    virtual const Limits& limits() const = 0;
    virtual DeviceFacts facts() const { return {}; }
    /// Queries the driver and changes nothing; may be called from another thread while kernels run.
    virtual std::optional<DeviceState> state() const { return std::nullopt; }

    /// Takes `bytes` of memory (0 gives a valid, empty allocation), 256-byte aligned, contents undefined
    /// (the emulated device fills them with 0xCD). ErrorKind::limit when there is none left.
    virtual Result<Address> allocate(std::uint64_t bytes) = 0;
    virtual Result<void> release(Address address) = 0;
    virtual Result<void> write(Address to, std::span<const std::byte> from) = 0;
    virtual Result<void> read(std::span<std::byte> to, Address from) = 0;
    virtual Result<void> fill(Address to, std::uint8_t value, std::uint64_t bytes) = 0;
    /// Within device memory.
    virtual Result<void> copy(Address to, Address from, std::uint64_t bytes);

    /// Loads PTX text, or OpenCL C if limits().language says so. `name` is its name in messages.
    virtual Result<std::shared_ptr<Module>> load(std::string name, std::string ptx) = 0;
    /// Runs a kernel to its end. `parameters` is the parameter block (KernelInfo::parameters give the layout).
    /// An empty grid dimension is ErrorKind::usage, as cudaLaunchKernel has it.
    virtual Result<LaunchResult> launch(Module& module, const std::string& kernel, const LaunchConfig& config,
                                        std::span<const std::byte> parameters, const LaunchOptions& options) = 0;
    /// Running kernels end soon, with an error; later ones do so at once. For a process that is about to end.
    virtual void cancel() {}

    /// Asynchronous work. A device that has no streams of its own does each piece of work before the call returns.
    virtual Streams& streams();

    // What only some devices have; null where one has it not.
    virtual Timer* timer() { return nullptr; }  ///< kernels take real time; the emulated device has counts instead
    virtual VendorQueue* vendor_queue() { return nullptr; }
    virtual TensorMaps* tensor_maps() { return nullptr; }
    virtual Textures* textures() { return nullptr; }
    virtual HostSharing* host_sharing() { return nullptr; }
    virtual FindingLog* finding_log() { return nullptr; }
    virtual Sampler* sampler() { return nullptr; }
    virtual PlacedVariables* placed_variables() { return nullptr; }
    virtual SeveralDevices* several_devices() { return nullptr; }

    /// One of these, `need(&Device::timer)`; ErrorKind::usage if the device has it not.
    template <class Part>
    Result<Part*> need(Part* (Device::*part)()) {
        if (Part* has = (this->*part)()) return has;
        return lacks(Part::kPart);
    }

private:
    Error lacks(std::string_view part) const;

    std::once_flag ordered_once_;
    std::unique_ptr<Streams> ordered_;  ///< streams of a device without: made when first asked for
};

}  // namespace warpwright::device
