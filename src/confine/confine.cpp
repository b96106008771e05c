#include "confine/confine.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "confine/calls.hpp"
#include "confine/disk.hpp"
#include "confine/landlock.hpp"
#include "support/address_sanitizer.hpp"
#include "support/read_file.hpp"
#include "support/settings.hpp"
#include "support/temporary_folder.hpp"
#include "support/write_file.hpp"

extern char** environ;

namespace warpwright::confine {
namespace {

bool is_confined = false;

/// The child's exit code where it could not be confined; its error is on the third pipe then.
constexpr int kNotConfined = 125;

Error cannot(const std::string& what) {
    return Error{ErrorKind::internal, "cannot confine: " + what + ": " + std::strerror(errno), Location{}, ""};
}

Error passed(const std::string& what) {
    return Error{ErrorKind::limit, "untrusted work was ended: " + what, Location{},
                 "the limits stand in docs/security.md"};
}

/// Variables are kept by name; the values of all others (tokens, agents' sockets) are wiped from the child's memory.
void clear_environment(const std::string& own) {
    std::vector<std::string> kept{"PATH=", "HOME=", "LANG=", "LC_", "TERM=", "COLUMNS=", "NO_COLOR=", "TZ="};
    for (const settings::Info& setting : settings::all()) kept.push_back(std::string(setting.variable) + "=");
    char** to = environ;
    for (char** from = environ; *from; ++from) {
        const std::string_view variable = *from;
        if (std::any_of(kept.begin(), kept.end(), [&](const auto& name) { return variable.starts_with(name); }))
            *to++ = *from;
        else
            ::explicit_bzero(*from, variable.size());
    }
    *to = nullptr;
    for (const Setting one : {Setting::tmpdir, Setting::tmp, Setting::temp, Setting::tempdir})
        settings::choose(one, own);
    // The cache's key is the user's secret, which the child cannot read.
    settings::choose(Setting::cache, "");
}

bool limit(__rlimit_resource what, std::uint64_t value) {
    rlimit old{};
    if (::getrlimit(what, &old) != 0) return false;
    const rlim_t most = std::min<rlim_t>(value, old.rlim_max);
    const rlimit both{most, most};
    return ::setrlimit(what, &both) == 0;
}

Result<void> enter(const Bounds& bounds, const std::string& own) {
    const int null = ::open("/dev/null", O_RDONLY);
    if (null < 0 || ::dup2(null, 0) < 0) return cannot("/dev/null");
    if (null > 2) ::close(null);
    clear_environment(own);
    if (!limit(RLIMIT_AS, kAddressSanitizer ? RLIM_INFINITY : bounds.memory_bytes) ||
        !limit(RLIMIT_FSIZE, bounds.file_bytes) || !limit(RLIMIT_CPU, bounds.processor_seconds) ||
        !limit(RLIMIT_CORE, 0) || !limit(RLIMIT_NOFILE, 1024) || !limit(RLIMIT_MEMLOCK, 0))
        return cannot("a resource limit");
    if (auto ok = landlock(bounds.read, bounds.programs, own); !ok) return ok;
    if (auto ok = refuse_outside_calls(); !ok) return ok;
    is_confined = true;
    return bounds.programs.empty() ? refuse_new_processes() : Result<void>{};
}

[[noreturn]] void child(const Bounds& bounds, const std::string& own, const int (&to)[3],
                        const std::function<int()>& work) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setpgid(0, 0);
    // Three files are left: the two outputs and the pipe for an error of the confinement itself.
    constexpr int kError = 3;
    bool fine = ::dup2(to[2], 30) >= 0 && ::dup2(to[0], 1) >= 0 && ::dup2(to[1], 2) >= 0 && ::dup2(30, kError) >= 0;
    ::closefrom(kError + 1);
    auto entered = fine ? enter(bounds, own) : Result<void>(cannot("pipes"));
    if (!entered) {
        const std::string text = entered.error().what;
        (void)!::write(kError, text.data(), text.size());
        std::_Exit(kNotConfined);
    }
    ::close(kError);
    const int code = work();
    std::fflush(nullptr);
    std::_Exit(code);
}

/// Copies a file out of the child's folder. What is there was made by the child: a link is not followed, a pipe is not
/// waited for.
Result<void> copy_out(const Kept& kept, const std::string& own, std::uint64_t most) {
    const std::string from = own + "/" + kept.name;
    const int file = ::open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return Error{ErrorKind::input, "cannot be made: untrusted work left no such file", Location{kept.to, 0, 0}, ""};
    auto bytes = read_open_file(file, kept.to, most);
    ::close(file);
    if (!bytes) return std::move(bytes).error();
    if (auto ok = write_file(kept.to, *bytes); !ok || !kept.program) return ok;
    struct stat info{};
    if (::stat(kept.to.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
    const mode_t mode = info.st_mode & 0777;
    if (::chmod(kept.to.c_str(), mode | (mode & 0444) >> 2) == 0) return {};
    return Error{ErrorKind::input, std::string("cannot be made a program: ") + std::strerror(errno),
                 Location{kept.to, 0, 0}, ""};
}

using Clock = std::chrono::steady_clock;

struct Stream {
    int from = -1, to = -1;
    std::string* keep = nullptr;  ///< instead of `to`
};

/// Passes on what the child writes until its ends are closed. Which limit it passed; empty: none.
std::string pass_on(Stream (&streams)[3], const Bounds& bounds, const DiskWatch& disk) {
    constexpr long kLook = 200;  // milliseconds between two looks at the disk
    auto looked = Clock::now();
    const auto end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(bounds.seconds));
    std::uint64_t written = 0;
    while (true) {
        pollfd fds[3];
        bool any = false;
        for (int i = 0; i < 3; ++i) fds[i] = {streams[i].from, POLLIN, 0}, any |= streams[i].from >= 0;
        if (!any) return "";
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) return "it took longer than " + std::to_string(static_cast<long>(bounds.seconds)) + " s";
        if (::poll(fds, 3, static_cast<int>(std::min<long>(left, kLook))) < 0 && errno != EINTR) return "poll failed";
        if (Clock::now() - looked > std::chrono::milliseconds(kLook)) {
            if (std::string limit = disk.passed(); !limit.empty()) return limit;
            looked = Clock::now();
        }
        for (int i = 0; i < 3; ++i) {
            if (streams[i].from < 0 || fds[i].revents == 0) continue;
            char buffer[1 << 16];
            const ssize_t n = ::read(streams[i].from, buffer, sizeof buffer);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) {
                ::close(streams[i].from);
                streams[i].from = -1;
                continue;
            }
            written += static_cast<std::uint64_t>(n);
            if (written > bounds.output_bytes)
                return "it wrote more than " + std::to_string(bounds.output_bytes >> 20) + " MiB";
            if (streams[i].keep) {
                streams[i].keep->append(buffer, static_cast<std::size_t>(n));
                continue;
            }
            for (ssize_t done = 0; done < n;) {
                const ssize_t m = ::write(streams[i].to, buffer + done, static_cast<std::size_t>(n - done));
                if (m < 0 && errno == EINTR) continue;
                if (m <= 0) return "its output cannot be written";
                done += m;
            }
        }
    }
}

}  // namespace

