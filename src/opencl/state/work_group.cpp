// A range whose length is a prime has groups of one item, as the standard leaves no other choice.
#include "opencl/state/work_group.hpp"

#include <algorithm>

#include "cudart/api/api.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::opencl {
namespace {

/// The largest divisor of `n` that is at most `most`, a multiple of `unit` if there is one.
std::size_t divisor(std::size_t n, std::size_t most, std::size_t unit) {
    for (std::size_t d = most / unit * unit; d; d -= unit)
        if (n % d == 0) return d;
    for (std::size_t d = std::min(n, most); d > 1; --d)
        if (n % d == 0) return d;
    return 1;
}

}  // namespace

std::size_t most_threads(const Kernel& kernel) {
    cudaFuncAttributes attributes{};
    if (cudart::impl::cudaFuncGetAttributes(&attributes, kernel.code) != cudaSuccess) return 1;
    return static_cast<std::size_t>(std::max(attributes.maxThreadsPerBlock, 1));
}

unsigned warp_size() { return cudart::Runtime::get().model().limits.warp; }

Range chosen_group(const Range& global, std::size_t most) {
    constexpr std::size_t kItems = 256;
    const std::size_t limit = std::min(most, kItems);
    Range group;
    group.x = divisor(global.x, limit, warp_size());
    group.y = divisor(global.y, std::max<std::size_t>(limit / group.x, 1), 1);
    group.z = divisor(global.z, std::clamp<std::size_t>(limit / (group.x * group.y), 1, 64), 1);
    return group;
}

}  // namespace warpwright::opencl
