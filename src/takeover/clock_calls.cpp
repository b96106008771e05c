// The functions by which a program reads its clocks, and those that wait until a time which it has from them. What they
// are given as a time is turned into the system's by the one offset; waits for a length of time are the system's
// anyway. A program that has no modelled clock, and a thread of ours, get the C library's functions as they are.
#include <errno.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

#include "takeover/clock.hpp"
#include "takeover/next.hpp"
#include "takeover/stripped.hpp"

namespace warpwright::takeover::clock {
namespace {

/// The time of the program's realtime clock is the system's plus the offset. The distance between the system's two
/// clocks is kept until it has truly changed: read one after the other they are apart by a little more or less.
std::int64_t realtime() {
    constexpr std::int64_t kJitter = 100'000;
    static std::atomic<std::int64_t> distance{0};
    const auto seen = read_system(CLOCK_REALTIME) - system_now();
    auto kept = distance.load(std::memory_order_relaxed);
    if (seen - kept > kJitter || kept - seen > kJitter) distance.store(kept = seen, std::memory_order_relaxed);
    return now() + kept;
}

std::int64_t never_back(std::atomic<std::int64_t>& most, std::int64_t at) {
    std::int64_t seen = most.load(std::memory_order_relaxed);
    while (seen < at && !most.compare_exchange_weak(seen, at)) {
    }
    return seen < at ? at : seen;
}

/// The program's time of a clock; -1: it is not one of those that are replaced.
std::int64_t modelled(clockid_t id) {
    switch (id) {
        case CLOCK_MONOTONIC:
        case CLOCK_MONOTONIC_COARSE:
            return now();
        case CLOCK_REALTIME:
        case CLOCK_REALTIME_COARSE:
            return realtime();
        case CLOCK_MONOTONIC_RAW: {
            static std::atomic<std::int64_t> most{0};
            return never_back(most, read_system(id) + now() - system_now());
        }
        case CLOCK_BOOTTIME: {
            static std::atomic<std::int64_t> most{0};
            return never_back(most, read_system(id) + now() - system_now());
        }
        case CLOCK_TAI:
            return read_system(id) + now() - system_now();
        case CLOCK_PROCESS_CPUTIME_ID:
            return process_cpu();
        case CLOCK_THREAD_CPUTIME_ID:
            return thread_cpu();
        default:
            return -1;
    }
}

bool is_replaced(clockid_t id) {
    return id == CLOCK_MONOTONIC || id == CLOCK_REALTIME || id == CLOCK_BOOTTIME || id == CLOCK_TAI;
}

/// A time of the program's clocks as the system has it.
struct SystemTime {
    explicit SystemTime(const timespec* given) : given_(given) {
        if (given && is_modelled() && given->tv_nsec >= 0 && given->tv_nsec < kSecond) {
            const auto at = nanoseconds(*given) - offset();
            time_ = timespec_of(at < 0 ? 0 : at), given_ = &time_;
        }
    }
    operator const timespec*() const { return given_; }

private:
    const timespec* given_;
    timespec time_{};
};

Next<int(clockid_t, timespec*)> next_clock_gettime("clock_gettime");
Next<int(timeval*, void*)> next_gettimeofday("gettimeofday");
Next<decltype(::time)> next_time("time");
Next<int(timespec*, int)> next_timespec_get("timespec_get");
Next<decltype(::clock)> next_clock("clock");
Next<decltype(::times)> next_times("times");
Next<decltype(::clock_nanosleep)> next_clock_nanosleep("clock_nanosleep");
Next<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)> next_cond_timedwait("pthread_cond_timedwait",
                                                                                  "GLIBC_2.3.2");
Next<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)> next_cond_clockwait("pthread_cond_clockwait");
Next<int(pthread_mutex_t*, const timespec*)> next_mutex_timedlock("pthread_mutex_timedlock");
Next<int(pthread_mutex_t*, clockid_t, const timespec*)> next_mutex_clocklock("pthread_mutex_clocklock");
Next<int(pthread_rwlock_t*, const timespec*)> next_timedrdlock("pthread_rwlock_timedrdlock");
Next<int(pthread_rwlock_t*, const timespec*)> next_timedwrlock("pthread_rwlock_timedwrlock");
Next<int(pthread_rwlock_t*, clockid_t, const timespec*)> next_clockrdlock("pthread_rwlock_clockrdlock");
Next<int(pthread_rwlock_t*, clockid_t, const timespec*)> next_clockwrlock("pthread_rwlock_clockwrlock");
Next<int(pthread_t, void**, const timespec*)> next_timedjoin("pthread_timedjoin_np");
Next<int(pthread_t, void**, clockid_t, const timespec*)> next_clockjoin("pthread_clockjoin_np");
Next<int(sem_t*, const timespec*)> next_sem_timedwait("sem_timedwait");
Next<int(sem_t*, clockid_t, const timespec*)> next_sem_clockwait("sem_clockwait");
Next<int(cnd_t*, mtx_t*, const timespec*)> next_cnd_timedwait("cnd_timedwait");
Next<int(mtx_t*, const timespec*)> next_mtx_timedlock("mtx_timedlock");
Next<int(mqd_t, const char*, size_t, unsigned, const timespec*)> next_mq_timedsend("mq_timedsend");
Next<ssize_t(mqd_t, char*, size_t, unsigned*, const timespec*)> next_mq_timedreceive("mq_timedreceive");
Next<decltype(::timer_settime)> next_timer_settime("timer_settime");
Next<decltype(::timerfd_settime)> next_timerfd_settime("timerfd_settime");
Next<int(clockid_t, const timespec*)> next_clock_settime("clock_settime");
Next<decltype(::settimeofday)> next_settimeofday("settimeofday");
Next<long(long, ...)> next_syscall("syscall");

