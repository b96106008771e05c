// Each object remembers the generation of its context. After a fault its handle is invalid, so that its use is refused
// with a message and its release is left out.
#include "device/cuda/stream.hpp"

#include <algorithm>

#include "device/cuda/launch.hpp"
#include "device/cuda/memory.hpp"

namespace warpwright::device::cuda {
namespace {

/// A handle of the driver belongs to the context in which it was made: after a fault it is invalid.
class Owned {
public:
    explicit Owned(std::shared_ptr<ContextHolder> context)
        : context_(std::move(context)), generation_(context_->generation()) {}
    ContextHolder& context() const { return *context_; }
    const DriverTable& table() const { return context_->table(); }

    Result<void> use(const char* what) const {
        if (auto ok = context_->use(); !ok) return ok;
        if (generation_ == context_->generation()) return {};
        return Error{ErrorKind::usage,
                     std::string(what) + " went with its context, which a kernel's fault ended",
                     {},
                     "create it again"};
    }
    /// It can be released: no kernel runs for ever, and the handle belongs to the current context.
    bool alive() const {
        return !context_->given_up() && generation_ == context_->generation() && context_->use().ok() &&
               generation_ == context_->generation();
    }

private:
    std::shared_ptr<ContextHolder> context_;
    unsigned generation_;
};

class CudaEvent final : public device::Event {
public:
    CudaEvent(Owned owned, cuda::Event event) : owned_(std::move(owned)), event_(event) {}
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;
    ~CudaEvent() override {
        if (owned_.alive()) (void)owned_.table().event_destroy(event_);
    }
    Result<void> wait() override {
        if (auto ok = owned_.use("the event"); !ok) return ok;
        if (!recorded) return {};
        return cuda::wait(owned_.context(), event_, std::chrono::milliseconds(0), "work in a stream", {});
    }
    Result<std::optional<double>> since(const device::Event& other) override {
        const auto& earlier = static_cast<const CudaEvent&>(other);
        if (auto ok = owned_.use("the event"); !ok) return std::move(ok).error();
        if (!recorded || !earlier.recorded)
            return Error{ErrorKind::usage, "an event that was not recorded has no time", {}, ""};
        float milliseconds = 0;
        if (Status s = owned_.table().event_elapsed(&milliseconds, earlier.event_, event_); s != status::success)
            return owned_.context().failed(s, "asking for the time between two events");
        return std::optional<double>(1e-3 * static_cast<double>(milliseconds));
    }
    cuda::Event handle() const { return event_; }
    bool recorded = false;

private:
    Owned owned_;
    cuda::Event event_;
};

class CudaStream final : public device::Stream {
public:
    CudaStream(Owned owned, cuda::Stream stream, std::unique_ptr<CudaEvent> end)
        : owned_(std::move(owned)), stream_(stream), end_(std::move(end)) {}
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;
    ~CudaStream() override {
        if (stream_ != kLegacyStream && owned_.alive()) (void)owned_.table().stream_destroy(stream_);
    }

