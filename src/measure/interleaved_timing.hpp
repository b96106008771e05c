// The rungs of one problem on a device with a clock. Each is verified when it is added, then all are timed
// in rounds, so that heat and limited clocks affect all alike and ratios between them hold
// (measure/rounds.hpp).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ladder/problem.hpp"
#include "ladder/run.hpp"
#include "measure/rounds.hpp"
#include "vendor/libraries.hpp"

namespace warpwright::measure {

struct TimingOptions {
    bool cold = true;                      ///< runs do not find their inputs in the device's caches
    std::chrono::milliseconds timeout{0};  ///< of one sample; 0 = no limit
    RoundOptions rounds = {};
    double warm_seconds =
        0.05;  ///< run all unmeasured this long by the device's clock: clocks rise, caches and tables fill
    /// A sample repeats the work until it lasts this long, so that what starting and stopping the clock costs (a few
    /// microseconds) does not matter.
    double shortest = 2e-3;
    std::uint32_t max_repeat = 1000;
};

/// All objects that are passed in must outlive it.
class Together {
public:
    /// `libraries` may be null where no library rung is added.
    Together(ladder::Session& session, vendor::Libraries* libraries, ladder::Problem& problem,
             const TimingOptions& options);
    ~Together();
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;

    struct Added {
        std::optional<ladder::RungRun>
            run;               ///< the complete result if there is nothing to time: it failed, is wrong or left out
        bool no_room = false;  ///< waiting rungs use all the memory: time() them, then add it again
    };
    /// Runs a rung once on fresh inputs and poisoned outputs and compares it with the reference; a rung that passes, or
    /// has no reference, waits to be timed. After ErrorKind::fault or no_device the memory of the waiting rungs is
    /// lost: destroy this object and add them to another one. `id` is the caller's.
    Added add(const ladder::Rung& rung, const ladder::Variant& variant, std::size_t id);
    std::size_t waiting() const { return entrants_.size(); }

    struct Timed {
        std::size_t id;
        std::optional<ladder::RungRun>
            run;  ///< absent if it has no figure: the device was lost meanwhile, or it was stopped
    };
    /// Times the waiting rungs, and releases them; in the order in which they were added. An error of one is in its
    /// record, with all that was known before. `go_on` is called with the progress (0 to 1) and may stop it: a rung
    /// with enough samples has a figure then.
    std::vector<Timed> time(const std::function<bool(double)>& go_on = {});

private:
    struct Entrant;
    Result<void> make_sets();
    Result<std::unique_ptr<Entrant>> kernel(const ladder::Rung& rung, const ladder::Variant& variant,
                                            ladder::RungRun& run, bool& no_room);
    Result<ladder::DeviceBuffers> scratch(const std::map<std::string, device::Address>& given,
                                          const std::set<std::string>& used, bool& no_room);
    Result<void> launch_ahead(const ladder::Rung& rung, const ladder::Variant& variant,
                              const ladder::DeviceBuffers& buffers);
    bool calibrate(Entrant& e);
    bool visit(Entrant& e, std::uint32_t samples, bool ahead, std::vector<double>* seconds);
    void write_down(Entrant& e, std::span<const double> samples,
                    const std::vector<std::pair<double, device::DeviceState>>& seen);

    ladder::Session& session_;
    device::Device& device_;
    vendor::Libraries* libraries_;
    ladder::Problem& problem_;
    TimingOptions options_;
    std::vector<ladder::DeviceBuffers> sets_;  ///< inputs and outputs, for all rungs; filled alike
    bool flush_ = false;                       ///< the sets together are too small for the caches
    bool used_ = false;                        ///< the first set has been changed since it was made
    bool lost_ = false;
    std::vector<std::unique_ptr<Entrant>> entrants_;
};

/// One rung alone.
ladder::RungRun run_alone(ladder::Session& session, vendor::Libraries* libraries, const ladder::Rung& rung,
                          const ladder::Variant& variant, ladder::Problem& problem, const TimingOptions& options = {});

}  // namespace warpwright::measure
