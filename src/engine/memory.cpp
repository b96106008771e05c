#include "engine/memory.hpp"

#include <sys/mman.h>

#include <cstring>

namespace warpwright::engine {

namespace {

constexpr std::uint64_t kAlign = 256;
/// Bytes kept free behind each allocation, so that neighbours never touch.
constexpr std::uint64_t kGap = 256;
/// Above this, pages come from the kernel when first touched instead of being filled.
constexpr std::uint64_t kFillLimit = 64 << 20;

std::uint64_t footprint(std::uint64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign + kGap; }

}  // namespace

Result<std::unique_ptr<DeviceMemory>> DeviceMemory::reserve(std::uint64_t bytes) {
    void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return Error{ErrorKind::limit, "cannot reserve " + std::to_string(bytes >> 20) + " MiB of address space: " +
                                           std::strerror(errno), {}, "lower the limit on address space or the memory size"};
    return std::unique_ptr<DeviceMemory>(new DeviceMemory(reinterpret_cast<std::uint64_t>(p), bytes));
}

DeviceMemory::~DeviceMemory() { ::munmap(reinterpret_cast<void*>(base_), bytes_); }

Result<std::uint64_t> DeviceMemory::allocate(std::uint64_t bytes) {
    std::unique_lock lock(mutex_);
    if (bytes > bytes_)
        return Error{ErrorKind::limit, "out of device memory: " + std::to_string(bytes) + " bytes asked for", {},
                     "the emulated device has " + std::to_string(bytes_ >> 20) + " MiB"};
    const auto need = footprint(bytes);
    for (auto at = free_.begin(); at != free_.end(); ++at) {
        if (at->second < need) continue;
        const auto address = at->first;
        const auto rest = at->second - need;
        free_.erase(at);
        if (rest) free_[address + need] = rest;
        live_[address] = bytes;
        in_use_ += bytes;
        if (bytes <= kFillLimit) std::memset(reinterpret_cast<void*>(address), 0xCD, bytes);
        return address;
    }
    return Error{ErrorKind::limit, "out of device memory: " + std::to_string(bytes) + " bytes asked for, " +
                                       std::to_string(in_use_) + " in use",
                 {}, "the emulated device has " + std::to_string(bytes_ >> 20) + " MiB"};
}

Result<void> DeviceMemory::release(std::uint64_t address) {
    if (address == 0) return {};
    std::unique_lock lock(mutex_);
    auto at = live_.find(address);
    if (at == live_.end()) return Error{ErrorKind::fault, "freeing an address that is not allocated", {}, ""};
    auto size = footprint(at->second);
    in_use_ -= at->second;
    // Give the whole pages back: the next user starts from fresh memory.
    const auto first = (address + 4095) / 4096 * 4096, last = (address + size) / 4096 * 4096;
    if (last > first) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    live_.erase(at);
    auto next = free_.lower_bound(address);
    if (next != free_.end() && address + size == next->first) {
        size += next->second;
        next = free_.erase(next);
    }
    if (next != free_.begin()) {
        auto before = std::prev(next);
        if (before->first + before->second == address) {
            before->second += size;
            return {};
        }
    }
    free_[address] = size;
    return {};
}

std::optional<Allocation> DeviceMemory::find(std::uint64_t address) const {
    std::shared_lock lock(mutex_);
    auto at = live_.upper_bound(address);
    if (at == live_.begin()) return std::nullopt;
    --at;
    if (address - at->first >= at->second) return std::nullopt;
    return Allocation{at->first, at->second};
}

std::optional<Allocation> DeviceMemory::nearest(std::uint64_t address) const {
    std::shared_lock lock(mutex_);
    if (live_.empty() || address - base_ >= bytes_) return std::nullopt;
    auto at = live_.upper_bound(address);
    if (at == live_.begin()) return Allocation{at->first, at->second};
    --at;
    return Allocation{at->first, at->second};
}

}  // namespace warpwright::engine
