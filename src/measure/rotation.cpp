// As many sets of buffers as three times the cache needs, within bounds of memory and number: a set that is used again
// has left the cache by then.
#include "measure/rotation.hpp"

#include <algorithm>

namespace warpwright::measure {

Rotation plan_rotation(std::uint64_t bytes, std::uint64_t memory, std::uint64_t cache) {
    constexpr std::uint64_t kMostSets = 64, kMostMemory = std::uint64_t{4} << 30;
    if (cache == 0) return {};
    const std::uint64_t room = std::max<std::uint64_t>(1, kMostMemory / std::max<std::uint64_t>(1, memory));
    const std::uint64_t wanted = bytes == 0 ? kMostSets + 1 : 3 * cache / bytes + 1;
    const std::uint64_t sets = std::min({wanted, kMostSets, room});
    return {static_cast<std::uint32_t>(sets), sets < wanted};
}

}  // namespace warpwright::measure
