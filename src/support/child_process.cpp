// Between vfork and exec the child shares the memory of the parent, so it only makes system calls there. Every child is
// entered in the list of those that an early end of this process must end.
#include "support/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "host/processes.hpp"
#include "support/address_sanitizer.hpp"
#include "support/start_process.hpp"

extern char** environ;

namespace warpwright {
namespace {

using Clock = std::chrono::steady_clock;

Error no_start(int error) { return Error{ErrorKind::no_device, std::strerror(error), {}, ""}; }

/// A descriptor above those of the standard streams, which the child's are copied to.
int above_streams(int fd) {
    if (fd > STDERR_FILENO || fd < 0) return fd;
    const int higher = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(fd);
    return higher;
}

void limit(decltype(RLIMIT_CPU) what, std::uint64_t value, std::uint64_t grace = 0) {
    rlimit old{};
    if (value == 0 || ::getrlimit(what, &old) != 0) return;
    const rlimit fresh{std::min<rlim_t>(value, old.rlim_max), std::min<rlim_t>(value + grace, old.rlim_max)};
    (void)::setrlimit(what, &fresh);
}

/// What the child does before it is another program; it returns only where that fails. It shares the parent's memory,
/// so it allocates nothing.
[[gnu::noinline]] void become(const Start& start, char* const* words, char* const* environment, const sigset_t& mask) {
    host::end_with_parent(start.end_signal);
    if (start.group) (void)::setpgid(0, 0);
    // The parent's handlers are functions of the parent.
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action{};
        if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL)
            continue;
        action = {};
        action.sa_handler = SIG_DFL;
        (void)::sigaction(signal, &action, nullptr);
    }
    limit(RLIMIT_FSIZE, start.file_bytes);
    if (!kAddressSanitizer) limit(RLIMIT_AS, start.memory_bytes);
    limit(RLIMIT_CPU, start.processor_seconds, 5);
    if (start.same_addresses) host::fix_addresses();
    const int streams[] = {start.input, start.output, start.errors};
    for (int to = 0; to < 3; ++to)
        if (streams[to] >= 0 && ::dup2(streams[to], to) < 0) return;
    (void)::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    host::become(words[0], words, environment);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
}

/// Milliseconds that poll() may wait, rounded up.
int left_until(Clock::time_point deadline) {
    const auto left = std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
    return left <= 0 ? 0 : left >= INT_MAX ? INT_MAX : static_cast<int>(std::ceil(left));
}

/// Passes on the available bytes of an output; closes it at its end. False where its taker refuses them.
bool take(Output& output) {
    char buffer[1 << 16];
    const ssize_t n = ::read(output.from->read, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) return true;
    if (n <= 0) {
        Pipe::shut(output.from->read);
        return true;
    }
    return output.take(std::string_view(buffer, static_cast<std::size_t>(n)));
}

}  // namespace

void become(const Start& start) {
    sigset_t mask;
    (void)::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    become(start, pointers(start.words).data(), pointers(start.environment).data(), mask);
}

bool Pipe::open() {
    int fds[2];
    if (!host::open_pipe(fds)) return false;
    read = above_streams(fds[0]);
    write = above_streams(fds[1]);
    return read >= 0 && write >= 0;
}

void Pipe::shut(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
}

Pipe::~Pipe() {
    shut(read);
    shut(write);
}

Child::Child(pid_t pid, bool group, int end_signal)
    : pid_(pid), group_(group), place_(early_end::add_child(pid, group, end_signal)) {}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), group_(other.group_), place_(std::exchange(other.place_, early_end::none)) {}

Child::~Child() {
    if (pid_ < 0) return;
    if (kill()) (void)wait();
}

Result<pid_t> start_process(const Start& start) {
    const auto words = pointers(start.words), environment = pointers(start.environment);
    sigset_t all, mask;
    ::sigfillset(&all);
    (void)::pthread_sigmask(SIG_SETMASK, &all, &mask);
    volatile int failed = 0;
    // The child uses our memory until it is another program, and we wait for that: nothing is copied, and it says in a
    // variable why it failed.
    const pid_t pid = ::vfork();
    if (pid == 0) {
        become(start, words.data(), environment.data(), mask);
        failed = errno;
        ::_exit(127);
    }
    const int error = errno;
    (void)::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    if (pid < 0) return no_start(errno = error);
    if (failed == 0) return pid;
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
    return no_start(errno = failed);
}

Result<Child> Child::start(const Start& start) {
    auto pid = start_process(start);
    if (!pid) return std::move(pid).error();
    return Child(*pid, start.group, start.end_signal);
}

Result<Child> Child::copy(const std::function<int()>& work) {
    const pid_t parent = ::getpid(), pid = ::fork();
    if (pid < 0) return Error{ErrorKind::internal, std::string("no new process: ") + std::strerror(errno), {}, ""};
    if (pid > 0) {
        (void)::setpgid(pid, pid);  // whichever of the two comes first
        return Child(pid, true, SIGKILL);
    }
    early_end::forget();
    host::end_with_parent(SIGKILL);
    if (::getppid() != parent) std::_Exit(128 + SIGKILL);
    (void)::setpgid(0, 0);
    const int code = work();
    std::fflush(nullptr);
    std::_Exit(code);
}

