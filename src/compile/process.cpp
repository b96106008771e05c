#include "compile/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "compile/kernel/failure.hpp"

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

/// Reads both pipes to their ends; one that fills while we wait for the other would hang the child.
void drain(Pipe& a, std::string& to_a, Pipe& b, std::string& to_b) {
    char buffer[1 << 16];
    while (a.read >= 0 || b.read >= 0) {
        pollfd fds[2] = {{a.read, POLLIN, 0}, {b.read, POLLIN, 0}};
        if (::poll(fds, 2, -1) < 0) {
            if (errno == EINTR) continue;
            return;
        }
        for (int i = 0; i < 2; ++i) {
            Pipe& pipe = i == 0 ? a : b;
            if (pipe.read < 0 || fds[i].revents == 0) continue;
            ssize_t n = ::read(pipe.read, buffer, sizeof buffer);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0)
                Pipe::shut(pipe.read);
            else
                (i == 0 ? to_a : to_b).append(buffer, static_cast<std::size_t>(n));
        }
    }
}

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& arguments, const std::vector<std::string>& without) {
    Pipe out, err;
    if (!out.open() || !err.open())
        return failure(ErrorKind::internal, fmt::format("no pipe for {}: {}", arguments[0], std::strerror(errno)));

    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> environment;
    for (char** variable = environ; *variable; ++variable) {
        bool keep = true;
        for (const std::string& name : without) keep = keep && !std::string_view(*variable).starts_with(name + "=");
        if (keep) environment.push_back(*variable);
    }
    environment.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out.write, 1);
    ::posix_spawn_file_actions_adddup2(&actions, err.write, 2);
    pid_t pid = 0;
    const int failed = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environment.data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return failure(ErrorKind::no_device, fmt::format("cannot run {}: {}", arguments[0], std::strerror(failed)));
    Pipe::shut(out.write);
    Pipe::shut(err.write);

    ProcessResult result;
    drain(out, result.output, err, result.errors);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return failure(ErrorKind::internal, fmt::format("lost {}: {}", arguments[0], std::strerror(errno)));
    if (WIFSIGNALED(status))
        result.signal = WTERMSIG(status);
    else
        result.exit_code = WEXITSTATUS(status);
    return result;
}

}  // namespace warpwright::compile
