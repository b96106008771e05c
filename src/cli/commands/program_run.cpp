#include "cli/commands/program_run.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace warpwright::cli {

Result<Ended> run_program(const std::vector<std::string>& words, const std::map<std::string, std::string>& environment,
                          bool same_addresses) {
    std::vector<char*> argv;
    for (const auto& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    std::map<std::string, std::string> all;
    for (char** e = environ; *e; ++e)
        if (const char* equals = std::strchr(*e, '='))
            all[std::string(static_cast<const char*>(*e), equals)] = equals + 1;
    for (const auto& [name, value] : environment) {
        auto& now = all[name];
        // What the user wants loaded first is loaded after ours.
        now = name == "LD_PRELOAD" && !now.empty() ? value + ":" + now : value;
    }
    std::vector<std::string> lines;
    for (const auto& [name, value] : all) lines.push_back(name + "=" + value);
    std::vector<char*> env;
    for (auto& l : lines) env.push_back(l.data());
    env.push_back(nullptr);

    // Through this pipe the child tells why it could not start; it closes by itself when the program does.
    int told[2];
    if (::pipe2(told, O_CLOEXEC) != 0)
        return Error{ErrorKind::internal, std::string("no pipe: ") + std::strerror(errno), {}, ""};
    const pid_t self = ::getpid();
    const pid_t child = ::fork();
    if (child < 0)
        return Error{ErrorKind::internal, std::string("cannot start a process: ") + std::strerror(errno), {}, ""};
    if (child == 0) {
        // A program whose runner was killed would go on for nobody.
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (::getppid() != self) ::_exit(128 + SIGTERM);
        if (same_addresses) ::personality(ADDR_NO_RANDOMIZE);
        ::execvpe(argv[0], argv.data(), env.data());
        const int why = errno;
        [[maybe_unused]] auto n = ::write(told[1], &why, sizeof why);
        ::_exit(127);
    }
    ::close(told[1]);
    int why = 0;
    const bool failed = ::read(told[0], &why, sizeof why) == static_cast<ssize_t>(sizeof why);
    ::close(told[0]);
    // The terminal's signals are the program's; we wait and report.
    struct sigaction ignore{}, interrupt{}, quit{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &interrupt);
    ::sigaction(SIGQUIT, &ignore, &quit);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    ::sigaction(SIGINT, &interrupt, nullptr);
    ::sigaction(SIGQUIT, &quit, nullptr);
    if (failed) return Error{ErrorKind::input, "'" + words[0] + "' cannot be run: " + std::strerror(why), {}, ""};
    Ended ended;
    if (WIFSIGNALED(status))
        ended.signal = WTERMSIG(status), ended.code = 128 + ended.signal;
    else
        ended.code = WEXITSTATUS(status);
    return ended;
}

}  // namespace warpwright::cli
