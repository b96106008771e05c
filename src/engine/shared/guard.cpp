// A handler of SIGSEGV writes one line with the kernel and the nearest allocation; the access is then made again and
// ends the process. The memories that are watched stand in a table of atomics, which the handler reads without a lock.
#include "engine/shared/guard.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "engine/shared/device_memory.hpp"

namespace warpwright::engine::guard {

namespace {

/// Memories that are watched; the handler of a signal reads them without a lock.
constexpr std::size_t kMostWatched = 64;
std::atomic<const DeviceMemory*> watched[kMostWatched];

thread_local const std::string* running = nullptr;

/// Where the address lies in memory that is watched; it may be wrong if another thread allocates meanwhile.
void describe(std::uint64_t address, char* text, std::size_t bytes) {
    for (const auto& one : watched) {
        const auto* memory = one.load();
        if (!memory || !memory->in_range(address)) continue;
        const auto near = memory->nearest(address);
        if (!near) break;
        const bool before = address < near->address;
        std::snprintf(
            text, bytes, ", %llu bytes %s an allocation of %llu",
            static_cast<unsigned long long>(before ? near->address - address : address - near->address - near->bytes),
            before ? "before" : "past the end of", static_cast<unsigned long long>(near->bytes));
        return;
    }
    std::snprintf(text, bytes, ", outside of the device's memory");
}

void report(int signal, siginfo_t* info, void*) {
    const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
    char where[160] = "", line[640];
    describe(address, where, sizeof where);
    const int length =
        std::snprintf(line, sizeof line, "warpwright: guard: kernel '%.200s' accessed 0x%llx%s\n",
                      running ? running->c_str() : "(none runs)", static_cast<unsigned long long>(address), where);
    (void)!::write(2, line, static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(sizeof line) - 1)));
    // The access is made again, and ends the process as it would have without us.
    std::signal(signal, SIG_DFL);
}

}  // namespace

std::uint64_t page() {
    static const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

void watch(const DeviceMemory& memory) {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action{};
        action.sa_sigaction = report;
        action.sa_flags = SA_SIGINFO;
        ::sigaction(SIGSEGV, &action, nullptr);
    });
    for (auto& one : watched) {
        const DeviceMemory* free = nullptr;
        if (one.compare_exchange_strong(free, &memory)) return;
    }
}

void forget(const DeviceMemory& memory) {
    for (auto& one : watched) {
        const auto* mine = &memory;
        one.compare_exchange_strong(mine, nullptr);
    }
}

Running::Running(const std::string& kernel) : before_(std::exchange(running, &kernel)) {}
Running::~Running() { running = before_; }

Piece::Piece(std::uint64_t bytes, std::uint64_t align) {
    const auto rounded = (std::max<std::uint64_t>(bytes, 1) + align - 1) / align * align;
    const auto pages = (rounded + page() - 1) / page() * page();
    length_ = pages + 2 * page();
    mapped_ = ::mmap(nullptr, length_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped_ == MAP_FAILED) throw std::bad_alloc();
    auto* const first = static_cast<std::uint8_t*>(mapped_) + page();
    if (::mprotect(first, pages, PROT_READ | PROT_WRITE) != 0) {
        ::munmap(mapped_, length_);
        throw std::bad_alloc();
    }
    start_ = first + (pages - rounded);
}

Piece::~Piece() {
    if (mapped_) ::munmap(mapped_, length_);
}

Piece::Piece(Piece&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)),
      mapped_(std::exchange(other.mapped_, nullptr)),
      length_(std::exchange(other.length_, 0)) {}

Piece& Piece::operator=(Piece&& other) noexcept {
    std::swap(start_, other.start_), std::swap(mapped_, other.mapped_), std::swap(length_, other.length_);
    return *this;
}

}  // namespace warpwright::engine::guard
