// What everything in the laboratory runs with: a device, its model, the compiler, options, and who is told of what
// happens.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/model.hpp"
#include "device/device.hpp"
#include "lab/sweep/target.hpp"
#include "ladder/run.hpp"
#include "predict/prediction.hpp"
#include "record/record.hpp"

namespace warpwright::lab {

struct Options {
    device::LaunchOptions launch;  ///< time limit of a launch and of compiling; counts by line
    unsigned threads = 1;          ///< host threads, never 0
    std::uint64_t seed = 1;        ///< of random inputs
    bool cold = true;              ///< on a real device: runs do not find their inputs in its caches
    bool no_time = false;          ///< on a real device: each rung runs once and is verified, nothing is timed
    /// On the emulated device: which launches have predicted times, each rung with a budget of its own.
    predict::Simulate simulate = predict::Simulate::none;
    std::string cpu;  ///< the emulation's instruction set, for the environment; empty = the host's own
};

/// Where a sweep is. `label` is short: "compiling", or a rung's name.
struct Progress {
    std::string ladder, label;
    std::size_t done = 0, total = 0;  ///< steps; the one at work counts as done
};

/// What a sweep in this process has done, for another process to go on with.
struct Standing {
    std::vector<std::size_t> done;        ///< steps, in the order in which they ended
    std::vector<record::Record> records;  ///< of these, in the same order
    std::optional<ErrorKind> failure;     ///< see Observer::ended
};

/// Told of what happens, on the thread that sweeps. A program that prints, stores or draws overrides what it wants.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void progress(const Progress&) {}
    /// An error to tell the user, of a rung or of a problem that cannot be made. The sweep goes on.
    virtual void failed(const Error&) {}
    /// One line for the user that is no error.
    virtual void note(const std::string&) {}
    /// The kernels of the sweep's first size are compiled (with Context::compile_first all of them), and none has run.
    /// An error ends the sweep.
    virtual Result<void> compiled() { return {}; }
    /// A record is complete but for Record::speedup, which needs the others and comes with the set. Called as soon as
    /// that is so: what is kept here is safe whatever happens next. Records of an earlier process or of stored() do not
    /// come.
    virtual void finished(const record::Record&) {}
    /// Asked before a step runs, with its record as far as it is known (names, axes, device): the record to take
    /// instead, from an earlier sweep, and the step is not run.
    virtual std::optional<record::Record> stored(const record::Record&) { return std::nullopt; }
    /// The device answers this process no more (after a fault, or a kernel that does not end). May replace the process
    /// by one that goes on from here; returns only why that was not done, and no step that needs the device runs then.
    virtual Error go_on(const Standing&);
    /// Something that cannot be stopped still uses the device, or a thread still compiles: neither may be destroyed,
    /// and the process must end without waiting for them (std::_Exit).
    virtual void leave() {}
    /// A sweep is over. `failure`: of what went wrong first, a wrong result as ErrorKind::fault; absent where all is
    /// well.
    virtual void ended(std::optional<ErrorKind> failure, bool cancelled) { (void)failure, (void)cancelled; }
};

/// Owns nothing: device and model must outlive whatever is run.
struct Context {
    device::Device& device;
    const arch::DeviceModel& model;
    bool model_fits = true;  ///< false on a real device that no model describes: no bounds then
    std::shared_ptr<Target> target;
    Options options = {};
    Observer* observer = nullptr;               ///< null: nobody is told
    const std::atomic<bool>* cancel = nullptr;  ///< set (by Ctrl-C, say): the sweep ends after the step at work
    bool compile_first = false;                 ///< all that a sweep needs is compiled before anything runs

    bool real() const { return device.timer() != nullptr; }
    bool cancelled() const { return cancel && cancel->load(std::memory_order_relaxed); }
};

/// Where and with what records are made, now.
record::Environment environment(const Context& context);

}  // namespace warpwright::lab
