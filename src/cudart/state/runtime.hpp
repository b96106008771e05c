// Shared by all entry points of the runtime library: the emulated device behind it, the error state, the settings from
// the environment. It is made at its first use and never destroyed: a program's own destructors may still call it.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/links.hpp"
#include "arch/model.hpp"
#include "cudart/state/activity.hpp"
#include "cudart/state/host_clock.hpp"
#include "device/device.hpp"
#include "device/emulated/several_devices.hpp"
#include "driver_types.h"
#include "predict/prediction.hpp"
#include "support/result.hpp"

namespace warpwright::cudart {

/// The versions that programs are told, in CUDA's form: 1000 times the major number, 10 times the minor one. Clients
/// turn to ways for older drivers where the driver is older than what their kernels were compiled with.
inline constexpr int kRuntimeVersion = 13000, kDriverVersion = 13050;

/// The settings of the environment (docs/run.md). The check command sets more of them; engine options follow from
/// these.
struct Settings {
    std::string model;      ///< WARPWRIGHT_MODEL: name or file of the device model; empty = h200
    std::string profile;    ///< WARPWRIGHT_PROFILE: the file for the profile; empty = none is kept
    bool per_line = false;  ///< WARPWRIGHT_PER_LINE: counts of source lines
    /// WARPWRIGHT_PREDICT: which launches have times by a simulated multiprocessor.
    predict::Simulate simulate = predict::Simulate::within_budget;
    bool modelled_clock = false;  ///< WARPWRIGHT_HOST_CLOCK=modelled: the program's clocks go with the modelled one
    bool events = false;          ///< WARPWRIGHT_EVENTS: single events, for timelines
    bool pictures = false;  ///< WARPWRIGHT_PICTURES: what warps did and requests touched, of a launch of each kernel
    bool counters = true;   ///< WARPWRIGHT_COUNTERS=0 leaves counting out; predicted times go with it
    unsigned threads = 0;   ///< WARPWRIGHT_THREADS
    double timeout = 0;     ///< WARPWRIGHT_TIMEOUT: seconds a kernel may take; 0 = no limit
    unsigned devices = 1;   ///< WARPWRIGHT_DEVICE_COUNT: how many devices the machine has
    std::optional<arch::Topology>
        topology;                ///< WARPWRIGHT_TOPOLOGY: how they are linked; none: NVLink where the model has it
    std::string kernel;          ///< WARPWRIGHT_KERNEL: only kernels of this name are profiled (profile::matches)
    std::uint64_t launches = 0;  ///< WARPWRIGHT_LAUNCHES: only this many of their launches; 0 = all
    std::uint64_t skip = 0;      ///< WARPWRIGHT_LAUNCH_SKIP: launches to leave out before those
    double sample =
        0;             ///< WARPWRIGHT_SAMPLE: a part of the blocks runs, for counts of this relative error; 0 = all run
    std::string mode;  ///< WARPWRIGHT_MODE: "" or "check"
    bool strict = false;         ///< WARPWRIGHT_STRICT: an access past an allocation's end ends the launch
    std::uint32_t checkers = 0;  ///< WARPWRIGHT_CHECKERS: record::Checker; all in mode "check" unless given
    std::string findings;        ///< WARPWRIGHT_FINDINGS: file for what the checkers find
    std::vector<Error> wrong;    ///< values that do not fit their settings: each is reported, and the default used
    bool checks() const { return checkers != 0; }
    static Settings from_environment();
};

class Runtime {
public:
    static Runtime& get();

    const Settings settings;
    /// The device model, read at its first use. Never fails: without one, a plain GPU of compute capability 9.0.
    const arch::DeviceModel& model();
    /// Predicts the launches, on that model.
    /// The state of it is that of the stream whose work the calling thread does, so that no launch's time depends on
    /// which stream's work came first.
    predict::Predictor& predictor();
    /// False where launches have bounds: as the user chose, or because not all blocks run, or nothing is counted.
    bool predicts() const {
        return settings.simulate != predict::Simulate::none && settings.sample == 0 && settings.counters &&
               !settings.checks();
    }
    /// The emulated device, started at its first use; nullptr (and an error on standard error, once) if that
    /// fails.
    device::Device* device();
    bool started() const { return started_; }
    /// A forked child has the memory of its parent but none of its threads.
    bool forked() const;
    /// Says once that a forked child cannot use the device. Not where it only puts away what it has from its parent.
    void tell_forked(std::string_view function);

    /// The devices that the program sees, all of one model: their numbers in the machine. It sees all, or those that
    /// CUDA_VISIBLE_DEVICES names, in that order, up to the first that there is not.
    const std::vector<unsigned>& visible();
    unsigned devices() { return static_cast<unsigned>(visible().size()); }
    bool no_device(int device) { return device < 0 || static_cast<unsigned>(device) >= devices(); }
    /// The links between them.
    const arch::LinkModel& link();
    arch::Topology topology();

