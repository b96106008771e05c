// A program whose clocks are kept by the library that is loaded first. It plays our runtime library's part: calls that
// move the program's clocks by 1000 seconds, of which nothing passes on this machine. A line for each that holds.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <future>
#include <mutex>
#include <thread>

#include "support/host_clock.hpp"

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;
constexpr std::int64_t kSecond = 1'000'000'000;

const warpwright::HostClockFunctions* functions;

void holds(const char* what, bool yes) { std::printf("%s: %s\n", what, yes ? "yes" : "no"); }

double seconds(clockid_t id) {
    timespec t{};
    clock_gettime(id, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}
double of_day() {
    timeval t{};
    struct timezone zone{};
    gettimeofday(&t, &zone);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

/// A call that takes the device `to` seconds on its clock.
void call(std::int64_t to, bool asked = false) {
    functions->enter();
    functions->leave(to * kSecond, asked);
}

void read_all() {
    const double monotonic = seconds(CLOCK_MONOTONIC), real = seconds(CLOCK_REALTIME),
                 raw = seconds(CLOCK_MONOTONIC_RAW), day = of_day(),
                 cpu = static_cast<double>(clock()) / CLOCKS_PER_SEC;
    const time_t whole = time(nullptr);
    const auto steady = Steady::now();
    timespec by_call{};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &by_call);
    call(1000);
    holds("monotonic", seconds(CLOCK_MONOTONIC) - monotonic >= 999);
    holds("realtime", seconds(CLOCK_REALTIME) - real >= 999);
    holds("raw", seconds(CLOCK_MONOTONIC_RAW) - raw >= 999);
    holds("gettimeofday", of_day() - day >= 999);
    holds("time", time(nullptr) - whole >= 998);
    holds("chrono", Steady::now() - steady >= 999s);
    const double at = static_cast<double>(by_call.tv_sec);
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &by_call);
    holds("syscall", static_cast<double>(by_call.tv_sec) - at >= 998);
    holds("clock", static_cast<double>(clock()) / CLOCKS_PER_SEC - cpu >= 999);
}

/// Times that the program has computed from its clocks: without their translation each of these waits for 1000 s.
void wait_until() {
    const auto later = [](clockid_t id) {
        timespec t{};
        clock_gettime(id, &t);
        t.tv_nsec += 1'000'000;
        if (t.tv_nsec >= kSecond) t.tv_nsec -= kSecond, ++t.tv_sec;
        return t;
    };
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&mutex);
    auto t = later(CLOCK_REALTIME);
    holds("cond_timedwait", pthread_cond_timedwait(&condition, &mutex, &t) == ETIMEDOUT);
    t = later(CLOCK_MONOTONIC);
    holds("cond_clockwait", pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &t) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    t = later(CLOCK_REALTIME);
    holds("sem_timedwait", sem_timedwait(&semaphore, &t) == -1);
    t = later(CLOCK_MONOTONIC);
    holds("nanosleep", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == 0);
    std::mutex own;
    std::unique_lock lock(own);
    std::condition_variable changed;
    holds("wait_until", changed.wait_until(lock, Steady::now() + 1ms) == std::cv_status::timeout);
    std::promise<int> promise;
    auto future = promise.get_future();
    holds("future", future.wait_until(Steady::now() + 1ms) == std::future_status::timeout);
    std::this_thread::sleep_until(std::chrono::system_clock::now() + 1ms);
    holds("sleep_until", true);
}

/// Our own threads and code.
void ours() {
    const double before = seconds(CLOCK_MONOTONIC);
    functions->enter();
    holds("in a call the system's", seconds(CLOCK_MONOTONIC) < before - 900);
    double of_thread = 0, of_function = 0;
    std::thread([&] {
        of_thread = seconds(CLOCK_MONOTONIC);
        functions->program(true);
        of_function = seconds(CLOCK_MONOTONIC);
        functions->program(false);
    }).join();
    holds("in a thread of ours too", of_thread < before - 900);
    holds("in a function of the program's there its own", of_function >= before);
    functions->leave(1000 * kSecond, false);
    holds("never back", seconds(CLOCK_MONOTONIC) >= of_function);
}

/// While another thread waits for the device, a loop over the clock comes to its end.
void loops() {
    std::atomic<bool> inside{false}, over{false};
    std::thread other([&] {
        functions->enter();
        inside = true;
        while (!over) std::this_thread::yield();
        functions->leave(1000 * kSecond, false);
    });
    while (!inside) std::this_thread::yield();
    const double until = seconds(CLOCK_MONOTONIC) + 0.1;
    while (seconds(CLOCK_MONOTONIC) < until) {
    }
    over = true;
    other.join();
    holds("a loop ends", true);
}

void own_time() {
    (void)functions->take_own();
    const auto before = Steady::now();
    std::this_thread::sleep_for(2ms);
    const auto passed = Steady::now() - before;
    call(1000);
    holds("its own time is told", functions->take_own() >= passed.count());
}

void child() {
    functions->enter();
    const pid_t made = fork();
    if (made == 0) {
        functions->leave(1000 * kSecond, false);
        const double before = seconds(CLOCK_MONOTONIC);
        std::this_thread::sleep_for(2ms);
        _exit(seconds(CLOCK_MONOTONIC) - before >= 0.001 ? 0 : 1);
    }
    functions->leave(1000 * kSecond, false);
    int status = 1;
    waitpid(made, &status, 0);
    holds("a child's clock goes on", status == 0);
}

}  // namespace

int main(int argc, char** argv) {
    auto* const give =
        reinterpret_cast<warpwright::GiveHostClock*>(dlsym(RTLD_DEFAULT, warpwright::kHostClockFunctions));
    if (!give) return std::puts("the library is not loaded"), 1;
    functions = give();
    if (argc > 1 && std::strcmp(argv[1], "set") == 0) {
        functions->start();
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        // A clock that nobody can set.
        clock_settime(CLOCK_MONOTONIC, &now);
        clock_settime(CLOCK_MONOTONIC, &now);
        return 0;
    }
    const double before = seconds(CLOCK_MONOTONIC);
    functions->start();
    holds("starts where the system's is", seconds(CLOCK_MONOTONIC) >= before);
    read_all();
    wait_until();
    ours();
    loops();
    own_time();
    child();
    return 0;
}
