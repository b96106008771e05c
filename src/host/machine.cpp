// Linux says these things in files of text and by a call of its own.
#include "host/machine.hpp"

#include <sys/random.h>
#include <sys/sysinfo.h>

#include <fstream>

namespace warpwright::host {

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

bool random_bytes(void* to, std::size_t bytes) { return ::getrandom(to, bytes, 0) == static_cast<ssize_t>(bytes); }

}  // namespace warpwright::host
