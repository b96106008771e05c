// The handler finds its ranges in a fixed table of atomic words, since it may interrupt anything. A fault outside of
// them goes to the handler that was there before. Where a program has a handler of its own nothing is closed.
#include "cudart/observe/host_guard.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <string_view>

namespace warpwright::cudart {

namespace {

constexpr int kSlots = 64, kFrames = 24;

enum State : int { free_slot, open_slot, closed_slot, touched_slot };

/// A closed range: its pages, and the very bytes.
struct Slot {
    std::atomic<int> state{free_slot};
    std::atomic<std::uint64_t> first{0}, last{0}, at{0}, end{0};
    // The first access.
    std::atomic<bool> told{false};
    std::uint64_t address = 0;
    bool write = false;
    int frames = 0;
    void* frame[kFrames] = {};
};
Slot slots[kSlots];
struct sigaction before{};

bool in_pages(const Slot& s, std::uint64_t address) {
    return address >= s.first.load(std::memory_order_relaxed) && address < s.last.load(std::memory_order_relaxed);
}

void set_access(const Slot& s, int access) {
    ::mprotect(reinterpret_cast<void*>(s.first.load()), s.last.load() - s.first.load(), access);
}

void handle(int signal, siginfo_t* info, void* context) {
    const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
    for (auto& s : slots) {
        if (s.state.load() != closed_slot || !in_pages(s, address)) continue;
        set_access(s, PROT_READ | PROT_WRITE);
        s.state = touched_slot;
        if (address < s.at || address >= s.end || current_work()) return;
        s.address = address;
#if defined(__x86_64__)
        constexpr std::uint64_t kWrite = 2;
        const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
        s.write = (static_cast<std::uint64_t>(registers[REG_ERR]) & kWrite) != 0;
#else
        (void)context;
#endif
        s.frames = ::backtrace(s.frame, kFrames);
        s.told.store(true, std::memory_order_release);
        return;
    }
    // Another thread may have opened the page in between. (Not without end: it may be no memory any more.)
    constexpr int kMostExcused = 10000;
    static std::atomic<int> excused{0};
    for (auto& s : slots)
        if (s.state.load() != closed_slot && in_pages(s, address) && excused.fetch_add(1) < kMostExcused) return;
    if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(signal, info, context);
    if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
        ::signal(SIGSEGV, SIG_DFL);  // the access is repeated, and ends the process
        return;
    }
    before.sa_handler(signal);
}

/// Whether faults come to the handler above.
bool is_ready() {
    struct sigaction now{};
    if (::sigaction(SIGSEGV, nullptr, &now) != 0) return false;
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == &handle) return true;
    static std::atomic<bool> tried{false};
    const bool own = (now.sa_flags & SA_SIGINFO) != 0 || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN);
    if (own || tried.exchange(true)) return false;
    void* frames[2];
    (void)::backtrace(frames, 2);  // what it loads at its first call it must not load in the handler
    before = now;
    struct sigaction mine{};
    mine.sa_sigaction = &handle;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&mine.sa_mask);
    return ::sigaction(SIGSEGV, &mine, nullptr) == 0;
}

/// The frames behind the handler, the access first; empty where that is no code of the program's: a kernel's, or this
/// library's.
CallStack stack_of(const Slot& s) {
    constexpr int kLooked = 4;
    int first = 0;
    // The handler and the frame that the system puts below it.
    const auto name = [](const void* address) {
        Dl_info info{};
        return ::dladdr(address, &info) && info.dli_fname ? std::string(info.dli_fname) : std::string();
    };
    const auto is_ours = [&](const void* address) {
        const auto file = std::filesystem::path(name(address)).filename().string();
        return file.empty() || file.starts_with("libwarpwright") || file.starts_with("libcudart.so") ||
               file.starts_with("libcuda.so") || file.starts_with("libtbb");
    };
    first = 2;
    if (first >= s.frames) return {};
    for (int k = first; k < std::min(s.frames, first + kLooked); ++k)
        if (is_ours(s.frame[k])) return {};
    // The others are return addresses, whose call lies before them; this one is the access itself.
    CallStack out{s.frame + first, s.frame + s.frames};
    out.front() = static_cast<char*>(out.front()) + 1;
    return out;
}

}  // namespace

HostGuard& HostGuard::get() {
    static auto* guard = new HostGuard;
    return *guard;
}

void HostGuard::close(std::uint64_t at, std::uint64_t bytes, const Block& block) {
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const auto end = at + bytes, block_end = block.address + block.bytes;
    const auto first = at == block.address ? at / page * page : (at + page - 1) / page * page;
    const auto last = end == block_end ? (end + page - 1) / page * page : end / page * page;
    std::lock_guard lock(mutex_);
    last_ = -1;
    if (first >= last || !is_ready()) return;
    for (int k = 0; k < kSlots; ++k) {
        auto& s = slots[k];
        if (s.state != free_slot) continue;
        s.first = first, s.last = last, s.at = at, s.end = end;
        s.told = false;
        s.state = closed_slot;
        set_access(s, PROT_NONE);
        closed_.push_back({k, nullptr});
        last_ = k;
        return;
    }
}

void HostGuard::set_work(const IssuedWork& by) {
    std::lock_guard lock(mutex_);
    for (auto& c : closed_)
        if (c.slot == last_ && !c.by) c.by = by;
}

void HostGuard::open_for_work(std::uint64_t at, std::uint64_t bytes) {
    std::lock_guard lock(mutex_);
    for (auto& c : closed_) {
        auto& s = slots[c.slot];
        if (s.state != closed_slot || at >= s.last || at + bytes <= s.first) continue;
        set_access(s, PROT_READ | PROT_WRITE);
        s.state = open_slot;
    }
}

void HostGuard::close_again() {
    std::lock_guard lock(mutex_);
    for (auto& c : closed_) {
        auto& s = slots[c.slot];
        if (s.state != open_slot) continue;
        s.state = closed_slot;
        set_access(s, PROT_NONE);
    }
}

void HostGuard::open(Closed& c) {
    auto& s = slots[c.slot];
    if (s.state == closed_slot) set_access(s, PROT_READ | PROT_WRITE);
    s.state = s.told ? touched_slot : free_slot;
    if (!s.told) c.slot = -1;
}

void HostGuard::open_all() {
    std::lock_guard lock(mutex_);
    for (auto& c : closed_) open(c);
    std::erase_if(closed_, [](const Closed& c) { return c.slot < 0; });
}

std::vector<HostGuard::Touch> HostGuard::touches() {
    std::lock_guard lock(mutex_);
    std::vector<Touch> out;
    for (auto& c : closed_) {
        auto& s = slots[c.slot];
        if (!s.told.load(std::memory_order_acquire)) continue;
        Touch t{s.address, s.write, stack_of(s), c.by};
        s.told = false;
        s.state = free_slot;
        c.slot = -1;
        if (!t.stack.empty() && t.by) out.push_back(std::move(t));
    }
    std::erase_if(closed_, [](const Closed& c) { return c.slot < 0; });
    return out;
}

}  // namespace warpwright::cudart