    Result<void> write(Address to, std::span<const std::byte> from) override {
        return move("write", to, from.size(),
                    [&] { return owned_.table().copy_to_device(to, from.data(), from.size(), stream_); });
    }
    Result<void> read(std::span<std::byte> to, Address from) override {
        return move("read", from, to.size(),
                    [&] { return owned_.table().copy_to_host(to.data(), from, to.size(), stream_); });
    }
    Result<void> copy(Address to, Address from, std::uint64_t bytes) override {
        if (auto ok = owned_.use("the stream"); !ok) return ok;
        if (auto ok = check_covered(owned_.context(), from, bytes, "copy"); !ok) return ok;
        return move("copy", to, bytes, [&] { return owned_.table().copy_on_device(to, from, bytes, stream_); });
    }
    Result<void> fill(Address to, std::uint8_t value, std::uint64_t bytes) override {
        return move("fill", to, bytes, [&] { return owned_.table().set_bytes(to, value, bytes, stream_); });
    }
    Result<void> launch(const Step& step) override {
        if (auto ok = owned_.use("the stream"); !ok) return ok;
        auto ready = make_ready(static_cast<CudaModule&>(*step.module), step.kernel, step.config, step.parameters);
        if (!ready) return std::move(ready).error();
        last_ = "kernel '" + step.kernel + "'";
        where_ = ready->where;
        return enqueue(owned_.context(), stream_, *ready);
    }
    Result<void> record(device::Event& event) override {
        if (auto ok = owned_.use("the stream"); !ok) return ok;
        auto& mine = static_cast<CudaEvent&>(event);
        if (Status s = owned_.table().event_record(mine.handle(), stream_); s != status::success)
            return owned_.context().failed(s, "recording an event");
        mine.recorded = true;
        return {};
    }
    Result<void> wait(const device::Event& event) override {
        if (auto ok = owned_.use("the stream"); !ok) return ok;
        const auto& mine = static_cast<const CudaEvent&>(event);
        if (!mine.recorded) return {};
        if (Status s = owned_.table().stream_wait_event(stream_, mine.handle(), 0); s != status::success)
            return owned_.context().failed(s, "waiting for an event");
        return {};
    }
    Result<void> finish(std::chrono::milliseconds timeout) override {
        if (auto ok = record(*end_); !ok) return ok;
        return cuda::wait(owned_.context(), end_->handle(), timeout, last_, where_);
    }

private:
    template <class Work>
    Result<void> move(const char* what, Address at, std::uint64_t bytes, Work work) {
        if (bytes == 0) return {};
        if (auto ok = owned_.use("the stream"); !ok) return ok;
        if (auto ok = check_covered(owned_.context(), at, bytes, what); !ok) return ok;
        const Status s = work();
        if (s == status::success) return {};
        Error error =
            owned_.context().failed(s, std::string(what) + " of " + std::to_string(bytes) + " bytes of device memory");
        if (s == status::invalid_value) error.kind = ErrorKind::fault;
        return error;
    }

    Owned owned_;
    cuda::Stream stream_;
    std::unique_ptr<CudaEvent> end_;
    std::string last_ = "work in a stream";  ///< for messages: the last kernel
    Location where_;
};

class PinnedMemory final : public HostMemory {
public:
    PinnedMemory(Owned owned, void* at, std::uint64_t bytes) : owned_(std::move(owned)), at_(at), bytes_(bytes) {}
    PinnedMemory(const PinnedMemory&) = delete;
    PinnedMemory& operator=(const PinnedMemory&) = delete;
    ~PinnedMemory() override {
        if (owned_.alive()) (void)owned_.table().host_free(at_);
    }
    std::span<std::byte> bytes() override { return {static_cast<std::byte*>(at_), bytes_}; }

private:
    Owned owned_;
    void* at_;
    std::uint64_t bytes_;
};

Result<std::unique_ptr<CudaEvent>> make_cuda_event(const std::shared_ptr<ContextHolder>& context) {
    if (auto ok = context->use(); !ok) return std::move(ok).error();
    Event event = nullptr;
    if (Status s = context->table().event_create(&event, kEventDefault); s != status::success)
        return context->failed(s, "making an event");
    return std::make_unique<CudaEvent>(Owned(context), event);
}

}  // namespace

Result<std::unique_ptr<device::Stream>> make_stream(std::shared_ptr<ContextHolder> context, StreamKind kind) {
    auto end = make_cuda_event(context);
    if (!end) return std::move(end).error();
    Stream stream = kLegacyStream;
    const unsigned flags = kind == StreamKind::blocking ? kStreamDefault : kStreamNonBlocking;
    if (kind != StreamKind::legacy_default)
        if (Status s = context->table().stream_create(&stream, flags); s != status::success)
            return context->failed(s, "making a stream");
    return std::unique_ptr<device::Stream>(std::make_unique<CudaStream>(Owned(context), stream, std::move(*end)));
}

Result<std::unique_ptr<device::Event>> make_event(std::shared_ptr<ContextHolder> context) {
    auto event = make_cuda_event(context);
    if (!event) return std::move(event).error();
    return std::unique_ptr<device::Event>(std::move(*event));
}

Result<std::unique_ptr<HostMemory>> allocate_host(std::shared_ptr<ContextHolder> context, std::uint64_t bytes) {
    if (auto ok = context->use(); !ok) return std::move(ok).error();
    void* at = nullptr;
    if (Status s = context->table().host_allocate(&at, std::max<std::uint64_t>(bytes, 1), 0); s != status::success) {
        Error error = context->failed(s, "allocating " + std::to_string(bytes) + " bytes of pinned host memory");
        if (s == status::out_of_memory) error.hint = "take a smaller size; pinned memory cannot be swapped out";
        return error;
    }
    return std::unique_ptr<HostMemory>(std::make_unique<PinnedMemory>(Owned(context), at, bytes));
}

}  // namespace warpwright::device::cuda
