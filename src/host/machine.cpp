// Linux says these things in files of text and by a call of its own.
#include "host/machine.hpp"

#include <sched.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

namespace warpwright::host {

namespace {

std::uint64_t number_in(const std::string& file) {
    std::ifstream in(file);
    std::uint64_t n = 0;
    return in >> n ? n : ~std::uint64_t{0};
}

}  // namespace

std::uint64_t memory_bytes() {
    struct sysinfo info{};
    return ::sysinfo(&info) == 0 ? std::uint64_t{info.totalram} * info.mem_unit : 0;
}

std::uint64_t free_memory_bytes() {
    std::ifstream info("/proc/meminfo");
    std::string name, unit;
    for (std::uint64_t kibibytes = 0; info >> name >> kibibytes; std::getline(info, unit))
        if (name == "MemAvailable:") return kibibytes << 10;
    return 0;
}

std::uint64_t memory_of_groups() {
    std::uint64_t least = ~std::uint64_t{0};
    std::ifstream in("/proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        // "0::/path" of the second version, "5:memory:/path" of the first.
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string which = line.substr(first + 1, second - first - 1);
        const bool new_one = which.empty();
        if (!new_one && ("," + which + ",").find(",memory,") == std::string::npos) continue;
        const std::string base = new_one ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
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

std::uint64_t own_memory_bytes() {
    std::ifstream in("/proc/self/statm");
    std::uint64_t all = 0, resident = 0, of_files = 0;
    if (!(in >> all >> resident >> of_files)) return 0;
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return (resident - std::min(resident, of_files)) * page;
}

std::string processor_name() {
    std::ifstream info("/proc/cpuinfo");
    std::string part;
    for (std::string line; std::getline(info, line);) {
        const auto colon = line.find(": ");
        if (colon == std::string::npos) continue;
        if (line.starts_with("model name")) return line.substr(colon + 2);
        // AArch64 has the numbers of the maker and of the design alone.
        if (line.starts_with("CPU implementer")) part = "AArch64, maker " + line.substr(colon + 2);
        if (line.starts_with("CPU part")) return part + ", part " + line.substr(colon + 2);
    }
    return "unknown";
}

unsigned allowed_cores() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    // (The call fails on a machine with more cores than the set holds.)
    return ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? std::max(1u, unsigned(CPU_COUNT(&cores))) : ~0u;
}

unsigned usable_cores() {
    const unsigned cores = std::min(std::thread::hardware_concurrency(), allowed_cores());
    return std::max(1u, cores);
}

bool random_bytes(void* to, std::size_t bytes) { return ::getrandom(to, bytes, 0) == static_cast<ssize_t>(bytes); }

}  // namespace warpwright::host
