// What all entry points of the runtime library share: the emulated device behind it, the error state, the settings that
// come by the environment. Made when first asked for, never destroyed: a program's own destructors may still call in.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "arch/model.hpp"
#include "device/device.hpp"
#include "driver_types.h"
#include "support/result.hpp"

namespace warpwright::cudart {

/// What the environment says (docs/run.md). The check command sets more of it; engine options follow from here.
struct Settings {
    std::string model;           ///< WARPWRIGHT_MODEL: name or file of the device model; empty = h200
    std::string profile;         ///< WARPWRIGHT_PROFILE: file that gets the profile; empty = none is kept
    bool per_line = false;       ///< WARPWRIGHT_PER_LINE: counts of source lines
    bool events = false;         ///< WARPWRIGHT_EVENTS: single events, for timelines
    bool counters = true;        ///< WARPWRIGHT_COUNTERS=0 leaves counting out; predicted times go with it
    unsigned threads = 0;        ///< WARPWRIGHT_THREADS
    double timeout = 0;          ///< WARPWRIGHT_TIMEOUT: seconds a kernel may take; 0 = no limit
    unsigned devices = 1;        ///< WARPWRIGHT_DEVICE_COUNT: how many devices the program sees, all the same one
    std::string kernel;          ///< WARPWRIGHT_KERNEL: only kernels of this name are profiled (profile::matches)
    std::uint64_t launches = 0;  ///< WARPWRIGHT_LAUNCHES: and only so many launches of them; 0 = all
    std::uint64_t skip = 0;      ///< WARPWRIGHT_LAUNCH_SKIP: after so many
    double sample =
        0;             ///< WARPWRIGHT_SAMPLE: a part of the blocks runs, for counts of this relative error; 0 = all run
    std::string mode;  ///< WARPWRIGHT_MODE: "" or "check"
    std::uint32_t checkers = 0;  ///< WARPWRIGHT_CHECKERS: record::Checker; all in mode "check" unless given
    std::string findings;        ///< WARPWRIGHT_FINDINGS: file for what the checkers find
    std::vector<Error> wrong;    ///< values that do not fit their settings: each is told, and the default taken
    bool checks() const { return checkers != 0; }
    static Settings from_environment();
};

class Runtime {
public:
    static Runtime& get();

    const Settings settings;
    /// The device model; read when first asked for. Never fails: without one, a plain GPU of compute capability 9.0.
    const arch::DeviceModel& model();
    /// The emulated device, started when first asked for; nullptr (and an error on standard error, once) where it
    /// cannot be.
    device::Device* device();
    bool started() const { return started_; }
    /// A forked child has the memory of its parent but none of its threads.
    bool forked() const;

    /// Bytes of device memory that the program sees.
    std::uint64_t memory_size();
    std::uint64_t memory_used() const { return used_; }
    void memory_taken(std::uint64_t bytes) { used_ += bytes; }
    void memory_given(std::uint64_t bytes) { used_ -= bytes; }

    /// A kernel ended badly: every later call says so, until the device is reset.
    void stick(cudaError_t error) {
        cudaError_t none = cudaSuccess;
        sticky_.compare_exchange_strong(none, error);
    }
    cudaError_t sticky() const { return sticky_; }
    void unstick() { sticky_ = cudaSuccess; }

    /// A line on standard error, with our name; the same one only once.
    void say(const std::string& text);
    void say(const Error& error) { say(error.text()); }

    /// What kernels printed: collected here, and put out where the program waits for them.
    void print(const std::string& text);
    void flush_print();

    /// At the end of the process: running kernels stop, and nothing starts any more.
    bool ending() const { return ending_; }
    void end();

private:
    Runtime();
    Settings read_settings();

    std::once_flag model_once_, device_once_;
    arch::DeviceModel model_;
    std::unique_ptr<device::Device> device_;
    std::atomic<bool> started_{false}, ending_{false};
    std::atomic<cudaError_t> sticky_{cudaSuccess};
    std::atomic<std::uint64_t> used_{0};
    pid_t pid_ = 0;
    std::mutex say_mutex_, print_mutex_;
    std::set<std::string> said_;
    std::string printed_;
};

/// The calling thread's state.
struct ThreadState {
    cudaError_t last = cudaSuccess;
    int device = 0;
    bool per_thread_stream = false;  ///< within an entry point whose stream 0 is the thread's own
    bool in_stub = false;            ///< a kernel's stub has asked for its configuration, and will launch next
    cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
};
ThreadState& thread_state();

/// The runtime's code for an error of the rooms below.
cudaError_t code_of(const Error& error);

/// Has the end of the process begin with ours (process.cpp).
void leave_at_end();

/// Folder of the shared library that this code is in.
std::string library_folder();

}  // namespace warpwright::cudart
