// The child keeps the terminal and stays in this process group, so that interactive programs work, and this process
// ignores the terminal's signals meanwhile. An end by a signal becomes an exit code as in a shell.
#include "cli/commands/program_run.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "support/watched_child.hpp"

namespace warpwright::cli {

Result<Ended> run_program(const std::vector<std::string>& words, const std::map<std::string, std::string>& environment,
                          bool same_addresses, bool silent) {
    std::map<std::string, std::string> all;
    for (char** e = environ; *e; ++e)
        if (const char* equals = std::strchr(*e, '='))
            all[std::string(static_cast<const char*>(*e), equals)] = equals + 1;
    for (const auto& [name, value] : environment) {
        auto& now = all[name];
        // What the user wants loaded first is loaded after ours.
        now = name == "LD_PRELOAD" && !now.empty() ? value + ":" + now : value;
    }
    Start start;
    start.words = words;
    for (const auto& [name, value] : all) start.environment.push_back(name + "=" + value);
    // It has the terminal, and so stays in our group. One whose runner was killed would go on for nobody.
    start.group = false;
    start.end_signal = SIGTERM;
    start.same_addresses = same_addresses;
    const int nowhere = silent ? ::open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
    if (silent && nowhere < 0) return Error{ErrorKind::internal, "/dev/null cannot be opened", {}, ""};
    start.input = start.output = start.errors = nowhere;
    // The terminal's signals are the program's; we wait and report.
    struct sigaction ignore{}, interrupt{}, quit{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, nullptr, &interrupt);
    ::sigaction(SIGQUIT, nullptr, &quit);
    const auto status = run_watched(start, [&] {
        ::sigaction(SIGINT, &ignore, nullptr);
        ::sigaction(SIGQUIT, &ignore, nullptr);
    });
    if (silent) ::close(nowhere);
    ::sigaction(SIGINT, &interrupt, nullptr);
    ::sigaction(SIGQUIT, &quit, nullptr);
    if (!status) return Error{ErrorKind::input, "'" + words[0] + "' cannot be run: " + status.error().what, {}, ""};
    Ended ended;
    if (WIFSIGNALED(*status))
        ended.signal = WTERMSIG(*status), ended.code = 128 + ended.signal;
    else
        ended.code = WEXITSTATUS(*status);
    return ended;
}

}  // namespace warpwright::cli