/// Said once: a program that sets the clock.
void note_stepped() {
    static std::atomic<bool> said{false};
    if (!said.exchange(true))
        say("the program sets the system's clock: what it reads goes on from the time it set, with the modelled "
            "device's time (--host-clock real leaves its clocks alone)");
}

/// The time at which a timer is to go off, where it is a time and not a length.
struct TimerTime {
    TimerTime(bool absolute, const itimerspec* given) : given_(given) {
        if (!absolute || !given || !is_modelled() || (given->it_value.tv_sec == 0 && given->it_value.tv_nsec == 0))
            return;
        const SystemTime at(&given->it_value);
        time_ = {given->it_interval, *static_cast<const timespec*>(at)};
        given_ = &time_;
    }
    operator const itimerspec*() const { return given_; }

private:
    const itimerspec* given_;
    itimerspec time_{};
};

}  // namespace

int system_clock(clockid_t id, timespec* to) { return next_clock_gettime()(id, to); }

}  // namespace warpwright::takeover::clock

using namespace warpwright::takeover::clock;

#define WW_EXPORT __attribute__((visibility("default")))

extern "C" {

WW_EXPORT int clock_gettime(clockid_t id, timespec* to) noexcept {
    if (!is_modelled()) return next_clock_gettime()(id, to);
    const auto at = modelled(id);
    if (at < 0) return next_clock_gettime()(id, to);
    *to = timespec_of(at);
    return 0;
}

WW_EXPORT int gettimeofday(timeval* to, void* zone) noexcept {
    if (const int result = next_gettimeofday()(to, zone); result != 0 || !is_modelled()) return result;
    const auto at = realtime();
    *to = {at / kSecond, at % kSecond / 1000};
    return 0;
}

WW_EXPORT time_t time(time_t* to) noexcept {
    if (!is_modelled()) return next_time()(to);
    const time_t at = realtime() / kSecond;
    if (to) *to = at;
    return at;
}

WW_EXPORT int timespec_get(timespec* to, int form) noexcept {
    if (form != TIME_UTC || !is_modelled()) return next_timespec_get()(to, form);
    *to = timespec_of(realtime());
    return form;
}

WW_EXPORT clock_t clock() noexcept {
    return is_modelled() ? process_cpu() / (kSecond / CLOCKS_PER_SEC) : next_clock()();
}

WW_EXPORT clock_t times(tms* to) noexcept {
    const auto at = next_times()(to);
    return is_modelled() ? at + (now() - system_now()) / (kSecond / ::sysconf(_SC_CLK_TCK)) : at;
}

WW_EXPORT int clock_nanosleep(clockid_t id, int flags, const timespec* until, timespec* left) {
    if (flags != TIMER_ABSTIME || !is_replaced(id)) return next_clock_nanosleep()(id, flags, until, left);
    return next_clock_nanosleep()(id, flags, SystemTime(until), left);
}

WW_EXPORT int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* until) {
    return next_cond_timedwait()(c, m, SystemTime(until));
}
WW_EXPORT int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t id, const timespec* until) {
    return next_cond_clockwait()(c, m, id, SystemTime(until));
}
WW_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* until) noexcept {
    return next_mutex_timedlock()(m, SystemTime(until));
}
WW_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t id, const timespec* until) noexcept {
    return next_mutex_clocklock()(m, id, SystemTime(until));
}
WW_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* l, const timespec* until) noexcept {
    return next_timedrdlock()(l, SystemTime(until));
}
WW_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* l, const timespec* until) noexcept {
    return next_timedwrlock()(l, SystemTime(until));
}
WW_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* l, clockid_t id, const timespec* until) noexcept {
    return next_clockrdlock()(l, id, SystemTime(until));
}
WW_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* l, clockid_t id, const timespec* until) noexcept {
    return next_clockwrlock()(l, id, SystemTime(until));
}
WW_EXPORT int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until) {
    return next_timedjoin()(thread, result, SystemTime(until));
}
WW_EXPORT int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t id, const timespec* until) {
    return next_clockjoin()(thread, result, id, SystemTime(until));
}
WW_EXPORT int sem_timedwait(sem_t* s, const timespec* until) { return next_sem_timedwait()(s, SystemTime(until)); }
WW_EXPORT int sem_clockwait(sem_t* s, clockid_t id, const timespec* until) {
    return next_sem_clockwait()(s, id, SystemTime(until));
}
WW_EXPORT int cnd_timedwait(cnd_t* c, mtx_t* m, const timespec* until) {
    return next_cnd_timedwait()(c, m, SystemTime(until));
}
WW_EXPORT int mtx_timedlock(mtx_t* m, const timespec* until) { return next_mtx_timedlock()(m, SystemTime(until)); }
WW_EXPORT int mq_timedsend(mqd_t q, const char* text, size_t bytes, unsigned priority, const timespec* until) {
    return next_mq_timedsend()(q, text, bytes, priority, SystemTime(until));
}
WW_EXPORT ssize_t mq_timedreceive(mqd_t q, char* text, size_t bytes, unsigned* priority, const timespec* until) {
    return next_mq_timedreceive()(q, text, bytes, priority, SystemTime(until));
}
WW_EXPORT int timer_settime(timer_t timer, int flags, const itimerspec* to, itimerspec* before) noexcept {
    return next_timer_settime()(timer, flags, TimerTime((flags & TIMER_ABSTIME) != 0, to), before);
}
WW_EXPORT int timerfd_settime(int file, int flags, const itimerspec* to, itimerspec* before) noexcept {
    return next_timerfd_settime()(file, flags, TimerTime((flags & TFD_TIMER_ABSTIME) != 0, to), before);
}

