// A thread looks every few milliseconds at the pages that the process holds: those of no file, which cannot leave
// memory, or, where device memory is in a file, at the room that its disk has left.
#include "cudart/state/memory_watch.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "cudart/state/runtime.hpp"
#include "support/settings.hpp"

namespace warpwright::cudart {

namespace {

/// Exit code of a process that outgrew its limit.
constexpr int kOutgrown = 1;
constexpr std::chrono::milliseconds kLook{5};
/// How many looks at the process go by until the machine is looked at.
constexpr unsigned kMachine = 8;
/// What a disk must have left: more than is touched between two looks.
constexpr std::uint64_t kDiskLeft = std::uint64_t{256} << 20;
/// A process with less is not who has used the machine's memory up.
constexpr std::uint64_t kMuch = std::uint64_t{1} << 30;
/// The part of the limit that allocations have when watching begins. (The checkers' own memory is a multiple of the
/// touched.)
constexpr std::uint64_t kPart = 64;

std::uint64_t number_in(const std::string& file) {
    std::ifstream in(file);
    std::uint64_t n = 0;
    return in >> n ? n : ~std::uint64_t{0};
}

/// In bytes; 0: the file has no such row.
std::uint64_t row_of_meminfo(const std::string& root, const std::string& row) {
    std::ifstream in(root + "/proc/meminfo");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(row + ":")) return std::strtoull(line.c_str() + row.size() + 1, nullptr, 10) * 1024;
    return 0;
}

/// The least that the process's control groups are given, up to the root.
std::uint64_t limit_of_groups(const std::string& root) {
    std::uint64_t least = ~std::uint64_t{0};
    std::ifstream in(root + "/proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        // "0::/path" of the second version, "5:memory:/path" of the first.
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string which = line.substr(first + 1, second - first - 1);
        const bool new_one = which.empty();
        if (!new_one && ("," + which + ",").find(",memory,") == std::string::npos) continue;
        const std::string base = root + (new_one ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory");
        std::string path = line.substr(second + 1);
        for (;;) {
            least = std::min(least, number_in(base + path + (new_one ? "/memory.max" : "/memory.limit_in_bytes")));
            const auto slash = path.rfind('/');
            if (slash == std::string::npos || path == "/" || path.empty()) break;
            path.resize(slash);
        }
    }
    return least;
}

/// Bytes of the process that lie in no file.
std::uint64_t own_bytes(int statm) {
    char text[128];
    const auto n = ::pread(statm, text, sizeof text - 1, 0);
    if (n <= 0) return 0;
    std::uint64_t numbers[3] = {};
    const char* at = text;
    for (auto& number : numbers) {
        const auto got = std::from_chars(at, text + n, number);
        at = got.ptr + 1;
    }
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return (numbers[1] - std::min(numbers[1], numbers[2])) * page;
}

std::string gigabytes(std::uint64_t bytes) {
    std::ostringstream out;
    out.precision(3);
    out << static_cast<double>(bytes) / 1e9 << " GB";
    return out.str();
}

}  // namespace

MemoryLimit memory_limit(const std::string& root) {
    if (const double set = settings::number(Setting::memory_limit, 0); set > 0)
        return {static_cast<std::uint64_t>(set * 1e9), "--memory-limit allows"};
    const std::uint64_t machine = row_of_meminfo(root, "MemTotal"), groups = limit_of_groups(root);
    // A part is left for what the system keeps for the process.
    constexpr std::uint64_t kLeft = 32;
    if (groups < machine || machine == 0) return {groups - groups / kLeft, "its control group may take"};
    return {machine - machine / kLeft, "this machine has"};
}

MemoryWatch& MemoryWatch::get() {
    static auto* watch = new MemoryWatch;
    return *watch;
}

void MemoryWatch::allocated(std::uint64_t bytes) {
    static const MemoryLimit limit = memory_limit();
    if (bytes < limit.bytes / kPart) return;
    std::call_once(begun_, [this] {
        limit_ = limit;
        folder_ = settings::text(Setting::memory_file);
        std::thread([this] { watch(); }).detach();
    });
}

void MemoryWatch::end(const std::string& what, const std::string& hint) {
    Runtime::get().say(Error{ErrorKind::limit, what + "; the program was ended", {}, hint});
    if (before_end_) before_end_();
    ::_exit(kOutgrown);
}

void MemoryWatch::watch() {
    const int statm = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const std::uint64_t least_free = row_of_meminfo("", "MemTotal") / 64;
    const char* const spill = "--memory-file FOLDER, which keeps device memory in a file there, or a smaller problem";
    for (unsigned k = 0; statm >= 0; ++k) {
        std::this_thread::sleep_for(kLook);
        const std::uint64_t held = own_bytes(statm);
        if (held > limit_.bytes)
            end("the program and its emulated GPU have outgrown this machine's memory: they hold " + gigabytes(held) +
                    ", and " + limit_.by + " " + gigabytes(limit_.bytes),
                spill);
        if (k % kMachine != 0) continue;
        if (struct statvfs disk{}; !folder_.empty() && ::statvfs(folder_.c_str(), &disk) == 0 &&
                                   std::uint64_t{disk.f_bavail} * disk.f_frsize < kDiskLeft)
            end("the disk that holds device memory (" + folder_ + ") is full", "a folder on a larger disk");
        if (held > kMuch && row_of_meminfo("", "MemAvailable") < least_free)
            end("this machine's memory is used up, and the program with its emulated GPU holds " + gigabytes(held) +
                    " of it",
                spill);
    }
}

}  // namespace warpwright::cudart
