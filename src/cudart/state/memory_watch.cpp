// A thread looks every few milliseconds at the pages that the process holds: those of no file, which cannot leave
// memory, or, where device memory is in a file, at the room that its disk has left.
#include "cudart/state/memory_watch.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

#include "cudart/state/runtime.hpp"
#include "host/machine.hpp"
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

std::string gigabytes(std::uint64_t bytes) {
    std::ostringstream out;
    out.precision(3);
    out << static_cast<double>(bytes) / 1e9 << " GB";
    return out.str();
}

}  // namespace

MemoryLimit memory_limit() {
    if (const double set = settings::number(Setting::memory_limit, 0); set > 0)
        return {static_cast<std::uint64_t>(set * 1e9), "--memory-limit allows"};
    const std::uint64_t machine = host::memory_bytes(), groups = host::memory_of_groups();
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
    const std::uint64_t least_free = host::memory_bytes() / 64;
    const char* const spill = "--memory-file FOLDER, which keeps device memory in a file there, or a smaller problem";
    for (unsigned k = 0;; ++k) {
        std::this_thread::sleep_for(kLook);
        const std::uint64_t held = host::own_memory_bytes();
        if (held > limit_.bytes)
            end("the program and its emulated GPU have outgrown this machine's memory: they hold " + gigabytes(held) +
                    ", and " + limit_.by + " " + gigabytes(limit_.bytes),
                spill);
        if (k % kMachine != 0) continue;
        if (struct statvfs disk{}; !folder_.empty() && ::statvfs(folder_.c_str(), &disk) == 0 &&
                                   std::uint64_t{disk.f_bavail} * disk.f_frsize < kDiskLeft)
            end("the disk that holds device memory (" + folder_ + ") is full", "a folder on a larger disk");
        if (held > kMuch && host::free_memory_bytes() < least_free)
            end("this machine's memory is used up, and the program with its emulated GPU holds " + gigabytes(held) +
                    " of it",
                spill);
    }
}

}  // namespace warpwright::cudart