WW_EXPORT int clock_settime(clockid_t id, const timespec* to) noexcept {
    if (!is_modelled()) return next_clock_settime()(id, to);
    note_stepped();
    return next_clock_settime()(id, SystemTime(to));
}
WW_EXPORT int settimeofday(const timeval* to, const struct timezone* zone) noexcept {
    if (!is_modelled() || !to) return next_settimeofday()(to, zone);
    note_stepped();
    const auto at = timespec_of((to->tv_sec * kSecond + to->tv_usec * 1000) - offset());
    const timeval real{at.tv_sec, at.tv_nsec / 1000};
    return next_settimeofday()(&real, zone);
}

/// The C library's syscall, for the code below.
__attribute__((visibility("hidden"))) void* ww_next_syscall = nullptr;

/// System calls of clocks and of waits until a time, as the C++ library waits for atomics and futures; and those whose
/// functions are ours (buffers.cpp).
__attribute__((used, visibility("hidden"))) long ww_clock_syscall(long number, long a, long b, long c, long d, long e,
                                                                  long f) {
    auto* const real = next_syscall();
    ww_next_syscall = reinterpret_cast<void*>(real);
    const auto memory = [](long at) { return reinterpret_cast<void*>(at); };
    const auto buffers = [](long at) { return reinterpret_cast<const iovec*>(at); };
    switch (number) {
        case SYS_read:
            return ::read(static_cast<int>(a), memory(b), static_cast<size_t>(c));
        case SYS_write:
            return ::write(static_cast<int>(a), memory(b), static_cast<size_t>(c));
        case SYS_pread64:
            return ::pread(static_cast<int>(a), memory(b), static_cast<size_t>(c), d);
        case SYS_pwrite64:
            return ::pwrite(static_cast<int>(a), memory(b), static_cast<size_t>(c), d);
        case SYS_readv:
            return ::readv(static_cast<int>(a), buffers(b), static_cast<int>(c));
        case SYS_writev:
            return ::writev(static_cast<int>(a), buffers(b), static_cast<int>(c));
        default:
            break;
    }
    if (!is_modelled()) return real(number, a, b, c, d, e, f);
    const auto result = [](int code) -> long { return code == 0 ? 0 : (errno = code, -1); };
    switch (number) {
        case SYS_clock_gettime:
            return clock_gettime(static_cast<clockid_t>(a), reinterpret_cast<timespec*>(b));
        case SYS_gettimeofday:
            return gettimeofday(reinterpret_cast<timeval*>(a), reinterpret_cast<void*>(b));
        case SYS_time:
            return time(reinterpret_cast<time_t*>(a));
        case SYS_clock_nanosleep:
            return result(clock_nanosleep(static_cast<clockid_t>(a), static_cast<int>(b),
                                          reinterpret_cast<const timespec*>(c), reinterpret_cast<timespec*>(d)));
        case SYS_futex: {
            const int operation = static_cast<int>(b) & FUTEX_CMD_MASK;
            const bool until = operation == FUTEX_WAIT_BITSET || operation == FUTEX_LOCK_PI;
            if (!until || d == 0) break;
            const SystemTime at(reinterpret_cast<const timespec*>(d));
            return real(number, a, b, c, static_cast<const timespec*>(at), e, f);
        }
        default:
            break;
    }
    return real(number, a, b, c, d, e, f);
}
}

