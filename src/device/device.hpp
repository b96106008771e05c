// The one Device interface: where a kernel runs. Implementations: emulated/, cuda/, opencl/.
//
// Device has what every device has. What only some have is an interface of its own (Timer, Textures, ...), which a
// device hands out or does not (a null pointer); the calls of these stand here too, for callers that need not ask
// first: they return an error that says what the device lacks.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/launch.hpp"
#include "device/tensor_map.hpp"
#include "device/texture.hpp"
#include "device/timer.hpp"
#include "device/vendor_queue.hpp"
#include "record/finding.hpp"
#include "timeline/work.hpp"

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

using timeline::StreamKind;

class Stream;  // stream.hpp
class Event;
class HostMemory;
class Streams;
class HostSharing;      // host_sharing.hpp
class FindingLog;       // finding_log.hpp
class Sampler;          // emulated/sampled_launch.hpp
class PlacedVariables;  // emulated/placed_variables.hpp

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

    // What only some devices have; null where one has it not.
    virtual Streams* streams() {
        return nullptr;
    }  ///< asynchronous work; without it, each call is done when it returns
    virtual Timer* timer() { return nullptr; }  ///< kernels take real time; the emulated device has counts instead
    virtual VendorQueue* vendor_queue() { return nullptr; }
    virtual TensorMaps* tensor_maps() { return nullptr; }
    virtual Textures* textures() { return nullptr; }
    virtual HostSharing* host_sharing() { return nullptr; }
    virtual FindingLog* finding_log() { return nullptr; }
    virtual Sampler* sampler() { return nullptr; }
    virtual PlacedVariables* placed_variables() { return nullptr; }

    // The same, call by call.
    Result<std::unique_ptr<Stream>> make_stream();
    /// A stream of some kind; two default streams are the same. If streams are executed in order, all kinds are alike.
    Result<std::unique_ptr<Stream>> make_stream_as(StreamKind kind);
    Result<std::unique_ptr<Event>> make_event();
    /// Page-locked memory, from and to which copies run at full speed and concurrently with other work.
    Result<std::unique_ptr<HostMemory>> allocate_host(std::uint64_t bytes);
    /// True if events report modelled times, not measured ones (modelled_time.hpp).
    bool models_time();

    bool has_clock() { return timer() != nullptr; }
    /// ErrorKind::usage if there is no clock; so too the next one.
    Result<std::vector<double>> time(std::span<const Step> steps, const TimeRequest& request);
    Result<std::unique_ptr<TimedWork>> make_timed(std::vector<Step> steps, const TimeRequest& request);
    /// ErrorKind::usage on a device that no vendor's library supports, as the emulated one; so too the next two.
    Result<NativeQueue> native_queue();
    Result<std::vector<double>> time_work(const ForeignWork& work, const TimeRequest& request);
    Result<std::unique_ptr<TimedWork>> make_timed_work(ForeignWork work, const TimeRequest& request);

    /// ErrorKind::limit on a device without them; so too the next one.
    Result<std::array<std::byte, 128>> encode_tensor_map(const TensorMap& map);
    Result<Address> make_texture(const Texture& texture);

    std::optional<std::pair<Address, std::uint64_t>> allocation(Address at);
    /// ErrorKind::usage where kernels cannot access the host's memory.
    Result<void> adopt(void* memory, std::uint64_t bytes);
    Result<void> disown(void* memory);
    void written(Address at, std::uint64_t bytes);
    void copied(Address to, Address from, std::uint64_t bytes);

    /// Empty where nothing is checked.
    std::vector<record::Finding> findings();
    void clear_findings();
    void add_finding(record::Finding finding);
};

}  // namespace warpwright::device
