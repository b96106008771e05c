// After a fault the driver refuses every further call, so the primary context is reset and opened again at its next
// use. After a kernel that does not end nothing is released, because each call would wait for it.
#include "device/cuda/context.hpp"

namespace warpwright::device::cuda {

Result<std::unique_ptr<ContextHolder>> ContextHolder::make(std::shared_ptr<const Driver> driver, CudaDeviceInfo info) {
    std::unique_ptr<ContextHolder> out(new ContextHolder(std::move(driver), std::move(info)));
    if (Status s = out->table().device_get(&out->device_, out->info_.ordinal); s != status::success)
        return error_of(out->table(), s, "opening " + out->info_.device());
    if (auto ok = out->open(); !ok) return std::move(ok).error();
    return out;
}

Result<void> ContextHolder::open() {
    const DriverTable& t = table();
    const auto check = [&](Status s, const char* what) -> Result<void> {
        if (s == status::success) return {};
        return error_of(t, s, info_.device() + ": " + what);
    };
    if (auto ok = check(t.context_retain(&context_, device_), "opening a context"); !ok) return ok;
    if (auto ok = check(t.context_set(context_), "entering its context"); !ok) return ok;
    // This stream waits for the default one: work that the process queues there comes first.
    if (auto ok = check(t.stream_create(&stream_, kStreamDefault), "making a stream"); !ok) return ok;
    if (auto ok = check(t.event_create(&first_, kEventDefault), "making an event"); !ok) return ok;
    if (auto ok = check(t.event_create(&last_, kEventDefault), "making an event"); !ok) return ok;
    ++generation_;
    return {};
}

Result<void> ContextHolder::use() {
    const DriverTable& t = table();
    if (!gone_.empty())
        return Error{ErrorKind::no_device, info_.device() + " is busy: " + gone_, {}, "start the program again"};
    if (lost_) {
        // The handles became invalid with the old context.
        stream_ = nullptr;
        first_ = last_ = nullptr;
        allocations_.clear();
        (void)t.context_release(device_);
        (void)t.context_reset(device_);
        context_ = nullptr;
        if (auto ok = open(); !ok) {
            Error error = std::move(ok).error();
            gone_ = "it did not come back after a kernel's fault";
            error.what += " (after a kernel's fault)";
            error.hint = "start the program again";
            error.kind = ErrorKind::no_device;
            return error;
        }
        lost_ = false;
        return {};
    }
    if (Status s = t.context_set(context_); s != status::success)
        return failed(s, info_.device() + ": entering its context");
    return {};
}

Error ContextHolder::failed(Status s, const std::string& what, Location where) {
    if (is_sticky(s)) lost_ = true;
    return error_of(table(), s, what, std::move(where));
}

ContextHolder::~ContextHolder() {
    // While a kernel still runs, each of these calls would wait for it for ever; the driver cleans up after the
    // process.
    if (!context_ || !gone_.empty()) return;
    const DriverTable& t = table();
    if (!lost_ && t.context_set(context_) == status::success) {
        for (const auto& [address, bytes] : allocations_) (void)t.memory_free(address);
        if (first_) (void)t.event_destroy(first_);
        if (last_) (void)t.event_destroy(last_);
        if (stream_) (void)t.stream_destroy(stream_);
    }
    (void)t.context_release(device_);
}

}  // namespace warpwright::device::cuda
