// A clock may be read anywhere, in the handler of a signal too: a reading takes no lock and allocates nothing. What it
// needs stands behind a sequence number that is odd while it is written.
//
// Threads of ours have the system's clocks: those that are in a call of our libraries, and those that such a thread
// starts, as its children do. For the CPU's time each of them is in a list.
#include "takeover/clock.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "support/host_clock.hpp"

namespace warpwright::takeover::clock {
namespace {

/// An asked program waits for no longer than this between its calls; then what it does is its own work.
constexpr std::int64_t kStillAsking = 50'000'000;
constexpr std::int64_t kStep = 1000;

struct ThreadState {
    int calls = 0;      ///< nested calls of our libraries
    bool ours = false;  ///< a thread that our libraries have started
    std::int64_t cpu_at_enter = -1;
    std::int64_t cpu_removed = 0, cpu_added = 0;
};
__attribute__((tls_model("initial-exec"))) thread_local ThreadState self;

std::atomic<bool> started{false}, cpu_is_read{false};

// What a reading needs.
std::atomic<std::uint32_t> sequence{0};
std::atomic<std::int64_t> base{0};    ///< the program's clock when it last stopped or went on
std::atomic<std::int64_t> since{0};   ///< the system's at that moment
std::atomic<bool> stands{false};      ///< it stands still
std::atomic<bool> asked_only{false};  ///< because the program asks again and again
std::atomic<std::int64_t> latest{0};  ///< the latest that was read

// Under the lock.
std::atomic_flag locked = ATOMIC_FLAG_INIT;
int inside = 0;  ///< threads in our libraries
std::int64_t origin = 0, own = 0;
std::atomic<std::int64_t> cpu_removed{0}, cpu_added{0};

struct Lock {
    Lock() {
        while (locked.test_and_set(std::memory_order_acquire)) ::sched_yield();
        sequence.fetch_add(1, std::memory_order_acq_rel);
    }
    ~Lock() {
        sequence.fetch_add(1, std::memory_order_acq_rel);
        locked.clear(std::memory_order_release);
    }
};

std::int64_t raise_latest(std::int64_t to) {
    std::int64_t seen = latest.load(std::memory_order_relaxed);
    while (seen < to && !latest.compare_exchange_weak(seen, to, std::memory_order_acq_rel)) {
    }
    return std::max(seen, to);
}

/// What the clock shows, and whether it moves by itself.
struct Reading {
    std::int64_t at;
    bool moves;
};
Reading look() {
    // A handler of a signal may have interrupted the one who writes: then what was read last will do.
    for (int tries = 0; tries < 1000; ++tries) {
        const auto before = sequence.load(std::memory_order_acquire);
        const auto b = base.load(std::memory_order_relaxed), s = since.load(std::memory_order_relaxed);
        const bool still = stands.load(std::memory_order_relaxed), asks = asked_only.load(std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (before % 2 != 0 || sequence.load(std::memory_order_relaxed) != before) continue;
        const auto passed = system_now() - s;
        if (still && !(asks && passed > kStillAsking)) return {b, false};
        return {b + passed, true};
    }
    return {latest.load(std::memory_order_relaxed), false};
}

void start() {
    const Lock lock;
    if (started) return;
    origin = system_now();
    base = since = origin;
    latest = origin;
    started = true;
}

void enter() {
    ThreadState& me = self;
    if (me.ours || me.calls++ > 0 || !started) return;
    if (cpu_is_read) me.cpu_at_enter = read_system(CLOCK_THREAD_CPUTIME_ID);
    const Lock lock;
    if (inside++ > 0) return;
    const auto now = system_now();
    const auto passed = now - since;
    if (!stands || passed > kStillAsking) own += passed, base += passed;
    base = std::max(base.load(), latest.load());
    since = now, stands = true, asked_only = false;
}

void leave(std::int64_t at_least, bool asked) {
    ThreadState& me = self;
    if (me.ours || --me.calls > 0 || !started) return;
    std::int64_t moved = 0;
    {
        const Lock lock;
        const auto before = base.load();
        base = std::max({before, latest.load(), origin + at_least});
        moved = base - before;
        // A thread that was inside when the process was copied is not in the copy.
        if (inside > 0 && --inside == 0) since = system_now(), stands = asked, asked_only = asked;
    }
    if (me.cpu_at_enter < 0) return;
    const auto spent = read_system(CLOCK_THREAD_CPUTIME_ID) - me.cpu_at_enter;
    me.cpu_at_enter = -1;
    me.cpu_removed += spent, cpu_removed += spent;
    me.cpu_added += moved, cpu_added += moved;
}

void program(bool begins) {
    // What was true before is kept by the one frame that is here: such functions are not nested.
    ThreadState& me = self;
    __attribute__((tls_model("initial-exec"))) thread_local ThreadState before;
    if (begins) {
        before = me;
        me.calls = 0, me.ours = false;
    } else {
        me.calls = before.calls, me.ours = before.ours;
    }
}

std::int64_t take_own() {
    const Lock lock;
    const auto taken = own;
    own = 0;
    return taken;
}

/// A copy of the process has one thread, which is in none of our libraries.
void in_child() {
    locked.clear();
    if (sequence % 2 != 0) ++sequence;
    const Lock lock;
    if (inside == 0) return;
    inside = self.calls > 0 ? 1 : 0;
    if (inside == 0) since = system_now(), stands = asked_only = false;
}

// Threads of ours, for their CPU's time.
constexpr int kMostThreads = 2048;
std::atomic<clockid_t> of_ours[kMostThreads];
std::atomic<int> most_of_ours{0};
std::atomic<std::int64_t> cpu_of_ended{0};

int note_thread() {
    clockid_t id = 0;
    if (::pthread_getcpuclockid(::pthread_self(), &id) != 0) return -1;
    for (int k = 0; k < kMostThreads; ++k) {
        clockid_t none = 0;
        if (!of_ours[k].compare_exchange_strong(none, id)) continue;
        int most = most_of_ours;
        while (most <= k && !most_of_ours.compare_exchange_weak(most, k + 1)) {
        }
        return k;
    }
    return -1;
}

std::int64_t cpu_of_ours() {
    std::int64_t all = cpu_of_ended;
    for (int k = 0; k < most_of_ours; ++k)
        if (const clockid_t id = of_ours[k]; id != 0) all += std::max<std::int64_t>(read_system(id), 0);
    return all;
}

struct Started {
    void* (*work)(void*);
    void* argument;
};

void* run_as_ours(void* given) {
    const Started what = *static_cast<Started*>(given);
    std::free(given);
    self.ours = true;
    const int place = note_thread();
    void* const result = what.work(what.argument);
    if (place >= 0) {
        cpu_of_ended += std::max<std::int64_t>(read_system(CLOCK_THREAD_CPUTIME_ID), 0);
        of_ours[place] = 0;
    }
    return result;
}

const HostClockFunctions functions{&start, &enter, &leave, &program, &take_own};

__attribute__((constructor)) void begin() { (void)::pthread_atfork(nullptr, nullptr, &in_child); }

}  // namespace

bool is_modelled() { return started.load(std::memory_order_acquire) && !self.ours && self.calls == 0; }

std::int64_t now() {
    const Reading r = look();
    if (r.moves) return raise_latest(r.at);
    (void)raise_latest(r.at);
    return latest.fetch_add(kStep) + kStep;
}

std::int64_t offset() {
    return started ? std::max(look().at, latest.load(std::memory_order_relaxed)) - system_now() : 0;
}

std::int64_t read_system(clockid_t id) {
    timespec t{};
    return system_clock(id, &t) == 0 ? nanoseconds(t) : -1;
}

std::int64_t system_now() { return read_system(CLOCK_MONOTONIC); }

std::int64_t process_cpu() {
    cpu_is_read = true;
    static std::atomic<std::int64_t> most{0};
    const auto at = read_system(CLOCK_PROCESS_CPUTIME_ID) - cpu_of_ours() - cpu_removed + cpu_added;
    std::int64_t seen = most;
    while (seen < at && !most.compare_exchange_weak(seen, at)) {
    }
    return std::max(seen, at);
}

std::int64_t thread_cpu() {
    cpu_is_read = true;
    return read_system(CLOCK_THREAD_CPUTIME_ID) - self.cpu_removed + self.cpu_added;
}

}  // namespace warpwright::takeover::clock

using namespace warpwright::takeover::clock;

extern "C" {

__attribute__((visibility("default"))) const warpwright::HostClockFunctions* warpwright_host_clock() {
    return &functions;
}

/// A thread that is started by one of ours is one of ours.
__attribute__((visibility("default"))) int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                          void* (*work)(void*), void* argument) noexcept {
    using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static std::atomic<Create*> found{nullptr};
    Create* real = found;
    if (!real) found = real = reinterpret_cast<Create*>(::dlsym(RTLD_NEXT, "pthread_create"));
    if (!self.ours && self.calls == 0) return real(thread, attributes, work, argument);
    auto* const given = static_cast<Started*>(std::malloc(sizeof(Started)));
    if (!given) return real(thread, attributes, work, argument);
    *given = {work, argument};
    const int result = real(thread, attributes, &run_as_ours, given);
    if (result != 0) std::free(given);
    return result;
}
}
