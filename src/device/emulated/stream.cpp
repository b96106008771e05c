// Each call does its work on the device first and then tells the timeline of it. Host memory that was not allocated
// here counts as pageable.
#include "device/emulated/stream.hpp"

namespace warpwright::device {
namespace {

using Clock = std::shared_ptr<ModelledClock>;

class ModelledEvent final : public Event {
public:
    explicit ModelledEvent(Clock clock) : clock_(std::move(clock)) {}
    Result<void> wait() override {
        clock_->timeline().wait(at);
        return {};
    }
    Result<std::optional<double>> since(const Event& other) override {
        const auto& earlier = static_cast<const ModelledEvent&>(other);
        if (!at || !earlier.at) return Error{ErrorKind::usage, "an event that was not recorded has no time", {}, ""};
        for (const auto& mark : {at, earlier.at}) clock_->timeline().wait(mark);
        const auto end = timeline::Timeline::end(at), begin = timeline::Timeline::end(earlier.at);
        if (!end || !begin) return std::optional<double>{};
        return std::optional<double>(*end - *begin);
    }
    timeline::Mark at;  ///< null: not recorded

private:
    Clock clock_;
};

class ModelledMemory final : public HostMemory {
public:
    ModelledMemory(Clock clock, std::uint64_t bytes) : clock_(std::move(clock)), bytes_(bytes) {
        clock_->pin(bytes_.data(), bytes);
    }
    ModelledMemory(const ModelledMemory&) = delete;
    ModelledMemory& operator=(const ModelledMemory&) = delete;
    ~ModelledMemory() override { clock_->unpin(bytes_.data()); }
    std::span<std::byte> bytes() override { return bytes_; }

private:
    Clock clock_;
    std::vector<std::byte> bytes_;
};

class ModelledStream final : public Stream {
public:
    ModelledStream(Device& device, Clock clock, StreamKind kind)
        : device_(device), clock_(std::move(clock)), number_(clock_->timeline().add_stream(kind)) {}
    ~ModelledStream() override { timeline().remove_stream(number_); }
    ModelledStream(const ModelledStream&) = delete;
    ModelledStream& operator=(const ModelledStream&) = delete;

    Result<void> write(Address to, std::span<const std::byte> from) override {
        if (auto ok = device_.write(to, from); !ok) return ok;
        moved(timeline::Kind::to_device, from.size(), !clock_->is_pinned(from.data(), from.size()));
        return {};
    }
    Result<void> read(std::span<std::byte> to, Address from) override {
        if (auto ok = device_.read(to, from); !ok) return ok;
        moved(timeline::Kind::to_host, to.size(), !clock_->is_pinned(to.data(), to.size()));
        return {};
    }
    Result<void> copy(Address to, Address from, std::uint64_t bytes) override {
        if (auto ok = device_.copy(to, from, bytes); !ok) return ok;
        moved(timeline::Kind::on_device, bytes, false);
        return {};
    }
    Result<void> fill(Address to, std::uint8_t value, std::uint64_t bytes) override {
        if (auto ok = device_.fill(to, value, bytes); !ok) return ok;
        moved(timeline::Kind::fill, bytes, false);
        return {};
    }
    Result<void> launch(const Step& step) override {
        LaunchOptions options;
        clock_->prepare(step, options);
        auto result = device_.launch(*step.module, step.kernel, step.config, step.parameters, options);
        if (!result) return std::move(result).error();
        timeline().issue_known(number_, clock_->kernel(step, *result));
        return {};
    }
    Result<void> record(Event& event) override {
        static_cast<ModelledEvent&>(event).at = timeline().mark(number_);
        return {};
    }
    Result<void> wait(const Event& event) override {
        if (const auto& at = static_cast<const ModelledEvent&>(event).at) timeline().hold(number_, at);
        return {};
    }
    Result<void> finish(std::chrono::milliseconds) override {
        timeline().wait(timeline().mark(number_));
        return {};
    }

private:
    timeline::Timeline& timeline() { return clock_->timeline(); }
    void moved(timeline::Kind kind, std::uint64_t bytes, bool pageable) {
        timeline::Work work;
        work.kind = kind, work.bytes = bytes, work.pageable = pageable;
        timeline().issue_known(number_, std::move(work));
    }

    Device& device_;
    Clock clock_;
    std::size_t number_;
};

}  // namespace

timeline::Work ModelledClock::kernel(const Step& step, const LaunchResult& result) const {
    if (kernel_) return kernel_(step, result);
    timeline::Work least;
    least.kind = timeline::Kind::kernel;
    return least;
}

Result<std::unique_ptr<Stream>> ModelledClock::make_stream_as(StreamKind kind) {
    return std::unique_ptr<Stream>(std::make_unique<ModelledStream>(device_, shared_from_this(), kind));
}
Result<std::unique_ptr<Event>> ModelledClock::make_event() {
    return std::unique_ptr<Event>(std::make_unique<ModelledEvent>(shared_from_this()));
}
Result<std::unique_ptr<HostMemory>> ModelledClock::allocate_host(std::uint64_t bytes) {
    return std::unique_ptr<HostMemory>(std::make_unique<ModelledMemory>(shared_from_this(), bytes));
}

bool ModelledClock::is_pinned(const void* at, std::uint64_t bytes) const {
    const auto* begin = static_cast<const std::byte*>(at);
    auto it = pinned_.upper_bound(begin);
    if (it == pinned_.begin()) return false;
    --it;
    return bytes <= it->second && static_cast<std::uint64_t>(begin - it->first) <= it->second - bytes;
}

}  // namespace warpwright::device
