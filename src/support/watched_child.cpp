// The watcher is a copy of this process, made by fork(): it allocates memory only once nobody is left to serve.
#include "support/watched_child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "host/processes.hpp"
#include "support/early_end.hpp"
#include "support/start_process.hpp"

namespace warpwright {
namespace {

/// What the watcher tells: that the program could not be started, and why; or how it ended.
struct Told {
    int error = 0, status = 0;
};

void signal_descendants(int signal) {
    const auto parent_of = host::parents();
    std::vector<pid_t> of{::getpid()};
    for (std::size_t k = 0; k < of.size(); ++k)
        for (const auto& [pid, parent] : parent_of)
            if (parent == of[k] && std::find(of.begin(), of.end(), pid) == of.end()) of.push_back(pid);
    for (std::size_t k = 1; k < of.size(); ++k) (void)::kill(of[k], signal);
}

/// Waits for up to so many milliseconds. True when there is no child any more.
bool all_gone(int milliseconds) {
    constexpr int kEach = 10;
    for (int waited = 0; waited <= milliseconds; waited += kEach) {
        pid_t ended = 0;
        while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) continue;
        if (ended < 0 && errno == ECHILD) return true;
        ::poll(nullptr, 0, kEach);
    }
    return false;
}

void end_descendants(int first) {
    constexpr int kGrace = 1000, kAgain = 50, kTurns = 20;
    signal_descendants(first);
    if (all_gone(kGrace)) return;
    // What is started meanwhile is met in the next turn.
    for (int turn = 0; turn < kTurns; ++turn) {
        signal_descendants(SIGKILL);
        if (all_gone(kAgain)) return;
    }
}

/// Of all descriptors only these two are kept: whoever reads what the program writes waits for its end, not for ours.
void keep_only(int& alive, int& told) {
    constexpr int kAlive = 3, kTold = 4, kSpare = 5;
    told = ::fcntl(told, F_DUPFD_CLOEXEC, kSpare);
    alive = ::dup2(alive, kAlive);
    told = ::dup2(told, kTold);
    host::close_from(kSpare);
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int stream = 0; stream < kAlive; ++stream) ::dup2(nowhere, stream);
    ::close(nowhere);
}

void tell(int to, const Told& told) {
    while (::write(to, &told, sizeof told) < 0 && errno == EINTR) continue;
}

/// Hears of children that have ended. True when the program is among them.
bool has_ended(pid_t program, int& status) {
    // Where the ends of children are ignored (SIGCHLD), how one ended that was over at once is not known: a failure.
    constexpr int kUnknown = 255 << 8;
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, &status, WNOHANG)) > 0)
        if (ended == program) return true;
    if (ended == 0 || errno != ECHILD) return false;
    status = kUnknown;
    return true;
}

/// The watcher: to the program's end, or that of the process which runs it.
[[noreturn]] void watch(const Start& start, int alive, int told) {
    host::adopt_orphans();
    const auto started = start_process(start);
    if (!started) {
        tell(told, {started.error().kind == ErrorKind::no_device ? errno : EINVAL, 0});
        ::_exit(1);
    }
    const pid_t program = *started;
    ::signal(SIGCHLD, SIG_DFL);
    for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
    keep_only(alive, told);
    tell(told, {});
    const int ends = host::end_of(program);
    constexpr int kLook = 20;
    pollfd fds[] = {{alive, POLLIN, 0}, {ends, POLLIN, 0}};
    do {
        (void)::poll(fds, ends < 0 ? 1 : 2, ends < 0 ? kLook : -1);
        int status = 0;
        if (!has_ended(program, status)) continue;
        tell(told, {0, status});
        ::_exit(0);
    } while (fds[0].revents == 0);
    end_descendants(start.end_signal);
    ::_exit(1);
}

/// False where the watcher is gone without a word.
bool hear(int from, Told& told) {
    ssize_t n = 0;
    while ((n = ::read(from, &told, sizeof told)) < 0 && errno == EINTR) continue;
    return n == static_cast<ssize_t>(sizeof told);
}

}  // namespace

Result<int> run_watched(const Start& start, const std::function<void()>& started) {
    Pipe alive, told;
    if (!alive.open() || !told.open())
        return Error{ErrorKind::internal, std::string("no pipe: ") + std::strerror(errno), {}, ""};
    const pid_t watcher = ::fork();
    if (watcher < 0) return Error{ErrorKind::internal, std::string("no new process: ") + std::strerror(errno), {}, ""};
    if (watcher == 0) {
        early_end::forget();
        Pipe::shut(alive.write);
        Pipe::shut(told.read);
        watch(start, alive.read, told.write);
    }
    Pipe::shut(alive.read);
    Pipe::shut(told.write);
    Told first, last;
    const bool heard = hear(told.read, first);
    if (heard && first.error == 0 && started) started();
    const bool ended = heard && first.error == 0 && hear(told.read, last);
    while (::waitpid(watcher, nullptr, 0) < 0 && errno == EINTR) continue;
    if (heard && first.error) return Error{ErrorKind::no_device, std::strerror(first.error), {}, ""};
    return ended ? last.status : SIGKILL;  // somebody has killed the watcher, at whose end the program gets a signal
}

}  // namespace warpwright