namespace {
__attribute__((constructor)) void find_syscall() { ww_next_syscall = reinterpret_cast<void*>(next_syscall()); }
}  // namespace

// All other system calls jump on: some return twice, or on another stack.
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".globl syscall\n"
    ".type syscall, @function\n"
    "syscall:\n"
    "    endbr64\n"
    "    cmpq $1, %rdi\n"  // read, write
    "    jbe 1f\n"
    "    leaq -17(%rdi), %rax\n"  // pread64, pwrite64, readv, writev
    "    cmpq $3, %rax\n"
    "    jbe 1f\n"
    "    cmpq $96, %rdi\n"  // gettimeofday
    "    je 1f\n"
    "    cmpq $201, %rdi\n"  // time
    "    je 1f\n"
    "    cmpq $202, %rdi\n"  // futex
    "    je 1f\n"
    "    cmpq $228, %rdi\n"  // clock_gettime
    "    je 1f\n"
    "    cmpq $230, %rdi\n"  // clock_nanosleep
    "    je 1f\n"
    "    movq ww_next_syscall(%rip), %rax\n"
    "    testq %rax, %rax\n"
    "    je 1f\n"
    "    jmp *%rax\n"
    "1:  jmp ww_clock_syscall\n"
    ".size syscall, .-syscall\n");
