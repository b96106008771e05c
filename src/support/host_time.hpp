// Where this machine's processor time goes while a program runs on the emulated device (run --profile-emulator).
// Threads say what they do (In); within generated code samples tell, by timers of the threads' processor time. All
// figures are of this machine and of this run.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpwright::host_time {

/// The rows of host_time.inc.
enum class Work : std::uint8_t {
#define WW_HOST_WORK(key) key,
#include "support/host_time.inc"
#undef WW_HOST_WORK
};
inline constexpr std::size_t kWorks = 0
#define WW_HOST_WORK(key) +1
#include "support/host_time.inc"
#undef WW_HOST_WORK
    ;
std::string_view work_key(Work work);

/// Whether time is looked at, by the setting; the same for the whole process.
bool on();

/// While it lives, the calling thread does this. Without the setting it costs a look at a flag.
class In {
public:
    explicit In(Work work) : on_(on()) {
        if (on_) before_ = change(work);
    }
    ~In() {
        if (on_) (void)change(before_);
    }
    In(const In&) = delete;
    In& operator=(const In&) = delete;

private:
    static Work change(Work to);
    bool on_;
    Work before_{};
};

/// While it lives, generated code runs on the calling thread on a stack whose highest byte lies below `top`: samples
/// look there for the instruction that has called the runtime.
class OnCodeStack {
public:
    explicit OnCodeStack(const void* top) : on_(on()) {
        if (on_) before_ = change(top);
    }
    ~OnCodeStack() {
        if (on_) (void)change(before_);
    }
    OnCodeStack(const OnCodeStack&) = delete;
    OnCodeStack& operator=(const OnCodeStack&) = delete;

private:
    static const void* change(const void* top);
    bool on_;
    const void* before_ = nullptr;
};

/// From here on up to the next place generated code does this, for that line of PTX.
struct CodePlace {
    std::uint64_t address = 0;
    std::uint32_t ptx_line = 0;
    Work work = Work::arithmetic;
    bool none = false;  ///< code of which nothing is known: who has called it counts
};

/// Generated code of a kernel.
struct Code {
    std::string kernel;             ///< linkage name
    std::vector<CodePlace> places;  ///< in the order of their addresses; the last one is a `none`
    std::map<std::uint32_t, std::pair<std::string, unsigned>> sources;  ///< file and line, by line of PTX
};

/// From now on samples in that code are told apart. It is kept as long as the process.
void add_code(std::unique_ptr<const Code> code);

struct Line {
    std::string kernel, file;  ///< no file: the PTX has no source line there
    unsigned line = 0;
    std::uint32_t ptx_line = 0;
    Work work{};
    double seconds = 0;
};

struct Summary {
    double processor_seconds = 0;  ///< of the process, from its start on
    std::uint64_t samples = 0;     ///< that met generated code or the scheduler below it
    std::array<double, kWorks> seconds{};
    std::vector<Line> lines;  ///< those that take most time first
};
/// What the process has used so far. Samples share out the time of the work that they interrupted.
Summary summary();

}  // namespace warpwright::host_time