bool Child::reap(int& status, bool now) {
    // Its number is another process's once it is gone, so it leaves the list before.
    siginfo_t info{};
    int failed = 0;
    while ((failed = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | (now ? WNOHANG : 0))) != 0)
        if (errno != EINTR) break;
    if (failed == 0 && now && info.si_pid == 0) return false;
    early_end::remove_child(std::exchange(place_, early_end::none));
    if (group_) (void)::kill(-pid_, SIGKILL);  // what it started and left
    // A program that ignores the ends of its children (SIGCHLD) never hears how they ended: that counts as a failure.
    constexpr int kUnknown = 255 << 8;
    pid_t ended = 0;
    while ((ended = ::waitpid(pid_, &status, 0)) < 0 && errno == EINTR) continue;
    if (ended < 0) status = kUnknown;
    pid_ = -1;
    return true;
}

int Child::wait() {
    int status = 0;
    (void)reap(status, false);
    return status;
}

bool Child::wait_until(Clock::time_point deadline, int& status) {
    while (!reap(status, true)) {
        if (Clock::now() >= deadline) return false;
        ::poll(nullptr, 0, std::clamp(left_until(deadline), 0, 1));
    }
    return true;
}

bool Child::kill() const {
    if (group_ && ::kill(-pid_, SIGKILL) == 0) return true;
    return ::kill(pid_, SIGKILL) == 0 || errno == ESRCH;
}

PumpEnd pump(std::span<Output> outputs, Clock::time_point deadline, const std::function<bool()>& look) {
    constexpr int kLook = 200;  // milliseconds between two looks
    auto looked = Clock::now();
    std::vector<pollfd> fds(outputs.size());
    while (true) {
        bool any = false;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            fds[i] = {outputs[i].from->read, POLLIN, 0};
            any |= outputs[i].from->read >= 0;
        }
        if (!any) return PumpEnd::closed;
        const int left = left_until(deadline);
        if (left == 0) return PumpEnd::late;
        if (::poll(fds.data(), fds.size(), look ? std::min(left, kLook) : left) < 0) {
            if (errno == EINTR) continue;
            return PumpEnd::broken;
        }
        if (look && Clock::now() - looked > std::chrono::milliseconds(kLook)) {
            if (!look()) return PumpEnd::refused;
            looked = Clock::now();
        }
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (outputs[i].from->read >= 0 && fds[i].revents != 0 && !take(outputs[i])) return PumpEnd::refused;
    }
}

Clock::time_point deadline_after(double seconds) {
    // A century stands for ever: the sum with the clock does not overflow.
    const double most = 3e9;
    if (!(seconds > 0) || seconds > most) seconds = most;
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

Result<ProcessResult> run_to_end(const std::vector<std::string>& words, const ProcessSettings& settings) {
    Pipe out, err;
    const int null = above_streams(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Pipe input;  // closes it
    input.read = null;
    if (null < 0 || !out.open() || !err.open())
        return Error{ErrorKind::internal, fmt::format("no pipe for {}: {}", words[0], std::strerror(errno)), {}, ""};
    Start start;
    start.words = words;
    for (char** variable = environ; *variable; ++variable) {
        const std::string_view text = *variable;
        const auto is_without = [&](const std::string& name) { return text.starts_with(name + "="); };
        const auto is_set = [&](const std::string& set) { return text.starts_with(set.substr(0, set.find('=') + 1)); };
        if (std::none_of(settings.without.begin(), settings.without.end(), is_without) &&
            std::none_of(settings.with.begin(), settings.with.end(), is_set))
            start.environment.emplace_back(text);
    }
    start.environment.insert(start.environment.end(), settings.with.begin(), settings.with.end());
    start.input = null, start.output = out.write, start.errors = err.write;
    start.file_bytes = settings.file_bytes, start.memory_bytes = settings.memory_bytes;
    // By the clock it is ended here. Where nobody is left to do so, the system ends it some time later.
    if (settings.seconds > 0 && settings.seconds < 1e6)
        start.processor_seconds = static_cast<std::uint64_t>(2 * settings.seconds) + 10;
    if (settings.processor_seconds > 0 && settings.processor_seconds < 1e6)
        start.processor_seconds = static_cast<std::uint64_t>(std::ceil(settings.processor_seconds));
    const auto deadline = deadline_after(settings.seconds);
    auto child = Child::start(start);
    if (!child)
        return Error{child.error().kind, fmt::format("cannot run {}: {}", words[0], child.error().what), {}, ""};
    Pipe::shut(out.write);
    Pipe::shut(err.write);

    ProcessResult result;
    const auto keep = [&](std::string& to) {
        return [&to, most = settings.output_bytes](std::string_view bytes) {
            if (to.size() < most) to.append(bytes.substr(0, most - to.size()));
            return true;
        };
    };
    Output outputs[] = {{&out, keep(result.output)}, {&err, keep(result.errors)}};
    int status = 0;
    // A program may close its outputs and go on.
    if (pump(outputs, deadline) == PumpEnd::late || !child->wait_until(deadline, status)) {
        if (!child->kill())
            return Error{ErrorKind::limit, fmt::format("{} takes longer than it may", words[0]), {}, ""};
        status = child->wait();
        result.timed_out = true;
    }
    if (WIFSIGNALED(status))
        result.signal = WTERMSIG(status);
    else
        result.exit_code = WEXITSTATUS(status);
    result.timed_out |= result.signal == SIGXCPU;
    return result;
}

}  // namespace warpwright
