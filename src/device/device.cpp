// What a device does whose optional parts are missing: errors, and streams that do one thing after the other.
#include "device/device.hpp"

#include <algorithm>

#include "device/finding_log.hpp"
#include "device/host_sharing.hpp"
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

// The parts that only some devices have.

Result<std::unique_ptr<Stream>> Device::make_stream() { return make_stream_as(StreamKind::independent); }
Result<std::unique_ptr<Stream>> Device::make_stream_as(StreamKind kind) {
    if (Streams* s = streams()) return s->make_stream_as(kind);
    return std::unique_ptr<Stream>(std::make_unique<OrderedStream>(*this));
}
Result<std::unique_ptr<Event>> Device::make_event() {
    if (Streams* s = streams()) return s->make_event();
    return std::unique_ptr<Event>(std::make_unique<DoneEvent>());
}
Result<std::unique_ptr<HostMemory>> Device::allocate_host(std::uint64_t bytes) {
    if (Streams* s = streams()) return s->allocate_host(bytes);
    return std::unique_ptr<HostMemory>(std::make_unique<PlainMemory>(bytes));
}
bool Device::models_time() { return streams() && streams()->models_time(); }

Result<std::array<std::byte, 128>> Device::encode_tensor_map(const TensorMap& map) {
    if (TensorMaps* t = tensor_maps()) return t->encode_tensor_map(map);
    return Error{ErrorKind::limit, "the device '" + name() + "' has no tensor maps", {}, ""};
}
Result<Address> Device::make_texture(const Texture& texture) {
    if (Textures* t = textures()) return t->make_texture(texture);
    return Error{ErrorKind::limit, "the device '" + name() + "' makes no texture objects", {}, ""};
}

std::optional<std::pair<Address, std::uint64_t>> Device::allocation(Address at) {
    if (HostSharing* h = host_sharing()) return h->allocation(at);
    return std::nullopt;
}
Result<void> Device::adopt(void* memory, std::uint64_t bytes) {
    if (HostSharing* h = host_sharing()) return h->adopt(memory, bytes);
    return Error{ErrorKind::usage, "the device '" + name() + "' cannot use the host's memory", {}, ""};
}
Result<void> Device::disown(void* memory) {
    if (HostSharing* h = host_sharing()) return h->disown(memory);
    return Error{ErrorKind::usage, "memory that was not handed to the device", {}, ""};
}
void Device::written(Address at, std::uint64_t bytes) {
    if (HostSharing* h = host_sharing()) h->written(at, bytes);
}
void Device::copied(Address to, Address from, std::uint64_t bytes) {
    if (HostSharing* h = host_sharing()) h->copied(to, from, bytes);
}

std::vector<record::Finding> Device::findings() {
    return finding_log() ? finding_log()->findings() : std::vector<record::Finding>{};
}
void Device::clear_findings() {
    if (FindingLog* f = finding_log()) f->clear_findings();
}
void Device::add_finding(record::Finding finding) {
    if (FindingLog* f = finding_log()) f->add_finding(std::move(finding));
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

namespace {

Error no_clock(const Device& device) {
    return {
        ErrorKind::usage, device.name() + " has no clock: its times are not those of a GPU", {}, "use --device cuda"};
}
Error no_vendor_work(const Device& device, const ForeignWork& work) {
    return {ErrorKind::usage,
            "'" + work.name + "' does not run on the device '" + device.name() + "'",
            {},
            "use --device cuda"};
}

}  // namespace

Result<std::vector<double>> Device::time(std::span<const Step> steps, const TimeRequest& request) {
    if (Timer* t = timer()) return t->time(steps, request);
    return no_clock(*this);
}
Result<std::unique_ptr<TimedWork>> Device::make_timed(std::vector<Step> steps, const TimeRequest& request) {
    if (Timer* t = timer()) return t->make_timed(std::move(steps), request);
    return no_clock(*this);
}
Result<NativeQueue> Device::native_queue() {
    if (VendorQueue* q = vendor_queue()) return q->native_queue();
    return Error{
        ErrorKind::usage, "no library of a GPU's vendor runs on the device '" + name() + "'", {}, "use --device cuda"};
}
Result<std::vector<double>> Device::time_work(const ForeignWork& work, const TimeRequest& request) {
    if (VendorQueue* q = vendor_queue()) return q->time_work(work, request);
    return no_vendor_work(*this, work);
}
Result<std::unique_ptr<TimedWork>> Device::make_timed_work(ForeignWork work, const TimeRequest& request) {
    if (VendorQueue* q = vendor_queue()) return q->make_timed_work(std::move(work), request);
    return no_vendor_work(*this, work);
}

}  // namespace warpwright::device