    /// Whether kernels of one device may access the memory of another, as cudaDeviceEnablePeerAccess has it.
    bool has_access(unsigned device, unsigned peer) const { return of_[device].peers >> peer & 1; }
    /// False: it had that already.
    bool set_access(unsigned device, unsigned peer, bool access);
    /// The devices whose memory kernels of one may access, as launch::LaunchOptions::reach has them.
    std::uint64_t reach(unsigned device);

    /// Bytes of a device's memory that the program sees: the model's, whatever this machine has.
    std::uint64_t memory_size();
    /// Whether so much more can be allocated on the calling thread's device. (This machine need not have it:
    /// MemoryWatch.)
    bool can_take(std::uint64_t bytes);
    std::uint64_t memory_used(unsigned device) const { return of_[device].used; }
    void memory_taken(unsigned device, std::uint64_t bytes) { of_[device].used += bytes; }
    void memory_given(unsigned device, std::uint64_t bytes) { of_[device].used -= bytes; }

    /// Records a kernel's fault: nothing runs after it, on any device, until one is reset. (NVIDIA's documentation of
    /// the error speaks of the process, and so do two H200.)
    void stick(cudaError_t error);
    cudaError_t sticky() const;
    cudaError_t sticky(unsigned device) const { return of_[device].sticky; }
    /// The same as the program is told: from the end of a call on that has waited for work of the device, or has asked
    /// whether it is done. A call that only queues work says nothing of it, whichever is faster here. (A program that
    /// does neither, and asks for errors again and again, is told after a second.)
    cudaError_t known_error() const;
    void host_has_waited(unsigned device) { of_[device].known = of_[device].sticky.load(); }
    void unstick();

    /// Prints a line on standard error, with our name; the same line only once.
    void say(const std::string& text);
    void say(const Error& error) { say(error.text()); }
    /// The last such line of the calling thread, also if it was printed before: for logs that a program asks for.
    static const std::string& last_said();

    /// The output of kernels: collected here, and printed when the program waits for them.
    void print(const std::string& text);
    void flush_print();

    /// At the end of the process: running kernels stop, and no new one starts.
    bool ending() const { return ending_; }
    void end();

private:
    Runtime();
    Settings read_settings();

    std::once_flag model_once_, device_once_;
    arch::DeviceModel model_;
    predict::Predictor& predictor_of(std::size_t stream);
    std::mutex predictors_mutex_, source_mutex_;
    std::map<std::size_t, std::unique_ptr<predict::Predictor>> predictors_;  ///< by ThreadState::stream
    std::unique_ptr<device::Device> device_;
    std::atomic<bool> started_{false}, ending_{false}, forked_{false};
    struct OfDevice {
        std::atomic<cudaError_t> sticky{cudaSuccess}, known{cudaSuccess};
        std::atomic<std::int64_t> stuck_since{0};  ///< of the steady clock, in nanoseconds; 0: nothing has failed
        std::atomic<std::uint64_t> used{0};        ///< bytes
        std::atomic<std::uint32_t> peers{0};       ///< those to whose memory it has access, as bits
    };
    std::array<OfDevice, device::kMostDevices> of_;
    std::once_flag visible_once_, link_once_;
    std::vector<unsigned> visible_;
    arch::LinkModel link_;
    arch::Topology topology_ = arch::Topology::pcie;
    std::mutex say_mutex_, print_mutex_;
    std::set<std::string> said_;
    std::string printed_;
};

/// The calling thread's state.
struct ThreadState {
    cudaError_t last = cudaSuccess;
    int device = 0;
    bool per_thread_stream = false;  ///< within an entry point for which stream 0 is the thread's own
    bool uses_device = false;        ///< it has called the runtime for more than a question: a context is current
    bool in_host_function = false;   ///< it runs a function that the program queued: what would wait is refused
    std::size_t stream = 0;          ///< whose work it does: 0, or the stream's number among those that live
    bool in_stub = false;            ///< a kernel's stub has asked for its configuration, and will launch next
    cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
    std::uint32_t call = 0;   ///< the call of the program's in which it is, while somebody listens; 0: none
    activity::CallId work{};  ///< that which queued the work it does
};
ThreadState& thread_state();

/// While it lives, the calling thread's current device is this one.
class OnDevice {
public:
    explicit OnDevice(int device) : before_(std::exchange(thread_state().device, device)) {}
    ~OnDevice() { thread_state().device = before_; }
    OnDevice(const OnDevice&) = delete;

private:
    int before_;
};
/// The calling thread's current device.
inline unsigned current_device() { return static_cast<unsigned>(thread_state().device); }

/// Runs a function that the program has queued in a stream or a graph. It must not wait for the device, which waits for
/// it.
template <class F>
void run_host_function(F function) {
    auto& state = thread_state();
    const bool before = std::exchange(state.in_host_function, true);
    const HostClock::Program its_clock;
    function();
    state.in_host_function = before;
}

/// The runtime's code for an error of the lower rooms.
cudaError_t code_of(const Error& error);

/// Called once, when the device has started: what the library does then above this folder (api/process.cpp).
void device_started();

/// The folder of the shared library that contains this code.
std::string library_folder();

}  // namespace warpwright::cudart