bool confined() { return is_confined; }

Result<void> no_more_programs() { return is_confined ? refuse_new_processes() : Result<void>{}; }

Result<void> supported() {
    if (const int version = landlock_version(); version < 3)
        return Error{ErrorKind::no_device,
                     version == 0
                         ? "this system's kernel offers no Landlock"
                         : "this system's kernel has Landlock " + std::to_string(version) + ", version 3 is needed",
                     Location{}, "Linux 6.2 or newer with Landlock among its security modules"};
    if (!filters_supported())
        return Error{ErrorKind::no_device, "this system's kernel takes no seccomp filters", Location{}, ""};
    return {};
}

Result<int> run(const Bounds& bounds, const std::function<int()>& work) {
    if (auto ok = supported(); !ok) return std::move(ok).error();
    const TemporaryFolder own("untrusted");
    if (own.path().empty()) return cannot("no temporary folder");
    int out[2], err[2], why[2];
    for (auto* pipe : {out, err, why})
        if (::pipe2(pipe, O_CLOEXEC) != 0) return cannot("no pipe");
    std::fflush(nullptr);
    const pid_t pid = ::fork();
    if (pid < 0) return cannot("no new process");
    if (pid == 0) child(bounds, own.path(), {out[1], err[1], why[1]}, work);
    for (const int end : {out[1], err[1], why[1]}) ::close(end);
    std::string reason;
    Stream streams[3] = {{out[0], 1, nullptr}, {err[0], 2, nullptr}, {why[0], -1, &reason}};
    const std::string limit = pass_on(streams, bounds, DiskWatch(own.path(), bounds.disk_bytes));
    for (const Stream& stream : streams)
        if (stream.from >= 0) ::close(stream.from);
    if (!limit.empty()) ::kill(-pid, SIGKILL), ::kill(pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    ::kill(-pid, SIGKILL);  // whatever it started and left
    if (!limit.empty()) return passed(limit);
    if (!reason.empty()) return Error{ErrorKind::no_device, reason, Location{}, ""};
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        return passed("it used more than " + std::to_string(bounds.processor_seconds) + " s of processor time");
    if (WIFSIGNALED(status)) return passed("signal " + std::to_string(WTERMSIG(status)) + ", or it ran out of memory");
    const int code = WEXITSTATUS(status);
    for (const Kept& kept : bounds.kept)
        if (code == 0)
            if (auto ok = copy_out(kept, own.path(), bounds.file_bytes); !ok) return std::move(ok).error();
    return code;
}

}  // namespace warpwright::confine
