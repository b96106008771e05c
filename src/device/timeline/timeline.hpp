// When work that is queued in streams would begin and end on a GPU: a model of its copy engines, its multiprocessors
// and the host that queues. The emulated device does the work itself at once and asks this what the time would be, so
// that streams, events and overlap can be studied without a GPU. Every time that comes out of it is a prediction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "device/device.hpp"

namespace warpwright::device {

/// What a kernel would take.
struct KernelTime {
    double seconds = 0;
    double share =
        1;  ///< of the device that its blocks fill, above 0 and at most 1; kernels run at once while they fit
};

/// The device and its link in figures: seconds and bytes/s. A rate of 0 takes no time.
struct TimelineModel {
    unsigned copy_engines = 2;          ///< 1: the two directions take turns; 2 or more: one each way
    unsigned hardware_queues = 32;      ///< 1: an engine takes its work in the order of issue; else whatever is ready
    double to_device = 0, to_host = 0;  ///< from and to pinned host memory
    double pageable_to_device = 0, pageable_to_host = 0;  ///< 0: as pinned
    double memory = 0;   ///< device memory: a copy within it reads and writes, a fill writes
    double latency = 0;  ///< of a copy, before its first byte
    double call = 0;     ///< what the host needs to queue one piece of work
    /// Of a launch, from its counts.
    std::function<KernelTime(const Step&, const LaunchResult&)> kernel;
};

enum class CopyKind : std::uint8_t { to_device, to_host, on_device, fill };

/// The clock of one emulated device. Work is given in the order in which the host issues it.
class Timeline {
public:
    explicit Timeline(TimelineModel model) : model_(std::move(model)) {}
    const TimelineModel& model() const { return model_; }

    /// A stream's number.
    std::size_t add_stream(StreamKind kind);
    void copy(std::size_t stream, CopyKind kind, std::uint64_t bytes, bool pageable);
    void kernel(std::size_t stream, const KernelTime& time);
    /// When all work of the stream so far has ended.
    double mark(std::size_t stream);
    /// The stream's further work begins no earlier.
    void hold(std::size_t stream, double until);
    /// The host waits until then.
    void wait(double until) { host_ = std::max(host_, until); }
    double host() const { return host_; }

private:
    struct Queue {
        StreamKind kind;
        double tail = 0;
    };
    /// What one piece of work at a time, or several that share it, keep busy.
    struct Engine {
        struct Use {
            double begin, end, share;
        };
        std::vector<Use> uses;
        double last_begin = 0;  ///< of what was issued last
    };
    double ready(std::size_t stream) const;
    double place(Engine& engine, double ready, double seconds, double share) const;
    void done(std::size_t stream, double end);

    TimelineModel model_;
    std::vector<Queue> streams_;
    Engine up_, down_, compute_;
    double host_ = 0;
};

}  // namespace warpwright::device
