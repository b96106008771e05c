// The one place that starts other processes, limits them, reads what they write, and ends them. A child ends when the
// thread that started it does, however that comes about: the operating system sends it a signal then.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/early_end.hpp"
#include "support/result.hpp"

namespace warpwright {

/// Two ends of a pipe, neither of which a program inherits by itself.
struct Pipe {
    int read = -1, write = -1;
    bool open();
    static void shut(int& fd);
    Pipe() = default;
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe();
};

/// What a program is started with.
struct Start {
    std::vector<std::string> words;            ///< the program, a path or a name in PATH, and its arguments
    std::vector<std::string> environment;      ///< all of it, as NAME=value
    int input = -1, output = -1, errors = -1;  ///< descriptors; -1 = this process's own
    std::uint64_t file_bytes = 0;              ///< the longest file it may write; 0 = any
    std::uint64_t memory_bytes = 0;            ///< of its address space; 0 = any
    std::uint64_t processor_seconds = 0;       ///< 0 = any
    bool group = true;                         ///< it leads a process group, which ends whole
    int end_signal = SIGKILL;                  ///< what it gets when the thread that started it ends
    bool same_addresses = false;               ///< the system draws none of its addresses at random
};

/// A process that was started here, from its start to its end.
class Child {
public:
    /// Starts a program. ErrorKind::no_device with the system's words where it cannot be started.
    static Result<Child> start(const Start& start);
    /// Runs `work` in a copy of this process, as the leader of a group, and ends the copy with its result. Call it
    /// before there are threads.
    static Result<Child> copy(const std::function<int()>& work);

    Child(Child&& other) noexcept;
    Child& operator=(Child&&) = delete;
    Child(const Child&) = delete;
    /// Ends it if it runs still.
    ~Child();

    /// Waits for its end; its status as waitpid() gives it.
    int wait();
    /// The same until a time; false where it runs on.
    bool wait_until(std::chrono::steady_clock::time_point deadline, int& status);
    /// Ends it and its group. False where this process may not: a confined one sends no signals by number, and what it
    /// started ends with it.
    bool kill() const;

private:
    Child(pid_t pid, bool group, int end_signal);
    bool reap(int& status, bool now);

    pid_t pid_ = -1;
    bool group_ = false;
    early_end::Place place_ = early_end::none;
};

/// Puts the program in this process's place, with the settings and limits that a child would have. It comes back only
/// where that fails.
void become(const Start& start);

/// Where an output of a child goes: bytes to `take`, until it answers false.
struct Output {
    Pipe* from = nullptr;
    std::function<bool(std::string_view bytes)> take;
};

enum class PumpEnd {
    closed,   ///< all outputs have ended
    late,     ///< the time was over first
    refused,  ///< `take` or `look` answered false
    broken,   ///< the system could not wait
};

/// Reads all outputs to their ends, since one that fills while we wait for another would hang the child. `look`, if
/// any, is asked several times per second.
PumpEnd pump(std::span<Output> outputs, std::chrono::steady_clock::time_point deadline,
             const std::function<bool()>& look = {});

/// The time in `seconds` from now; for ever where that is no positive number.
std::chrono::steady_clock::time_point deadline_after(double seconds);

/// The settings and limits with which another program runs whose output is collected.
struct ProcessSettings {
    std::vector<std::string> without;                  ///< variables to remove from its environment
    std::vector<std::string> with;                     ///< and to set there: "NAME=value"
    double seconds = 0;                                ///< it is killed after this time; 0 = never
    double processor_seconds = 0;                      ///< the same by its processor time; 0 = by `seconds` alone
    std::size_t output_bytes = std::size_t{64} << 20;  ///< kept of each of its outputs; the rest is read and dropped
    std::size_t file_bytes = 0;                        ///< the longest file it may write; 0 = any
    std::size_t memory_bytes = 0;                      ///< of its address space; 0 = any
};

struct ProcessResult {
    int exit_code = 0;       ///< meaningful when signal == 0
    int signal = 0;          ///< the signal that ended it, or 0
    std::string errors;      ///< its standard error
    std::string output;      ///< its standard output
    bool timed_out = false;  ///< it was killed because its time was over
};

/// Runs `words[0]` (a path, or a name looked up in PATH) to its end, without a shell and with an empty input.
/// ErrorKind::no_device when it cannot be started.
Result<ProcessResult> run_to_end(const std::vector<std::string>& words, const ProcessSettings& settings = {});

}  // namespace warpwright
