// Copies between real GPUs, each timed by events of the sending device.
#include "device/peers.hpp"
#include "device/cuda/info.hpp"
#include "device/cuda/launch.hpp"
#include "device/cuda/memory.hpp"

namespace warpwright::device {
namespace {

using cuda::ContextHolder;
using cuda::Status;

/// A device with buffers for sent and received data.
struct PeerMemory {
    std::unique_ptr<ContextHolder> context;
    Address out = 0, in = 0;
    std::uint64_t bytes = 0;
};

class CudaPeers final : public Peers {
public:
    explicit CudaPeers(std::vector<PeerMemory> places)
        : places_(std::move(places)), direct_(places_.size(), std::vector<bool>(places_.size(), true)) {}
    ~CudaPeers() override {
        for (PeerMemory& p : places_)
            if (!p.context->given_up()) free(p);
    }

    /// Enables the direct paths. A pair that is refused is not direct: the driver then copies through the host by
    /// itself.
    Result<void> connect() {
        for (unsigned a = 0; a < places_.size(); ++a)
            for (unsigned b = 0; b < places_.size(); ++b) {
                if (a == b) continue;
                ContextHolder& mine = *places_[a].context;
                if (auto ok = mine.use(); !ok) return ok;
                const auto& t = mine.table();
                int can = 0;
                const bool asked =
                    t.peer_can &&
                    t.peer_can(&can, mine.info().ordinal, places_[b].context->info().ordinal) == cuda::status::success;
                Status s = cuda::status::not_supported;
                if (asked && can && t.peer_enable) s = t.peer_enable(places_[b].context->handle(), 0);
                direct_[a][b] = s == cuda::status::success || s == cuda::status::peer_enabled;
            }
        return {};
    }

    unsigned count() const override { return static_cast<unsigned>(places_.size()); }
    std::string name(unsigned d) const override { return places_[d].context->info().device(); }
    bool direct(unsigned from, unsigned to) const override { return direct_[from][to]; }
    bool measured() const override { return true; }

    Result<double> copy(const PeerCopy& c) override {
        if (c.from >= count() || c.to >= count() || c.repeat == 0)
            return Error{ErrorKind::usage, "there is no such device or copy", {}, ""};
        PeerMemory &a = places_[c.from], &b = places_[c.to];
        for (PeerMemory* p : {&a, &b})
            if (auto ok = make_room(*p, c.bytes); !ok) return ok.error();
        ContextHolder &first = *a.context, &second = *b.context;
        const auto& t = first.table();
        if (c.both && c.from != c.to) {  // the other device starts together with this one
            if (auto ok = first.use(); !ok) return ok.error();
            if (Status s = t.event_record(first.first(), first.stream()); s != cuda::status::success)
                return failed(first, s);
            if (auto ok = second.use(); !ok) return ok.error();
            if (Status s = t.stream_wait_event(second.stream(), first.first(), 0); s != cuda::status::success)
                return failed(second, s);
            for (std::uint32_t i = 0; i < c.repeat; ++i)
                if (auto ok = send(b, a, c.bytes); !ok) return ok.error();
            if (Status s = t.event_record(second.last(), second.stream()); s != cuda::status::success)
                return failed(second, s);
        }
        if (auto ok = first.use(); !ok) return ok.error();
        if (!c.both || c.from == c.to)
            if (Status s = t.event_record(first.first(), first.stream()); s != cuda::status::success)
                return failed(first, s);
        for (std::uint32_t i = 0; i < c.repeat; ++i) {
            if (auto ok = send(a, b, c.bytes); !ok) return ok.error();
            if (c.both && c.from == c.to)
                if (auto ok = send(a, b, c.bytes); !ok) return ok.error();
        }
        if (c.both && c.from != c.to)
            if (Status s = t.stream_wait_event(first.stream(), second.last(), 0); s != cuda::status::success)
                return failed(first, s);
        if (Status s = t.event_record(first.last(), first.stream()); s != cuda::status::success)
            return failed(first, s);
        if (auto ok = cuda::wait(first, first.last(), c.timeout, "a copy between devices", {}); !ok) return ok.error();
        float milliseconds = 0;
        if (Status s = t.event_elapsed(&milliseconds, first.first(), first.last()); s != cuda::status::success)
            return failed(first, s);
        return 1e-3 * static_cast<double>(milliseconds) / c.repeat;
    }

private:
    static Error failed(ContextHolder& context, Status s) { return context.failed(s, "copying between devices"); }

    /// Queues in the stream of the sending device, whose context is current.
    static Result<void> send(PeerMemory& from, PeerMemory& to, std::uint64_t bytes) {
        ContextHolder& c = *from.context;
        if (auto ok = c.use(); !ok) return ok;
        const Status s = c.table().copy_peer(to.in, to.context->handle(), from.out, c.handle(), bytes, c.stream());
        if (s != cuda::status::success) return failed(c, s);
        return {};
    }

    void free(PeerMemory& p) {
        if (p.bytes == 0) return;
        (void)cuda::release(*p.context, p.out).ok();
        (void)cuda::release(*p.context, p.in).ok();
        p.bytes = 0;
    }
    Result<void> make_room(PeerMemory& p, std::uint64_t bytes) {
        if (p.bytes >= bytes) return {};
        free(p);
        auto out = cuda::allocate(*p.context, bytes);
        if (!out) return out.error();
        auto in = cuda::allocate(*p.context, bytes);
        if (!in) return in.error();
        p.out = *out;
        p.in = *in;
        p.bytes = bytes;
        return cuda::fill(*p.context, p.out, 0x5A, bytes);
    }

    std::vector<PeerMemory> places_;
    std::vector<std::vector<bool>> direct_;
};

}  // namespace

Result<std::unique_ptr<Peers>> make_cuda_peers(unsigned most, std::shared_ptr<const cuda::Driver> driver) {
    if (!driver) {
        auto found = cuda::load_driver(cuda::driver_candidates());
        if (!found) return std::move(found).error();
        driver = std::make_shared<const cuda::Driver>(std::move(*found));
    }
    auto count = cuda::count_devices(*driver);
    if (!count) return std::move(count).error();
    if (!driver->table.copy_peer)
        return Error{ErrorKind::no_device, "the driver has no copies between devices", {}, "a newer driver"};
    std::vector<PeerMemory> places;
    for (unsigned i = 0; i < std::min(static_cast<unsigned>(*count), most); ++i) {
        auto info = cuda::describe_device(*driver, static_cast<int>(i));
        if (!info) return std::move(info).error();
        auto context = ContextHolder::make(driver, std::move(*info));
        if (!context) return std::move(context).error();
        places.push_back({std::move(*context), 0, 0, 0});
    }
    auto peers = std::make_unique<CudaPeers>(std::move(places));
    if (auto ok = peers->connect(); !ok) return ok.error();
    return std::unique_ptr<Peers>(std::move(peers));
}

}  // namespace warpwright::device
