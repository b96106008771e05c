// Memory that the program hands to the system. It is opened before the call, of whatever pages are closed, and none of
// them is closed again until the call is over, which may take for ever: a thread waits for input while others launch
// kernels. What the system has used then counts as touched.
#include <sys/mman.h>

#include <algorithm>
#include <memory>

#include "cudart/observe/host_guard.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/state/shared_range.hpp"

namespace warpwright::cudart {

using namespace guard;

namespace {

/// The child of a process with several threads may take no lock, and does no work of the device: its pages are opened.
void open_in_child(const iovec* buffers, int count) {
    for (int k = 0; k < count; ++k) {
        const auto at = reinterpret_cast<std::uint64_t>(buffers[k].iov_base);
        for (const auto& s : slots)
            if (s.state != free_slot && at < s.last && at + buffers[k].iov_len > s.first)
                set_access(s, PROT_READ | PROT_WRITE);
    }
}

}  // namespace

void HostGuard::hear_of_calls() {
    static constexpr HostBufferFunctions kFunctions{&HostGuard::begin_call, &HostGuard::end_call};
    guard::hear_of_calls(kFunctions);
}

void* HostGuard::begin_call(const iovec* buffers, int count, bool stores) {
    const auto concerns = [](const iovec& b) {
        return may_be_shared(reinterpret_cast<std::uint64_t>(b.iov_base), b.iov_len);
    };
    if (std::none_of(buffers, buffers + count, concerns)) return nullptr;
    if (Runtime::get().forked()) {
        open_in_child(buffers, count);
        return nullptr;
    }
    auto call = std::make_unique<Call>();
    for (int k = 0; k < count; ++k)
        call->parts.push_back({reinterpret_cast<std::uint64_t>(buffers[k].iov_base), buffers[k].iov_len});
    get().open_for_call(*call, stores);
    return call.release();
}

void HostGuard::open_for_call(Call& call, bool stores) {
    const auto page = page_size();
    std::lock_guard lock(mutex_);
    std::uint64_t before = 0;
    for (const auto& [at, bytes] : call.parts) {
        const auto end = at + bytes;
        for (const auto& c : closed_) {
            auto& s = slots[c.slot];
            if (at >= s.last || end <= s.first) continue;
            const bool is_closed = s.state != open_slot;
            set_access(std::max(s.first.load(), at / page * page),
                       std::min(s.last.load(), (end + page - 1) / page * page), PROT_READ | PROT_WRITE);
            const auto from = std::max(at, s.at.load()), to = std::min(end, s.end.load());
            const bool is_its = s.thread ? s.thread == this_thread() : !current_work();
            if (!is_closed || !is_its || from >= to) continue;
            Touch t;
            t.purpose = c.purpose, t.address = from, t.bytes = to - from, t.write = stores, t.by_system = true;
            t.by = c.by, t.thread = s.thread;
            call.touches.push_back({std::move(t), before + (from - at)});
            guard::touched.fetch_add(1);
        }
        before += bytes;
    }
    calls_.push_back(&call);
}

void HostGuard::end_call(void* begun, std::int64_t bytes) {
    const std::unique_ptr<Call> call(static_cast<Call*>(begun));
    const auto used = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
    std::erase_if(call->touches, [&](auto& t) {
        if (t.before >= used) return true;
        t.touch.bytes = std::min(t.touch.bytes, used - t.before);
        return t.touch.by.empty() && t.touch.purpose != For::function;
    });
    const auto stack = call->touches.empty() ? nullptr : calling_place();
    auto& guard = get();
    std::lock_guard lock(guard.mutex_);
    std::erase(guard.calls_, call.get());
    for (auto& [touch, before] : call->touches) {
        if (stack) touch.stack = *stack;
        guard.noted_.push_back(std::move(touch));
    }
}

}  // namespace warpwright::cudart
