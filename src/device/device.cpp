// Defaults for functions that a device does not have, and streams for devices that do one thing after the other.
#include "device/device.hpp"

#include <algorithm>

#include "device/stream.hpp"

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

Result<void> Device::adopt(void*, std::uint64_t) {
    return Error{ErrorKind::usage, "the device '" + name() + "' cannot use the host's memory", {}, ""};
}

Result<void> Device::disown(void*) {
    return Error{ErrorKind::usage, "memory that was not handed to the device", {}, ""};
}

Result<std::unique_ptr<Stream>> Device::make_stream() {
    return std::unique_ptr<Stream>(std::make_unique<OrderedStream>(*this));
}
Result<std::unique_ptr<Stream>> Device::make_stream_as(StreamKind) { return make_stream(); }
Result<std::unique_ptr<Event>> Device::make_event() { return std::unique_ptr<Event>(std::make_unique<DoneEvent>()); }
Result<std::unique_ptr<HostMemory>> Device::allocate_host(std::uint64_t bytes) {
    return std::unique_ptr<HostMemory>(std::make_unique<PlainMemory>(bytes));
}

Result<std::array<std::byte, 128>> Device::encode_tensor_map(const TensorMap&) {
    return Error{ErrorKind::limit, "the device '" + name() + "' has no tensor maps", {}, ""};
}

Result<Address> Device::make_texture(const Texture&) {
    return Error{ErrorKind::limit, "the device '" + name() + "' makes no texture objects", {}, ""};
}

Result<std::vector<double>> Device::time(std::span<const Step>, const TimeRequest&) {
    return Error{ErrorKind::usage, name() + " has no clock: its times are not those of a GPU", {}, "use --device cuda"};
}

namespace {

/// Timed work of a device that needs no preparation.
template <class Work>
class AskedAgain final : public TimedWork {
public:
    using Ask = Result<std::vector<double>> (*)(Device&, const Work&, const TimeRequest&);
    AskedAgain(Device& device, Work work, const TimeRequest& request, Ask ask)
        : device_(device), work_(std::move(work)), request_(request), ask_(ask) {}
    Result<std::vector<double>> time(std::uint32_t samples, bool ahead) override {
        request_.samples = samples;
        request_.ahead = ahead;
        return ask_(device_, work_, request_);
    }

private:
    Device& device_;
    Work work_;
    TimeRequest request_;
    Ask ask_;
};

}  // namespace

Result<std::unique_ptr<TimedWork>> Device::make_timed(std::vector<Step> steps, const TimeRequest& request) {
    using Work = std::vector<Step>;
    return std::unique_ptr<TimedWork>(std::make_unique<AskedAgain<Work>>(
        *this, std::move(steps), request, [](Device& d, const Work& w, const TimeRequest& r) { return d.time(w, r); }));
}

Result<std::unique_ptr<TimedWork>> Device::make_timed_work(ForeignWork work, const TimeRequest& request) {
    return std::unique_ptr<TimedWork>(std::make_unique<AskedAgain<ForeignWork>>(
        *this, std::move(work), request,
        [](Device& d, const ForeignWork& w, const TimeRequest& r) { return d.time_work(w, r); }));
}

Result<NativeQueue> Device::native_queue() {
    return Error{
        ErrorKind::usage, "no library of a GPU's vendor runs on the device '" + name() + "'", {}, "use --device cuda"};
}

Result<std::vector<double>> Device::time_work(const ForeignWork& work, const TimeRequest&) {
    return Error{
        ErrorKind::usage, "'" + work.name + "' does not run on the device '" + name() + "'", {}, "use --device cuda"};
}

}  // namespace warpwright::device
