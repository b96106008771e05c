#include "compile/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "compile/failure.hpp"
#include "support/address_sanitizer.hpp"

extern char** environ;

namespace warpwright::compile {
namespace {

struct Pipe {
    int read = -1, write = -1;
    bool open() {
        int fds[2];
        if (::pipe2(fds, O_CLOEXEC) != 0) return false;
        read = fds[0];
        write = fds[1];
        return true;
    }
    static void shut(int& fd) {
        if (fd >= 0) ::close(fd);
        fd = -1;
    }
    ~Pipe() {
        shut(read);
        shut(write);
    }
};

using Clock = std::chrono::steady_clock;

/// The time at which a program that may run for `seconds` is to be killed.
Clock::time_point deadline_after(double seconds) {
    // A century stands for ever: the sum with the clock does not overflow.
    const double most = 3e9;
    if (!(seconds > 0) || seconds > most) seconds = most;
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Milliseconds that poll() may wait, rounded up.
int left_until(Clock::time_point deadline) {
    const auto left = std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
    return left <= 0 ? 0 : left >= INT_MAX ? INT_MAX : static_cast<int>(std::ceil(left));
}

/// Reads the available bytes of one pipe, keeping `most` bytes in total; closes it at its end.
void take(Pipe& pipe, std::string& to, std::size_t most) {
    char buffer[1 << 16];
    const ssize_t n = ::read(pipe.read, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) return;
    if (n <= 0)
        Pipe::shut(pipe.read);
    else if (to.size() < most)
        to.append(buffer, std::min(static_cast<std::size_t>(n), most - to.size()));
}

/// Reads both pipes to their ends, because one that fills while we wait for the other would hang the child. False when
/// the time limit came first.
bool drain(Pipe& a, std::string& to_a, Pipe& b, std::string& to_b, std::size_t most, Clock::time_point deadline) {
    while (a.read >= 0 || b.read >= 0) {
        pollfd fds[2] = {{a.read, POLLIN, 0}, {b.read, POLLIN, 0}};
        const int left = left_until(deadline);
        if (left == 0) return false;
        if (::poll(fds, 2, left) < 0) {
            if (errno == EINTR) continue;
            return true;
        }
        for (int i = 0; i < 2; ++i) {
            Pipe& pipe = i == 0 ? a : b;
            if (pipe.read >= 0 && fds[i].revents != 0) take(pipe, i == 0 ? to_a : to_b, most);
        }
    }
    return true;
}

/// Limits that the operating system enforces. They are set right after the start: the program can do little
/// before.
void limit(pid_t pid, const ProcessSettings& settings) {
    const auto set = [&](__rlimit_resource what, std::size_t value) {
        const rlimit both{value, value};
        if (value != 0) ::prlimit(pid, what, &both, nullptr);
    };
    set(RLIMIT_FSIZE, settings.file_bytes);
    if (!kAddressSanitizer) set(RLIMIT_AS, settings.memory_bytes);
}

std::vector<char*> environment_without(const std::vector<std::string>& names) {
    std::vector<char*> environment;
    for (char** variable = environ; *variable; ++variable) {
        bool keep = true;
        for (const std::string& name : names) keep = keep && !std::string_view(*variable).starts_with(name + "=");
        if (keep) environment.push_back(*variable);
    }
    environment.push_back(nullptr);
    return environment;
}

/// Waits for the child's end, which is near: its outputs are closed, or it was killed. True when it had to be killed.
Result<bool> wait_for(pid_t pid, int& status, const std::string& name, bool kill, Clock::time_point deadline) {
    for (bool killed = false;;) {
        if (kill && !killed) {
            // A confined process may not send signals by number: what it started ends with it.
            if (::kill(pid, SIGKILL) != 0 && errno != ESRCH)
                return failure(ErrorKind::limit, fmt::format("{} takes longer than it may", name));
            killed = true;
        }
        // A program may close its outputs and continue: only then is there something to wait for.
        const pid_t ended = ::waitpid(pid, &status, killed ? 0 : WNOHANG);
        if (ended == pid) return killed;
        if (ended < 0 && errno != EINTR)
            return failure(ErrorKind::internal, fmt::format("lost {}: {}", name, std::strerror(errno)));
        if (ended == 0) {
            ::poll(nullptr, 0, std::min(left_until(deadline), 1));
            kill = Clock::now() >= deadline;
        }
    }
}

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& arguments, const ProcessSettings& settings) {
    Pipe out, err;
    if (!out.open() || !err.open())
        return failure(ErrorKind::internal, fmt::format("no pipe for {}: {}", arguments[0], std::strerror(errno)));

    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    auto environment = environment_without(settings.without);

    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out.write, 1);
    ::posix_spawn_file_actions_adddup2(&actions, err.write, 2);
    pid_t pid = 0;
    const auto deadline = deadline_after(settings.seconds);
    const int failed = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environment.data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return failure(ErrorKind::no_device, fmt::format("cannot run {}: {}", arguments[0], std::strerror(failed)));
    limit(pid, settings);
    Pipe::shut(out.write);
    Pipe::shut(err.write);

    ProcessResult result;
    const bool ended = drain(out, result.output, err, result.errors, settings.output_bytes, deadline);
    int status = 0;
    auto killed = wait_for(pid, status, arguments[0], !ended, deadline);
    if (!killed) return killed.error();
    result.timed_out = *killed;
    if (WIFSIGNALED(status))
        result.signal = WTERMSIG(status);
    else
        result.exit_code = WEXITSTATUS(status);
    return result;
}

}  // namespace warpwright::compile
