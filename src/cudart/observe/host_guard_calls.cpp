// Memory that the program hands to the system. It is opened before the call, of whatever pages are closed, and none of
// them is closed again until the call is over, which may take for ever: a thread waits for input while others launch
// kernels. What the system has used then counts as touched.
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <iterator>

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

/// Opens the pages of a buffer, and keeps what of it was closed to this thread. Under PageLock.
void open_for_call(Call& call, const Call::Range& part, std::uint64_t before) {
    const auto page = page_size();
    for (int k = 0; k < kSlots; ++k) {
        const auto& s = slots[k];
        const int state = s.state;
        if (state == free_slot || part.at >= s.last || part.end <= s.first) continue;
        set_access(std::max(s.first.load(), part.at / page * page),
                   std::min(s.last.load(), (part.end + page - 1) / page * page), PROT_READ | PROT_WRITE);
        const auto from = std::max(part.at, s.at.load()), to = std::min(part.end, s.end.load());
        const bool is_its = s.thread ? s.thread == this_thread() : !does_work();
        if (state == open_slot || !is_its || from >= to || call.touches == kParts) continue;
        call.touch[call.touches++] = {k, from, to - from, before + (from - part.at)};
        guard::touched.fetch_add(1);
    }
}

/// How far the thread's stack reaches; 0 where that says nothing, on a stack of a handler's own.
std::uint64_t stack_depth() {
    stack_t own{};
    if (::sigaltstack(nullptr, &own) != 0 || own.ss_flags & SS_ONSTACK) return 0;
    return reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
}

/// Ends the calls of this thread that were left. Stacks grow downwards. Under PageLock.
void end_left_calls(std::uint64_t thread, std::uint64_t depth) {
    for (auto& call : calls)
        if (call.in_use && call.thread == thread && depth && call.depth && call.depth <= depth) call.in_use = false;
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
    const auto thread = this_thread(), depth = stack_depth();
    (void)does_work();  // a thread's first question may allocate, which the lock must not wait for
    const PageLock lock;
    end_left_calls(thread, depth);
    auto* const call = std::find_if(std::begin(calls), std::end(calls), [](const Call& c) { return !c.in_use; });
    // Where so many wait at once the pages are opened and nothing is noted.
    if (call == std::end(calls)) {
        open_in_child(buffers, count);
        return nullptr;
    }
    *call = {};
    call->in_use = true, call->stores = stores, call->thread = thread, call->depth = depth;
    // Nor is it of such a number of buffers: all that lies between them stays open meanwhile.
    if (count > kParts) {
        open_in_child(buffers, count);
        Call::Range all{~std::uint64_t{0}, 0};
        for (int k = 0; k < count; ++k) {
            if (!concerns(buffers[k])) continue;
            const auto at = reinterpret_cast<std::uint64_t>(buffers[k].iov_base);
            all.at = std::min(all.at, at), all.end = std::max(all.end, at + buffers[k].iov_len);
        }
        call->part[0] = all, call->parts = 1;
        return call;
    }
    call->parts = count;
    std::uint64_t before = 0;
    for (int k = 0; k < count; ++k) {
        const auto at = reinterpret_cast<std::uint64_t>(buffers[k].iov_base), bytes = buffers[k].iov_len;
        call->part[k] = {at, at + bytes};
        open_for_call(*call, call->part[k], before);
        before += bytes;
    }
    return call;
}

/// A touch counts if its memory is still closed: had somebody waited for the work meanwhile, then what ended the call
/// (input that came, room in a pipe) may have come behind that wait.
void HostGuard::end_call(void* begun, std::int64_t bytes) {
    const auto used = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
    Call ended;
    {
        const PageLock lock;
        auto& call = *static_cast<Call*>(begun);
        ended = call;
        call.in_use = false;
    }
    for (int k = 0; k < ended.touches; ++k) {
        const auto& t = ended.touch[k];
        if (t.before >= used) continue;
        note(t.slot, t.address, std::min(t.bytes, used - t.before), ended.stores, true);
    }
}

}  // namespace warpwright::cudart
