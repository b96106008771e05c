// Work of a vendor's library (such as cuBLAS) on the same device, in order with ours and timed by the same clock.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/timer.hpp"

namespace warpwright::device {

/// The queue in which a vendor's library (such as cuBLAS) places work that runs in order with this device's: the
/// handles of the device's own interface.
struct NativeQueue {
    void* context = nullptr;  ///< CUcontext; current on the calling thread
    void* stream = nullptr;   ///< CUstream
};

/// Work of a vendor's library: queues it in the native queue and returns without waiting. It may be called often, also
/// while the stream is captured into a graph, so everything that allocates, frees or waits is done before.
struct ForeignWork {
    std::string name;  ///< its name in messages
    std::function<Result<void>()> enqueue;
};

class VendorQueue {
public:
    static constexpr std::string_view kPart = "queue for the libraries of a GPU's vendor";
    virtual ~VendorQueue() = default;
    virtual Result<NativeQueue> native_queue() = 0;
    /// Like Timer::time, for a library's work: captured into a graph or, if it cannot be, queued again for each repeat.
    /// To run it once, for its results, take one sample of one repeat.
    virtual Result<std::vector<double>> time_work(const ForeignWork& work, const TimeRequest& request) = 0;
    /// Like Timer::make_timed.
    virtual Result<std::unique_ptr<TimedWork>> make_timed_work(ForeignWork work, const TimeRequest& request);
};

}  // namespace warpwright::device
