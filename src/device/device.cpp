// What a device does that has not all parts: an error, and streams that do one thing after the other.
#include "device/device.hpp"

#include <algorithm>

namespace warpwright::device {
namespace {

class DoneEvent final : public Event {
public:
    Result<void> wait() override { return {}; }
    Result<std::optional<double>> since(const Event&) override { return std::optional<double>{}; }
};

class PlainMemory final : public HostMemory {
public:
    explicit PlainMemory(std::uint64_t bytes) : bytes_(bytes) {}
    std::span<std::byte> bytes() override { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

/// Each call has completed when it returns.
class OrderedStream final : public Stream {
public:
    explicit OrderedStream(Device& device) : device_(device) {}
    Result<void> write(Address to, std::span<const std::byte> from) override { return device_.write(to, from); }
    Result<void> read(std::span<std::byte> to, Address from) override { return device_.read(to, from); }
    Result<void> copy(Address to, Address from, std::uint64_t bytes) override { return device_.copy(to, from, bytes); }
    Result<void> fill(Address to, std::uint8_t value, std::uint64_t bytes) override {
        return device_.fill(to, value, bytes);
    }
    Result<void> launch(const Step& step) override {
        LaunchOptions options;
        options.counters = false;
        auto result = device_.launch(*step.module, step.kernel, step.config, step.parameters, options);
        if (!result) return std::move(result).error();
        return {};
    }
    Result<void> record(Event&) override { return {}; }
    Result<void> wait(const Event&) override { return {}; }
    Result<void> finish(std::chrono::milliseconds) override { return {}; }

private:
    Device& device_;
};

class OrderedStreams final : public Streams {
public:
    explicit OrderedStreams(Device& device) : device_(device) {}
    Result<std::unique_ptr<Stream>> make_stream_as(StreamKind) override {
        return std::unique_ptr<Stream>(std::make_unique<OrderedStream>(device_));
    }
    Result<std::unique_ptr<Event>> make_event() override {
        return std::unique_ptr<Event>(std::make_unique<DoneEvent>());
    }
    Result<std::unique_ptr<HostMemory>> allocate_host(std::uint64_t bytes) override {
        return std::unique_ptr<HostMemory>(std::make_unique<PlainMemory>(bytes));
    }

private:
    Device& device_;
};

}  // namespace

Result<void> Device::copy(Address to, Address from, std::uint64_t bytes) {
    // Copies from the end that does not overwrite bytes still to be read.
    constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;
    std::vector<std::byte> piece;
    for (std::uint64_t done = 0; done < bytes; done += piece.size()) {
        piece.resize(std::min(kPiece, bytes - done));
        const std::uint64_t at = to > from ? bytes - done - piece.size() : done;
        if (auto ok = read(piece, from + at); !ok) return ok;
        if (auto ok = write(to + at, piece); !ok) return ok;
    }
    return {};
}

Result<const KernelInfo*> Module::kernel(const std::string& name) {
    std::string names;
    for (const auto& k : kernels()) {
        if (k.name == name) return &k;
        names += (names.empty() ? "it has " : ", ") + k.name;
    }
    return Error{ErrorKind::input, "no kernel '" + name + "'", {}, names.empty() ? "it has none" : names};
}

Streams& Device::streams() {
    std::call_once(ordered_once_, [&] { ordered_ = std::make_unique<OrderedStreams>(*this); });
    return *ordered_;
}

Error Device::lacks(std::string_view part) const {
    return {ErrorKind::usage, "the device '" + name() + "' has no " + std::string(part), {}, ""};
}

// Times.

namespace {

/// Timed work of a device that needs no preparation: `Timed` is what takes the time of `Work`.
template <class Timed, class Work>
class AskedAgain final : public TimedWork {
public:
    using Ask = Result<std::vector<double>> (*)(Timed&, const Work&, const TimeRequest&);
    AskedAgain(Timed& timed, Work work, const TimeRequest& request, Ask ask)
        : timed_(timed), work_(std::move(work)), request_(request), ask_(ask) {}
    Result<std::vector<double>> time(std::uint32_t samples, bool ahead) override {
        request_.samples = samples;
        request_.ahead = ahead;
        return ask_(timed_, work_, request_);
    }

private:
    Timed& timed_;
    Work work_;
    TimeRequest request_;
    Ask ask_;
};

}  // namespace

Result<std::unique_ptr<TimedWork>> Timer::make_timed(std::vector<Step> steps, const TimeRequest& request) {
    using Work = std::vector<Step>;
    return std::unique_ptr<TimedWork>(std::make_unique<AskedAgain<Timer, Work>>(
        *this, std::move(steps), request, [](Timer& t, const Work& w, const TimeRequest& r) { return t.time(w, r); }));
}
Result<std::unique_ptr<TimedWork>> VendorQueue::make_timed_work(ForeignWork work, const TimeRequest& request) {
    return std::unique_ptr<TimedWork>(std::make_unique<AskedAgain<VendorQueue, ForeignWork>>(
        *this, std::move(work), request,
        [](VendorQueue& q, const ForeignWork& w, const TimeRequest& r) { return q.time_work(w, r); }));
}

}  // namespace warpwright::device
