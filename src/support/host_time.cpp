// Each thread that says what it does has a timer of its own processor time, whose signal records where the thread is:
// an address in generated code, or that of the call that has led out of it, which is looked for on the stack. The
// handler touches memory only that was made before: a table of addresses, and the places of code, which never change.
#include "support/host_time.hpp"

#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <mutex>
#include <optional>
#include <tuple>

#include "host/self.hpp"
#include "support/settings.hpp"

namespace warpwright::host_time {

namespace {

constexpr std::string_view kKeys[] = {
#define WW_HOST_WORK(key) #key,
#include "support/host_time.inc"
#undef WW_HOST_WORK
};

/// Between two samples of a thread, in nanoseconds of its processor time; the system's clock may make it longer.
constexpr long kInterval = 997'000;
constexpr std::size_t kMostCodes = std::size_t{1} << 15;
constexpr std::size_t kCells = std::size_t{1} << 16;

std::uint64_t clock_of(clockid_t clock) {
    timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

/// What the handler writes to.
struct Records {
    struct Cell {
        std::atomic<std::uint64_t> key{0};  ///< the thread's work above 56 bits of an address; 0: unused
        std::atomic<std::uint64_t> samples{0};
    };
    std::array<Cell, kCells> cells;
    std::array<std::atomic<std::uint64_t>, kWorks> used{};     ///< nanoseconds of threads that have said so
    std::array<std::atomic<std::uint64_t>, kWorks> samples{};  ///< by the thread's work
    std::array<std::atomic<const Code*>, kMostCodes> codes{};
    std::atomic<std::size_t> code_count{0};
    std::atomic<std::uint64_t> lowest{~std::uint64_t{0}}, highest{0};  ///< addresses of all codes
    std::mutex adding;
};

Records* records = nullptr;
/// Whether the signal is ours; else no thread has a timer, since the program would get its signals.
bool sampling = false;

constexpr unsigned kAddressBits = 56;
constexpr std::uint64_t kAddress = (std::uint64_t{1} << kAddressBits) - 1;

/// The place in generated code; null where there is none, or nothing is known of it.
const CodePlace* place_of(std::uint64_t address, const Code** of = nullptr) {
    if (address < records->lowest.load(std::memory_order_relaxed) ||
        address >= records->highest.load(std::memory_order_relaxed))
        return nullptr;
    for (std::size_t k = records->code_count.load(std::memory_order_acquire); k-- > 0;) {
        const Code* code = records->codes[k].load(std::memory_order_acquire);
        const auto& places = code->places;
        if (address < places.front().address || address >= places.back().address) continue;
        auto after = std::upper_bound(places.begin(), places.end(), address,
                                      [](std::uint64_t a, const CodePlace& p) { return a < p.address; });
        const CodePlace& place = *std::prev(after);
        if (of) *of = code;
        return place.none ? nullptr : &place;
    }
    return nullptr;
}

void record(Work work, std::uint64_t address, std::uint64_t samples) {
    records->samples[static_cast<std::size_t>(work)].fetch_add(samples, std::memory_order_relaxed);
    if (address == 0) return;
    const std::uint64_t key = (static_cast<std::uint64_t>(work) << kAddressBits) | (address & kAddress);
    std::size_t at = (key * 0x9e3779b97f4a7c15ull) >> 48;
    for (std::size_t tries = 0; tries < 64; ++tries, at = (at + 1) % kCells) {
        auto& cell = records->cells[at];
        std::uint64_t found = cell.key.load(std::memory_order_relaxed);
        if (found == 0 && cell.key.compare_exchange_strong(found, key)) found = key;
        if (found != key) continue;
        cell.samples.fetch_add(samples, std::memory_order_relaxed);
        return;
    }
}

struct Thread {
    Work work = Work::program;
    const void* stack_top = nullptr;
    std::uint64_t last = 0;  ///< its processor time when its work changed last
    timer_t timer{};
    bool timed = false;

    Thread() {
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = SIGPROF;
        event.sigev_value.sival_ptr = records;
#ifndef sigev_notify_thread_id
    #define sigev_notify_thread_id _sigev_un._tid
#endif
        event.sigev_notify_thread_id = static_cast<pid_t>(host::thread_number());
        timed = sampling && ::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0;
        itimerspec each{};
        each.it_interval.tv_nsec = each.it_value.tv_nsec = kInterval;
        if (timed) ::timer_settime(timer, 0, &each, nullptr);
    }
    ~Thread() {
        if (timed) ::timer_delete(timer);
        timed = false;
        note();
    }
    /// What it has used since then counts for its work.
    void note() {
        const auto now = clock_of(CLOCK_THREAD_CPUTIME_ID);
        if (now <= last) return;  // on some machines the clock steps back where a thread moves to another processor
        records->used[static_cast<std::size_t>(work)].fetch_add(now - last, std::memory_order_relaxed);
        last = now;
    }
};

/// Of this thread, while it lives. (A pointer: the handler must not make it.)
thread_local Thread* mine = nullptr;

Thread* own_thread() {
    thread_local std::optional<Thread> own;
    struct Leaves {
        ~Leaves() { mine = nullptr; }
    };
    thread_local bool made = false;
    if (!made) {
        made = true;
        own.emplace();
        thread_local Leaves leaves;  // gone before `own` is
        (void)leaves;
        mine = &*own;
    }
    return mine;
}

struct Interrupted {
    std::uint64_t at = 0, stack = 0, frame = 0;
};

Interrupted interrupted(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    const auto in = [&](int name) { return static_cast<std::uint64_t>(machine.gregs[name]); };
    return {in(REG_RIP), in(REG_RSP), in(REG_RBP)};
#elif defined(__aarch64__)
    return {machine.pc, machine.sp, machine.regs[29]};
#else
    (void)machine;
    return {};
#endif
}

/// Functions, one called by the other, through which the way back to generated code leads at most.
constexpr int kMostCalls = 64;

/// The instruction of generated code that the thread is in, or whose call it is in; 0: none. What generated code calls
/// keeps pointers to frames (cmake/rooms.cmake, HOT): each frame begins with the place of the caller's, behind which
/// stands where the call returns to.
std::uint64_t code_address(const Thread& thread, const Interrupted& at) {
    if (place_of(at.at)) return at.at;
    const auto top = reinterpret_cast<std::uint64_t>(thread.stack_top);
    auto frame = at.frame;
    for (int k = 0; k < kMostCalls && frame % 8 == 0 && frame >= at.stack && frame < top && top - frame >= 16; ++k) {
        const auto* words = reinterpret_cast<const std::uint64_t*>(frame);
        if (place_of(words[1] - 1)) return words[1] - 1;
        if (words[0] <= frame) break;
        frame = words[0];
    }
    return 0;
}

#if defined(__SANITIZE_ADDRESS__)
__attribute__((no_sanitize_address))
#endif
void sampled(int, siginfo_t* info, void* context) {
    const int kept = errno;
    if (Thread* thread = mine; thread && info->si_code == SI_TIMER && info->si_value.sival_ptr == records) {
        // Those that came due while the signal waited.
        const auto samples = 1 + static_cast<std::uint64_t>(std::max(0, info->si_overrun));
        const bool runs = thread->work == Work::blocks || thread->work == Work::turns;
        record(thread->work, runs ? code_address(*thread, interrupted(context)) : 0, samples);
    }
    errno = kept;
}

bool begin() {
    if (!settings::flag(Setting::profile_emulator, false)) return false;
    records = new Records;
    struct sigaction before{}, action{};
    action.sa_sigaction = sampled;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    // A program that uses the signal itself keeps it: there are no samples then, and works without lines.
    if (::sigaction(SIGPROF, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
        sampling = ::sigaction(SIGPROF, &action, nullptr) == 0;
    return true;
}

}  // namespace

std::string_view work_key(Work work) { return kKeys[static_cast<std::size_t>(work)]; }

bool on() {
    static const bool yes = begin();
    return yes;
}

Work In::change(Work to) {
    Thread* const thread = own_thread();
    if (!thread) return to;  // the thread ends
    thread->note();
    return std::exchange(thread->work, to);
}

const void* OnCodeStack::change(const void* top) {
    Thread* const thread = own_thread();
    return thread ? std::exchange(thread->stack_top, top) : top;
}

void add_code(std::unique_ptr<const Code> code) {
    if (!on() || code->places.size() < 2) return;
    std::lock_guard lock(records->adding);
    const auto count = records->code_count.load();
    if (count == kMostCodes) return;
    const auto first = code->places.front().address, last = code->places.back().address;
    records->codes[count].store(code.release(), std::memory_order_release);
    records->lowest = std::min(records->lowest.load(), first);
    records->highest = std::max(records->highest.load(), last);
    records->code_count.store(count + 1, std::memory_order_release);
}

Summary summary() {
    Summary out;
    if (!on()) return out;
    if (Thread* const thread = own_thread()) thread->note();
    out.processor_seconds = 1e-9 * static_cast<double>(clock_of(CLOCK_PROCESS_CPUTIME_ID));
    std::array<double, kWorks> told{}, samples{};
    double all = 0;
    for (std::size_t w = 0; w < kWorks; ++w) {
        all += told[w] = 1e-9 * static_cast<double>(records->used[w].load());
        samples[w] = static_cast<double>(records->samples[w].load());
    }
    out.seconds = told;
    // Threads that have said nothing are the program's.
    out.seconds[static_cast<std::size_t>(Work::program)] += std::max(0.0, out.processor_seconds - all);
    std::map<std::tuple<const Code*, std::uint32_t, Work>, double> lines;
    for (const auto& cell : records->cells) {
        const std::uint64_t key = cell.key.load(), n = cell.samples.load();
        if (key == 0 || n == 0) continue;
        const auto of = static_cast<std::size_t>(key >> kAddressBits);
        const Code* code = nullptr;
        const CodePlace* place = place_of(key & kAddress, &code);
        if (!place || samples[of] == 0) continue;
        const double seconds = told[of] * static_cast<double>(n) / samples[of];
        out.seconds[of] -= seconds;
        out.seconds[static_cast<std::size_t>(place->work)] += seconds;
        lines[{code, place->ptx_line, place->work}] += seconds;
    }
    for (const auto work : {Work::blocks, Work::turns})
        out.samples += records->samples[static_cast<std::size_t>(work)].load();
    // Code that took the place of other code is the same kernel's: its lines are joined.
    std::map<std::tuple<std::string, std::string, unsigned, std::uint32_t, Work>, double> joined;
    for (const auto& [where, seconds] : lines) {
        const auto& [code, ptx_line, work] = where;
        const auto source = code->sources.find(ptx_line);
        const bool known = source != code->sources.end();
        joined[{code->kernel, known ? source->second.first : "", known ? source->second.second : 0,
                known ? 0 : ptx_line, work}] += seconds;
    }
    for (const auto& [where, seconds] : joined) {
        const auto& [kernel, file, line, ptx_line, work] = where;
        out.lines.push_back({kernel, file, line, ptx_line, work, seconds});
    }
    std::stable_sort(out.lines.begin(), out.lines.end(),
                     [](const Line& a, const Line& b) { return a.seconds > b.seconds; });
    return out;
}

}  // namespace warpwright::host_time
