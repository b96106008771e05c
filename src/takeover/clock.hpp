// The clocks that a program reads under `run`: they go with the modelled clock (support/host_clock.hpp). One offset for
// all of them: the program's clock is the system's, less what emulation took, plus what the modelled device takes.
#pragma once

#include <cstdint>
#include <ctime>

namespace warpwright::takeover::clock {

/// Whether the calling thread reads the program's clocks, and there are such.
bool is_modelled();

/// The system's own monotonic clock, in nanoseconds.
std::int64_t system_now();
/// The program's, of the same origin. A thread that reads it while another one waits for the device sees it move by a
/// microsecond with each reading, so that loops which wait for a time come to their end.
std::int64_t now();
/// What is added to the system's clocks now, without moving the program's.
std::int64_t offset();

/// The CPU time of the process or of the calling thread, without that of emulation and with the time that the program
/// waits for the modelled device: a real one keeps the thread busy.
std::int64_t process_cpu();
std::int64_t thread_cpu();

/// The C library's clock_gettime, and what it says in nanoseconds; -1: it has no such clock.
int system_clock(clockid_t id, timespec* to);
std::int64_t read_system(clockid_t id);

constexpr std::int64_t kSecond = 1'000'000'000;
inline std::int64_t nanoseconds(const timespec& t) { return t.tv_sec * kSecond + t.tv_nsec; }
inline timespec timespec_of(std::int64_t ns) {
    std::int64_t rest = ns % kSecond;
    if (rest < 0) rest += kSecond;
    return {(ns - rest) / kSecond, static_cast<long>(rest)};
}

}  // namespace warpwright::takeover::clock
