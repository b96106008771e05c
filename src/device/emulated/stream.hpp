// Streams, events and pinned memory of the emulated device with a modelled clock: the work itself is done when the call
// returns, and its time goes to the timeline. Internal to this room.
#pragma once

#include <map>

#include "device/modelled_time.hpp"
#include "device/stream.hpp"
#include "timeline/timeline.hpp"

namespace warpwright::device {

class ModelledClock final : public Streams, public std::enable_shared_from_this<ModelledClock> {
public:
    ModelledClock(Device& device, const ModelledTime& time)
        : device_(device), timeline_(time.model), kernel_(time.kernel), before_(time.before) {}

    Result<std::unique_ptr<Stream>> make_stream_as(StreamKind kind) override;
    Result<std::unique_ptr<Event>> make_event() override;
    Result<std::unique_ptr<HostMemory>> allocate_host(std::uint64_t bytes) override;
    bool models_time() const override { return true; }

    timeline::Timeline& timeline() { return timeline_; }
    /// Whether launches need counts for their times, and how a launch becomes work.
    void prepare(const Step& step, LaunchOptions& options) const {
        options.counters = static_cast<bool>(kernel_);
        if (before_) before_(step, options);
    }
    timeline::Work kernel(const Step& step, const LaunchResult& result) const;
    bool is_pinned(const void* at, std::uint64_t bytes) const;
    void pin(const std::byte* at, std::uint64_t bytes) { pinned_[at] = bytes; }
    void unpin(const std::byte* at) { pinned_.erase(at); }

private:
    Device& device_;
    timeline::Timeline timeline_;
    std::function<timeline::Work(const Step&, const LaunchResult&)> kernel_;
    std::function<void(const Step&, LaunchOptions&)> before_;
    std::map<const std::byte*, std::uint64_t> pinned_;
};

}  // namespace warpwright::device
