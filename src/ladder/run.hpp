// Runs rungs on a device: compile, launch, verify, and fill a record.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "device/device.hpp"
#include "ladder/ladder.hpp"
#include "ladder/problem.hpp"
#include "record/record.hpp"

namespace warpwright::ladder {

/// Compiles a source file with macros ("TILE=16") to PTX text. The command line supplies one made of compile::compile.
using CompileFunction =
    std::function<Result<std::string>(const std::string& path, const std::vector<std::string>& defines)>;

struct RunOptions {
    device::LaunchOptions launch;  ///< its timeout also limits compilation, and loading on a real device
    CompileFunction compile;
    /// Told of each launch: `before` may change what it keeps, `after` has its result. Empty: nobody is told.
    std::function<void(const device::KernelInfo&, const device::LaunchConfig&, device::LaunchOptions&)> before = {};
    std::function<void(const device::KernelInfo&, const device::LaunchConfig&, const device::LaunchResult&)> after = {};
};

/// The result of a rung's run. `record` is always filled; `problem` has the error, if one ended the run.
struct RungRun {
    record::Record record;
    std::optional<Error> problem;
    std::string output;  ///< what the kernels printed
};

/// The scratch buffers that a rung's launches name.
std::set<std::string> scratch_of(const Ladder& ladder, const Rung& rung);

/// A device with the modules it has loaded.
class Session {
public:
    Session(device::Device& device, RunOptions options) : device_(device), options_(std::move(options)) {}

    /// A rung in one variant at one size, on which its macros may depend.
    struct Wanted {
        const Rung* rung;
        Variant variant;
        std::vector<std::int64_t> size;
    };
    /// Compiles what these need, `threads` at a time, so that running them does not wait. Errors
    /// are kept and reported when the rung runs.
    void compile_ahead(const Ladder& ladder, const std::vector<Wanted>& list, unsigned threads);

    /// Runs one rung and compares its output with the problem's reference. An error of the run is in the record. With
    /// `buffers`, it runs on these, which have the contents before a run; else on its own. A rung that this device or
    /// size leaves out has a record that says why; so has a library's, which is not run here.
    RungRun run_rung(const Rung& rung, const Variant& variant, Problem& problem,
                     const DeviceBuffers* buffers = nullptr);

    enum class Launches { all, ahead, timed };
    /// The launches of a rung on these buffers, ready to run; nothing is launched.
    Result<std::vector<device::Step>> steps(const Rung& rung, const Variant& variant, const Problem& problem,
                                            const DeviceBuffers& buffers, Launches which = Launches::all);

    device::Device& device() { return device_; }

    /// A compilation exceeded the time limit and continues on its thread: the process ends without waiting for it.
    bool abandoned() const { return abandoned_; }
    /// The same for the driver's compiler: the device must be neither used any more nor destroyed.
    bool stuck() const { return stuck_; }

private:
    /// One launch, ready to run: from the ladder, with the kernel, the configuration and the parameters.
    using Visit = std::function<Result<void>(const Launch&, const device::KernelInfo&, const device::LaunchConfig&,
                                             std::vector<std::byte>)>;
    using Key = std::pair<std::string, std::vector<std::string>>;
    Result<Key> key_of(const Ladder& ladder, const Rung& rung, const Variant& variant,
                       const Variables& variables) const;
    Result<std::string> ptx(const Key& key);
    Result<std::shared_ptr<device::Module>> module(const Key& key);
    Result<void> each_launch(const Rung& rung, const Variant& variant, const Variables& variables,
                             const Problem& problem, const device::Module& module, const DeviceBuffers& buffers,
                             const Visit& visit);
    Result<void> launch_all(const Rung& rung, const Variant& variant, const Variables& variables, Problem& problem,
                            RungRun& run, const DeviceBuffers* given);

    device::Device& device_;
    RunOptions options_;
    std::mutex mutex_;
    std::map<Key, Result<std::string>> texts_;
    std::map<Key, std::shared_ptr<device::Module>> modules_;
    std::atomic<bool> abandoned_ = false;
    bool stuck_ = false;
};

/// The record of a rung before it has run: names, axes, title, description, FLOPs and bytes.
Result<record::Record> describe(const Ladder& ladder, const Rung& rung, const Variant& variant,
                                const std::vector<std::int64_t>& size);

/// Why a rung is not run at this size, on a device with these limits (absent: on the CPU): an older device than it
/// needs, or a size that its `require` refuses. Absent if it runs.
Result<std::optional<std::string>> why_left_out(const Ladder& ladder, const Rung& rung, const Variant& variant,
                                                const std::vector<std::int64_t>& size, const device::Limits* limits);

/// Compares an output on the host with the problem's reference and fills the record's verification.
Result<void> verify_into(record::Record& record, const Problem& problem, const Rung& rung, const Variables& variables,
                         std::span<const std::byte> output);

}  // namespace warpwright::ladder
