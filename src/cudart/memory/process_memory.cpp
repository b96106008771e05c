#include "cudart/memory/process_memory.hpp"

#include <fstream>
#include <sstream>
#include <string>

namespace warpwright::cudart {

std::uint64_t readable_bytes(const void* address) {
    const auto from = reinterpret_cast<std::uint64_t>(address);
    std::ifstream maps("/proc/self/maps");
    std::uint64_t end = 0;
    for (std::string line; std::getline(maps, line);) {
        std::uint64_t first = 0, last = 0;
        char dash = 0, readable = 0;
        std::istringstream words(line);
        if (!(words >> std::hex >> first >> dash >> last >> readable)) continue;
        if (readable != 'r') continue;
        // The mapping that holds the address, then those that follow without a gap.
        if (end == 0 ? from >= first && from < last : first == end) end = last;
    }
    return end ? end - from : 0;
}

}  // namespace warpwright::cudart
