#include "device/cuda_transfer.hpp"

#include <algorithm>

#include "device/cuda_launch.hpp"
#include "device/cuda_memory.hpp"

namespace warpwright::device::cuda {
namespace {

class CudaTransfers final : public Transfers {
public:
    CudaTransfers(std::shared_ptr<ContextHolder> context, std::uint64_t bytes, bool pinned)
        : context_(std::move(context)), generation_(context_->generation()), bytes_(bytes), pinned_(pinned) {}
    CudaTransfers(const CudaTransfers&) = delete;
    CudaTransfers& operator=(const CudaTransfers&) = delete;

    ~CudaTransfers() override {
        // With the context that they belonged to, its things are gone.
        if (context_->given_up() || generation_ != context_->generation() || !context_->use()) return;
        const DriverTable& t = context_->table();
        for (Event e : {begin_, end_, apart_})
            if (e) (void)t.event_destroy(e);
        if (other_) (void)t.stream_destroy(other_);
        for (void* p : pinned_memory_)
            if (p) (void)t.host_free(p);
        for (Address a : device_memory_)
            if (a) (void)release(*context_, a);
    }

    /// Two buffers on each side, so that the two directions have nothing in common.
    Result<void> open() {
        const DriverTable& t = context_->table();
        const auto fail = [&](Status s) { return context_->failed(s, "memory for copies"); };
        for (int i = 0; i < 2; ++i) {
            auto at = allocate(*context_, bytes_);
            if (!at) return std::move(at).error();
            device_memory_[i] = *at;
            if (auto ok = fill(*context_, *at, 0, bytes_); !ok) return ok;
            if (pinned_) {
                if (Status s = t.host_allocate(&pinned_memory_[i], bytes_, 0); s != status::success) return fail(s);
                host_[i] = static_cast<unsigned char*>(pinned_memory_[i]);
            } else {
                pageable_[i].resize(bytes_);
                host_[i] = pageable_[i].data();
            }
            std::fill(host_[i], host_[i] + bytes_, static_cast<unsigned char>(1));  // pages that are there
        }
        for (Event* e : {&begin_, &end_, &apart_})
            if (Status s = t.event_create(e, kEventDefault); s != status::success) return fail(s);
        if (Status s = t.stream_create(&other_, kStreamDefault); s != status::success) return fail(s);
        return {};
    }

    Result<std::vector<double>> time(const TransferRequest& request) override {
        if (auto ok = context_->use(); !ok) return std::move(ok).error();
        if (generation_ != context_->generation())
            return Error{ErrorKind::fault, "the memory for copies went with the context that a fault broke", {}, ""};
        if (request.repeat == 0 || !(request.to_device || request.to_host))
            return Error{ErrorKind::usage, "there is nothing to copy", {}, "one direction and one repeat at least"};
        const DriverTable& t = context_->table();
        std::vector<double> seconds;
        for (std::uint32_t i = 0; i < request.samples; ++i) {
            if (Status s = sample(request); s != status::success) return context_->failed(s, "copying");
            if (auto ok = wait(*context_, end_, request.timeout, "copies", {}); !ok) return std::move(ok).error();
            float milliseconds = 0;
            if (Status s = t.event_elapsed(&milliseconds, begin_, end_); s != status::success) return context_->failed(s, "copying");
            seconds.push_back(1e-3 * static_cast<double>(milliseconds));
        }
        return seconds;
    }

private:
    /// One direction in the context's stream; of two, the second in a stream that begins and ends with it.
    Status sample(const TransferRequest& r) {
        const DriverTable& t = context_->table();
        const Stream main = context_->stream(), back = r.to_device ? other_ : main;
        const bool both = r.to_device && r.to_host;
        Status s = t.event_record(begin_, main);
        if (both && s == status::success) s = t.stream_wait_event(other_, begin_, 0);
        for (std::uint32_t i = 0; i < r.repeat; ++i) {
            if (r.to_device && s == status::success) s = t.copy_to_device(device_memory_[0], host_[0], bytes_, main);
            if (r.to_host && s == status::success) s = t.copy_to_host(host_[1], device_memory_[1], bytes_, back);
        }
        if (both && s == status::success) s = t.event_record(apart_, other_);
        if (both && s == status::success) s = t.stream_wait_event(main, apart_, 0);
        return s == status::success ? t.event_record(end_, main) : s;
    }

    std::shared_ptr<ContextHolder> context_;
    unsigned generation_;
    std::uint64_t bytes_;
    bool pinned_;
    Address device_memory_[2] = {};
    void* pinned_memory_[2] = {};
    std::vector<unsigned char> pageable_[2];
    unsigned char* host_[2] = {};
    Event begin_ = nullptr, end_ = nullptr, apart_ = nullptr;
    Stream other_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Transfers>> make_transfers(std::shared_ptr<ContextHolder> context, std::uint64_t bytes, bool pinned) {
    if (auto ok = context->use(); !ok) return std::move(ok).error();
    const DriverTable& t = context->table();
    if (!t.stream_wait_event || !t.host_allocate || !t.host_free)
        return Error{ErrorKind::no_device, "the driver has no pinned memory or no events between streams", {}, "use a newer driver"};
    if (bytes == 0) return Error{ErrorKind::usage, "there is nothing to copy", {}, "one byte at least"};
    auto made = std::make_unique<CudaTransfers>(std::move(context), bytes, pinned);
    if (auto ok = made->open(); !ok) return std::move(ok).error();
    return std::unique_ptr<Transfers>(std::move(made));
}

}  // namespace warpwright::device::cuda
