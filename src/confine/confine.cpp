// The child is forked, limits itself before it runs the work, and writes to pipes that the parent reads with a bound.
// Its environment is reduced first, and files come back by copies that follow no link.
#include "confine/confine.hpp"

#include <fcntl.h>
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
#include "support/child_process.hpp"
#include "support/read_file.hpp"
#include "support/settings.hpp"
#include "support/source_files.hpp"
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
    if (auto ok = landlock(bounds.read, bounds.hidden, bounds.programs, own); !ok) return ok;
    if (auto ok = refuse_outside_calls(); !ok) return ok;
    is_confined = true;
    return bounds.programs.empty() ? refuse_new_processes() : Result<void>{};
}

/// The child's part. `to`: its two outputs, and where an error of the confinement itself goes.
int inside(const Bounds& bounds, const std::string& own, const int (&to)[3], const std::function<int()>& work) {
    // Three files are left: the two outputs and the pipe for an error. The number is above all of them.
    constexpr int kError = 3, kFree = 30;
    bool fine =
        ::dup2(to[2], kFree) >= 0 && ::dup2(to[0], 1) >= 0 && ::dup2(to[1], 2) >= 0 && ::dup2(kFree, kError) >= 0;
    ::closefrom(kError + 1);
    auto entered = fine ? enter(bounds, own) : Result<void>(cannot("pipes"));
    if (!entered) {
        const std::string text = entered.error().what;
        (void)!::write(kError, text.data(), text.size());
        std::_Exit(kNotConfined);
    }
    ::close(kError);
    return work();
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

std::string too_long(const Bounds& bounds) {
    return "it took longer than " + std::to_string(static_cast<long>(bounds.seconds)) + " s";
}

/// A child may close its outputs, or lead them elsewhere, and go on: the same limits hold until it ends. Which of them
/// it passed; empty: it has ended, as `status` tells.
std::string watch(Child& child, int& status, const Bounds& bounds, const DiskWatch& disk,
                  std::chrono::steady_clock::time_point deadline) {
    constexpr auto kLook = std::chrono::milliseconds(200);
    for (;;) {
        const auto now = std::chrono::steady_clock::now();
        if (child.wait_until(std::min(deadline, now + kLook), status)) return "";
        if (now >= deadline) return too_long(bounds);
        if (std::string passed = disk.passed(); !passed.empty()) return passed;
    }
}

/// Passes on what the child writes until its ends are closed. Which limit it passed; empty: none.
std::string pass_on(Pipe (&pipes)[3], std::string& reason, const Bounds& bounds, const DiskWatch& disk,
                    std::chrono::steady_clock::time_point deadline) {
    std::uint64_t written = 0;
    std::string limit;
    // What a stranger's kernel prints controls no terminal.
    PrintableStream texts[2];
    const auto to = [&](int which) {
        return [&, which, stream = which + 1](std::string_view piece) {
            written += piece.size();
            const std::string text = texts[which].next(piece);
            std::string_view bytes = text;
            if (written > bounds.output_bytes) {
                limit = "it wrote more than " + std::to_string(bounds.output_bytes >> 20) + " MiB";
                return false;
            }
            while (!bytes.empty()) {
                const ssize_t m = ::write(stream, bytes.data(), bytes.size());
                if (m < 0 && errno == EINTR) continue;
                if (m <= 0) {
                    limit = "its output cannot be written";
                    return false;
                }
                bytes.remove_prefix(static_cast<std::size_t>(m));
            }
            return true;
        };
    };
    const auto keep = [&](std::string_view bytes) {
        reason += bytes;
        return reason.size() <= bounds.output_bytes;
    };
    Output outputs[3] = {{&pipes[0], to(0)}, {&pipes[1], to(1)}, {&pipes[2], keep}};
    const auto look = [&] { return (limit = disk.passed()).empty(); };
    switch (pump(outputs, deadline, look)) {
        case PumpEnd::closed:
            for (int which : {0, 1})
                if (const std::string rest = texts[which].rest(); !rest.empty())
                    (void)!::write(which + 1, rest.data(), rest.size());
            return "";
        case PumpEnd::late:
            return too_long(bounds);
        case PumpEnd::refused:
            return limit;
        case PumpEnd::broken:
            break;
    }
    return "poll failed";
}

}  // namespace

bool confined() { return is_confined; }

Result<void> no_more_programs() { return is_confined ? refuse_new_processes() : Result<void>{}; }

Result<void> no_more_processes() { return is_confined ? refuse_new_processes(true) : Result<void>{}; }

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
    Pipe pipes[3];
    for (Pipe& pipe : pipes)
        if (!pipe.open()) return cannot("no pipe");
    std::fflush(nullptr);
    auto child =
        Child::copy([&] { return inside(bounds, own.path(), {pipes[0].write, pipes[1].write, pipes[2].write}, work); });
    if (!child) return std::move(child).error();
    for (Pipe& pipe : pipes) Pipe::shut(pipe.write);
    std::string reason;
    const DiskWatch disk(own.path(), bounds.disk_bytes);
    const auto deadline = deadline_after(bounds.seconds);
    std::string limit = pass_on(pipes, reason, bounds, disk, deadline);
    for (Pipe& pipe : pipes) Pipe::shut(pipe.read);
    int status = 0;
    if (limit.empty()) limit = watch(*child, status, bounds, disk, deadline);
    if (!limit.empty()) {
        (void)child->kill();
        status = child->wait();
    }
    if (!limit.empty()) return passed(limit);
    if (!reason.empty()) return Error{ErrorKind::no_device, reason, Location{}, ""};
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        return passed("it used more than " + std::to_string(bounds.processor_seconds) + " s of processor time");
    if (WIFSIGNALED(status)) return passed("signal " + std::to_string(WTERMSIG(status)) + ", or it ran out of memory");
    const int code = WEXITSTATUS(status);
    for (const Kept& kept : bounds.kept)
        if (code == 0 || kept.always)
            if (auto ok = copy_out(kept, own.path(), bounds.file_bytes); !ok) return std::move(ok).error();
    return code;
}

}  // namespace warpwright::confine
