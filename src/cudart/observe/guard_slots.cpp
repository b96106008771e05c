// A fault outside of the closed ranges goes to the handler that was there before. Where a program has a handler of its
// own nothing is closed.
#include "cudart/observe/guard_slots.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>

#include "cudart/work/stream/stream_order.hpp"

namespace warpwright::cudart::guard {

Slot slots[kSlots];
Note notes[kNotes];
Call calls[kCalls];
std::atomic<std::uint64_t> touched{0};

namespace {

/// After so many touched pages a range stays open: who goes through it has been seen.
constexpr int kMostPages = 64;

struct sigaction before{};
std::atomic<bool> hears_of_calls{false};

bool in_pages(const Slot& s, std::uint64_t address) {
    return address >= s.first.load(std::memory_order_relaxed) && address < s.last.load(std::memory_order_relaxed);
}

/// Whether the access that failed was a write, by what the processor has told the system of it.
bool is_write(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    constexpr std::uint64_t kWrite = 2;
    return (static_cast<std::uint64_t>(machine.gregs[REG_ERR]) & kWrite) != 0;
#elif defined(__aarch64__)
    // The syndrome is one of the records behind the registers. Its class says that data was accessed, one bit how.
    constexpr std::uint32_t kSyndrome = ESR_MAGIC;
    constexpr std::uint64_t kWrite = 1u << 6, kClassShift = 26, kDataAccess = 0x24;
    const auto* at = reinterpret_cast<const unsigned char*>(machine.__reserved);
    const auto* const end = at + sizeof machine.__reserved;
    while (end - at >= static_cast<std::ptrdiff_t>(sizeof(esr_context))) {
        const auto& head = *reinterpret_cast<const _aarch64_ctx*>(at);
        if (head.magic == 0 || head.size == 0) return false;
        if (head.magic == kSyndrome) {
            const std::uint64_t syndrome = reinterpret_cast<const esr_context*>(at)->esr;
            return syndrome >> kClassShift == kDataAccess && (syndrome & kWrite) != 0;
        }
        at += head.size;
    }
    return false;
#else
    #error "which part of a signal's context says whether a write failed?"
#endif
}

/// A page that was read may be read on, so that a write to it shows too.
void open_touched(Slot& s, std::uint64_t address, bool write) {
    if (!s.by_page || s.pages.fetch_add(1) >= kMostPages) {
        set_access(s, PROT_READ | PROT_WRITE);
        s.state = touched_slot;
        return;
    }
    const auto page = address / page_size() * page_size();
    ::mprotect(reinterpret_cast<void*>(page), page_size(), write ? PROT_READ | PROT_WRITE : PROT_READ);
}

/// The program may be about to look at what its last call has set.
struct KeptErrno {
    const int error = errno;
    ~KeptErrno() { errno = error; }
};

void handle(int signal, siginfo_t* info, void* context) {
    const KeptErrno kept;
    const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
    const bool write = is_write(context);
    bool closed = false;
    for (int k = 0; k < kSlots; ++k) {
        auto& s = slots[k];
        if (s.state.load() != closed_slot || !in_pages(s, address)) continue;
        closed = true;
        open_touched(s, address, write);
        const bool concerns = s.thread ? s.thread == this_thread() : !does_work();
        if (address >= s.at && address < s.end && concerns) {
            note(k, address, 1, write, false);
            touched.fetch_add(1);
        }
    }
    if (closed) return;
    // Another thread may have opened the page in between. (Not without end: it may be no memory any more.)
    constexpr int kMostExcused = 10000;
    static std::atomic<int> excused{0};
    for (auto& s : slots)
        if (in_pages(s, address) && excused.fetch_add(1) < kMostExcused) return;
    if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(signal, info, context);
    if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
        ::signal(SIGSEGV, SIG_DFL);  // the access is repeated, and ends the process
        return;
    }
    before.sa_handler(signal);
}

std::atomic_flag pages_taken = ATOMIC_FLAG_INIT;

}  // namespace

void note(int slot, std::uint64_t address, std::uint64_t bytes, bool write, bool by_system) {
    for (auto& n : notes) {
        int expected = Note::free;
        if (!n.stage.compare_exchange_strong(expected, Note::being_written)) continue;
        n.slot = slot, n.address = address, n.bytes = bytes, n.write = write, n.by_system = by_system;
        n.frames = ::backtrace(n.frame, kFrames);
        n.stage.store(Note::ready, std::memory_order_release);
        return;
    }
}

PageLock::PageLock() {
    sigset_t all;
    sigfillset(&all);
    // These are the thread's own faults, which cannot be held back.
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&all, own);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    while (pages_taken.test_and_set(std::memory_order_acquire)) ::sched_yield();
}

PageLock::~PageLock() {
    pages_taken.clear(std::memory_order_release);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::uint64_t page_size() {
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return page;
}

std::uint64_t this_thread() { return static_cast<std::uint64_t>(::pthread_self()); }

void set_access(std::uint64_t first, std::uint64_t last, int access) {
    ::mprotect(reinterpret_cast<void*>(first), last - first, access);
}

void set_access(const Slot& s, int access) { set_access(s.first, s.last, access); }

void hear_of_calls(const HostBufferFunctions& functions) {
    auto* const take = reinterpret_cast<TakeHostBuffers*>(::dlsym(RTLD_DEFAULT, kHostBuffers));
    if (!take) return;
    take(&functions);
    hears_of_calls = true;
}

bool is_ready() {
    if (!hears_of_calls) return false;
    struct sigaction now{};
    if (::sigaction(SIGSEGV, nullptr, &now) != 0) return false;
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == &handle) return true;
    static std::atomic<bool> tried{false};
    const bool own = (now.sa_flags & SA_SIGINFO) != 0 || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN);
    if (own || tried.exchange(true)) return false;
    void* frames[2];
    (void)::backtrace(frames, 2);  // what it loads at its first call it must not load in the handler
    (void)page_size();
    before = now;
    struct sigaction mine{};
    mine.sa_sigaction = &handle;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&mine.sa_mask);
    return ::sigaction(SIGSEGV, &mine, nullptr) == 0;
}

}  // namespace warpwright::cudart::guard
