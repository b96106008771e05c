// What is closed, for which work, and who touched it.
#include "cudart/observe/host_guard.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

#include "cudart/observe/guard_slots.hpp"

namespace warpwright::cudart {

using namespace guard;

namespace {

/// The slots that the calling thread has closed last: for a copy, and for the kernels that it is queuing.
thread_local int last_copy = -1;
thread_local std::vector<int> last_kernels;

/// The frames behind the handler, the access first; empty where that is no code of the program's: a kernel's, or this
/// library's. (A host function is called by this library.)
CallStack stack_of(const Note& n, HostGuard::For purpose) {
    constexpr int kLooked = 4;
    const int callers = purpose == HostGuard::For::function ? 1 : kLooked;
    const auto name = [](const void* address) {
        Dl_info info{};
        return ::dladdr(address, &info) && info.dli_fname ? std::string(info.dli_fname) : std::string();
    };
    const auto is_ours = [&](const void* address) {
        const auto file = std::filesystem::path(name(address)).filename().string();
        if (file.starts_with("libwarpwright_takeover")) return false;  // between the program and the C library
        return file.empty() || file.starts_with("libwarpwright") || file.starts_with("libcudart.so") ||
               file.starts_with("libcuda.so") || file.starts_with("libtbb");
    };
    // The handler's own two, in which it notes, and the frame that the system puts below it.
    int first = 0;
    if (n.by_system) {
        const auto is_between = [&](const void* address) {
            return is_ours(address) ||
                   std::filesystem::path(name(address)).filename().string().starts_with("libwarpwright");
        };
        while (first < n.frames && first < kLooked && !is_between(n.frame[first])) ++first;  // a sanitizer's
        while (first < n.frames && is_between(n.frame[first])) ++first;
        return {n.frame + first, n.frame + n.frames};
    }
    while (first < n.frames && first < kLooked && !is_ours(n.frame[first])) ++first;  // a sanitizer's
    while (first < n.frames && is_ours(n.frame[first])) ++first;
    ++first;
    if (first >= n.frames) return {};
    for (int k = first; k < std::min(n.frames, first + callers); ++k)
        if (is_ours(n.frame[k])) return {};
    // The others are return addresses, whose call lies before them; this one is the access itself.
    CallStack out{n.frame + first, n.frame + n.frames};
    out.front() = static_cast<char*>(out.front()) + 1;
    return out;
}

/// Closes a range but for the pages that a call of the system uses. Under PageLock.
void close_around_calls(const Slot& s) {
    const std::uint64_t page = page_size(), last = s.last;
    std::uint64_t at = s.first;
    while (at < last) {
        // The next stretch of pages that a call uses; few calls go on at a time.
        std::uint64_t from = last, to = last;
        for (const auto& call : calls)
            for (int k = 0; call.in_use && k < call.parts; ++k) {
                const auto first = call.part[k].at / page * page, end = (call.part[k].end + page - 1) / page * page;
                if (end > at && first < from) from = std::max(first, at), to = std::min(end, last);
            }
        if (from > at) set_access(at, from, PROT_NONE);
        at = std::max(to, from);
    }
}

void open_slot_for_work(Slot& s) {
    const PageLock lock;
    set_access(s, PROT_READ | PROT_WRITE);
    s.state = open_slot;
}

}  // namespace

HostGuard& HostGuard::get() {
    static auto* guard = new HostGuard;
    return *guard;
}

std::uint64_t HostGuard::touched() { return guard::touched.load(); }

void HostGuard::close_slot(Slot& s) {
    const PageLock lock;
    s.pages = 0;
    s.state = closed_slot;
    close_around_calls(s);
}

int HostGuard::close_pages(std::uint64_t first, std::uint64_t last, std::uint64_t at, std::uint64_t end, For purpose) {
    if (first >= last || !is_ready()) return -1;
    for (int k = 0; k < kSlots; ++k) {
        auto& s = slots[k];
        if (s.state != free_slot) continue;
        s.first = first, s.last = last, s.at = at, s.end = end;
        s.by_page = purpose != For::copy;
        s.thread = purpose == For::function ? this_thread() : 0;
        close_slot(s);
        closed_.push_back({k, purpose, {}});
        return k;
    }
    return -1;
}

int HostGuard::close_block(const Block& b, For purpose) {
    const auto page = page_size(), end = b.address + b.bytes;
    return close_pages(b.address / page * page, (end + page - 1) / page * page, b.address, end, purpose);
}

void HostGuard::close(std::uint64_t at, std::uint64_t bytes, const Block& block) {
    const auto page = page_size();
    const auto end = at + bytes, block_end = block.address + block.bytes;
    const bool own_pages = block.is_own();  // else what lies beside it is the program's own
    const auto first = own_pages && at == block.address ? at / page * page : (at + page - 1) / page * page;
    const auto last = own_pages && end == block_end ? (end + page - 1) / page * page : end / page * page;
    std::lock_guard lock(mutex_);
    collect();
    last_copy = close_pages(first, last, at, end, For::copy);
}

void HostGuard::set_work(const IssuedWork& by) {
    std::lock_guard lock(mutex_);
    for (auto& c : closed_)
        if (c.slot == last_copy && c.by.empty() && by) c.by.push_back(by);
}

void HostGuard::close_for_kernels(const std::vector<Block>& blocks) {
    std::lock_guard lock(mutex_);
    collect();  // what was touched before these were queued is no matter of theirs
    last_kernels.clear();
    for (const auto& b : blocks) {
        const auto known = std::find_if(closed_.begin(), closed_.end(), [&](const Closed& c) {
            return c.purpose == For::kernel && slots[c.slot].at == b.address &&
                   slots[c.slot].end == b.address + b.bytes;
        });
        const int slot = known == closed_.end() ? close_block(b, For::kernel) : known->slot;
        if (slot < 0) continue;
        running_ ? open_slot_for_work(slots[slot]) : close_slot(slots[slot]);
        last_kernels.push_back(slot);
    }
}

void HostGuard::set_kernels(const IssuedWork& by) {
    std::lock_guard lock(mutex_);
    for (auto& c : closed_)
        if (std::find(last_kernels.begin(), last_kernels.end(), c.slot) != last_kernels.end()) {
            if (by)
                c.by.push_back(by);
            else if (c.by.empty())
                open(c);
        }
    std::erase_if(closed_, [](const Closed& c) { return c.slot < 0; });
    last_kernels.clear();
}

bool HostGuard::is_closed_for(const IssuedWork& by) {
    std::lock_guard lock(mutex_);
    return std::any_of(closed_.begin(), closed_.end(), [&](const Closed& c) {
        return c.purpose == For::kernel && std::find(c.by.begin(), c.by.end(), by) != c.by.end();
    });
}

void HostGuard::begin_kernel() {
    std::lock_guard lock(mutex_);
    ++running_;
    for (auto& c : closed_)
        if (c.purpose == For::kernel && slots[c.slot].state != open_slot) open_slot_for_work(slots[c.slot]);
}

void HostGuard::end_kernel() {
    std::lock_guard lock(mutex_);
    if (--running_) return;
    for (auto& c : closed_)
        if (c.purpose == For::kernel && slots[c.slot].state == open_slot) close_slot(slots[c.slot]);
}

void HostGuard::open_for_work(std::uint64_t at, std::uint64_t bytes) {
    std::lock_guard lock(mutex_);
    for (auto& c : closed_) {
        auto& s = slots[c.slot];
        if (s.state == closed_slot && at < s.last && at + bytes > s.first) open_slot_for_work(s);
    }
}

void HostGuard::close_again() {
    std::lock_guard lock(mutex_);
    for (auto& c : closed_)
        if (slots[c.slot].state == open_slot && !(running_ && c.purpose == For::kernel)) close_slot(slots[c.slot]);
}

void HostGuard::open(Closed& c) {
    const PageLock lock;
    auto& s = slots[c.slot];
    s.state = free_slot;
    set_access(s, PROT_READ | PROT_WRITE);
    c.slot = -1;
    for (const auto& other : closed_)
        if (other.slot >= 0 && slots[other.slot].state == closed_slot && slots[other.slot].first < s.last &&
            s.first < slots[other.slot].last)
            close_around_calls(slots[other.slot]);
}

void HostGuard::open_all() {
    std::lock_guard lock(mutex_);
    collect();
    for (auto& c : closed_) open(c);
    closed_.clear();
}

/// Takes what the handler has noted so far.
void HostGuard::collect() {
    for (auto& n : notes) {
        if (n.stage.load(std::memory_order_acquire) != Note::ready) continue;
        const auto c = std::find_if(closed_.begin(), closed_.end(), [&](const Closed& x) { return x.slot == n.slot; });
        // (A slot may have been given to other memory since.)
        if (c != closed_.end() && n.address >= slots[n.slot].at && n.address < slots[n.slot].end) {
            Touch t;
            t.purpose = c->purpose, t.address = n.address, t.bytes = n.bytes, t.write = n.write;
            t.by_system = n.by_system;
            t.stack = stack_of(n, c->purpose), t.by = c->by, t.thread = slots[n.slot].thread;
            if (!t.stack.empty() && (!t.by.empty() || t.purpose == For::function)) noted_.push_back(std::move(t));
        }
        n.stage.store(Note::free, std::memory_order_release);
    }
}

std::string HostGuard::access_name(const Touch& t) {
    return std::string(t.write ? "store" : "load") + (t.by_system ? " by a call of the system" : " by the host");
}

std::vector<HostGuard::Touch> HostGuard::touches() {
    std::lock_guard lock(mutex_);
    collect();
    std::vector<Touch> out;
    for (auto& t : noted_)
        if (t.purpose != For::function) out.push_back(std::move(t));
    std::erase_if(noted_, [](const Touch& t) { return t.purpose != For::function; });
    return out;
}

void HostGuard::begin_function(const std::vector<Block>& blocks) {
    std::lock_guard lock(mutex_);
    collect();
    for (const auto& b : blocks) (void)close_block(b, For::function);
}

std::vector<HostGuard::Touch> HostGuard::end_function() {
    std::lock_guard lock(mutex_);
    collect();
    const auto is_mine = [](const Touch& t) { return t.purpose == For::function && t.thread == this_thread(); };
    std::vector<Touch> out;
    std::copy_if(noted_.begin(), noted_.end(), std::back_inserter(out), is_mine);
    std::erase_if(noted_, is_mine);
    for (auto& c : closed_)
        if (c.purpose == For::function && slots[c.slot].thread == this_thread()) open(c);
    std::erase_if(closed_, [](const Closed& c) { return c.slot < 0; });
    return out;
}

}  // namespace warpwright::cudart
