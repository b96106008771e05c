// The mapping around a pointer is given to the device as a whole, except for parts that the device has already; of a
// tensor whose extent is known no more than that.
// Launches look through their parameters for pointers into such memory, since the host must then wait for the kernel.
#include "cudart/memory/pageable.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "cudart/memory/host_tensors.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/state/python.hpp"
#include "cudart/state/runtime.hpp"
#include "host/memory.hpp"

namespace warpwright::cudart {
namespace {

std::mutex mutex;
std::atomic<bool> any_taken = false;
/// What the device has: first and last address.
std::map<std::uint64_t, std::uint64_t>& taken() {
    static auto* all = new std::map<std::uint64_t, std::uint64_t>;
    return *all;
}

void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }

bool leave(device::Device& device, std::uint64_t first, std::uint64_t last) {
    bool any = false;
    for (auto p = taken().begin(); p != taken().end();) {
        const bool meets = p->first < last && first < p->second;
        if (meets) (void)device.host_sharing()->disown(at(p->first)), any = true;
        p = meets ? taken().erase(p) : std::next(p);
    }
    any_taken = !taken().empty();
    return any;
}

bool holds(std::uint64_t address, std::uint64_t bytes) {
    const auto after = taken().upper_bound(address);
    if (after == taken().begin()) return false;
    const auto last = std::prev(after)->second;
    return address < last && bytes <= last - address;
}

/// The part of the range around the address in which the device has nothing else, such as page-locked memory.
host::MemoryRange free_part(host::MemoryRange range, std::uint64_t address) {
    for (const auto& b : MemoryTable::get().host_blocks()) {
        const auto end = b.address + b.bytes;
        if (end <= range.first || b.address >= range.last) continue;
        if (b.address > address)
            range.last = std::min(range.last, b.address);
        else
            range.first = std::max(range.first, end);
    }
    return range.holds(address) ? range : host::MemoryRange{};
}

}  // namespace

namespace {

/// What of the process's memory a pointer leads to. Tensors whose storage is known have just that; views, whose storage
/// is not, have what other views of the same memory have too.
host::MemoryRange range_around(const void* pointer, const std::optional<python::Tensor>& tensor) {
    if (!tensor) return host::writable_range(pointer);
    host::MemoryRange range{tensor->first, tensor->first + tensor->bytes};
    if (const auto known = taken().find(range.first); known != taken().end() && known->second == range.last)
        return range;
    const auto around = host::writable_range(pointer);
    if (range.first < around.first || range.last > around.last) return around;
    if (!tensor->whole)
        for (const auto& [first, last] : taken())
            if (first < range.last && range.first < last)
                range.first = std::min(range.first, first), range.last = std::max(range.last, last);
    return range;
}

/// The words of a small piece of memory, if it is a table of addresses: if all of them that are not 0 could be some.
std::vector<std::uint64_t> addresses_in(const host::MemoryRange& range) {
    constexpr std::uint64_t kMostBytes = 1 << 15, kLeast = 1 << 16, kMost = std::uint64_t{1} << 47;
    std::vector<std::uint64_t> out;
    if (range.last - range.first > kMostBytes) return out;
    for (auto p = (range.first + 7) / 8 * 8; p + 8 <= range.last; p += 8) {
        std::uint64_t value = 0;
        std::memcpy(&value, at(p), sizeof value);
        if (value == 0) continue;
        if (value < kLeast || value >= kMost || value % 4) return {};
        out.push_back(value);
    }
    return out;
}

/// The device has the part of a range in which it has nothing else. The caller has the lock.
bool take(device::Device& device, host::MemoryRange range, std::uint64_t address) {
    range = free_part(range, address);
    if (!range.last) return false;
    // The same memory as before, unless the program has mapped more there or less.
    if (const auto known = taken().find(range.first); known != taken().end() && known->second == range.last)
        return true;
    leave(device, range.first, range.last);
    if (!device.host_sharing()->adopt(at(range.first), range.last - range.first)) return false;
    taken()[range.first] = range.last;
    any_taken = true;
    return true;
}

}  // namespace

std::uint64_t reach_pageable(const void* pointer) {
    auto* device = Runtime::get().device();
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    if (!device) return 0;
    const auto tensor = python::tensor_at(pointer);
    if (tensor && tensor->whole && device->finding_log()->checkers() != 0)
        if (const auto copy = HostTensors::get().copy_of(address, *tensor)) return copy;
    std::lock_guard lock(mutex);
    return take(*device, range_around(pointer, tensor), address) ? address : 0;
}

void reach_through(std::span<const std::byte> parameters) {
    if (!has_pageable()) return;
    auto* device = Runtime::get().device();
    std::lock_guard lock(mutex);
    std::vector<host::MemoryRange> tables;
    for (std::size_t k = 0; k + sizeof(std::uint64_t) <= parameters.size(); k += sizeof(std::uint64_t)) {
        std::uint64_t value = 0;
        std::memcpy(&value, parameters.data() + k, sizeof value);
        if (const auto host = HostTensors::get().host_of(value)) tables.push_back({host->first, host->second});
        if (const auto after = taken().upper_bound(value); after != taken().begin() && value < std::prev(after)->second)
            tables.push_back({std::prev(after)->first, std::prev(after)->second});
    }
    for (const auto& t : tables)
        for (const auto value : addresses_in(t))
            if (!holds(value, 1) && !device->host_sharing()->allocation(value))
                (void)take(*device, host::writable_range(at(value)), value);
}

bool has_pageable() { return any_taken || HostTensors::get().any(); }

bool is_pageable(const void* pointer, std::uint64_t bytes) {
    if (!any_taken) return false;
    std::lock_guard lock(mutex);
    return holds(reinterpret_cast<std::uint64_t>(pointer), bytes);
}

bool point_to_pageable(std::span<const std::byte> parameters) {
    if (HostTensors::get().any() && HostTensors::get().have(parameters)) return true;
    if (!any_taken) return false;
    std::lock_guard lock(mutex);
    // Pointers are aligned, in structures too.
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= parameters.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t value = 0;
        std::memcpy(&value, parameters.data() + at, sizeof value);
        if (holds(value, 1)) return true;
    }
    return false;
}

bool leave_pageable(const void* pointer, std::uint64_t bytes) {
    auto* device = Runtime::get().device();
    const auto first = reinterpret_cast<std::uint64_t>(pointer);
    if (!device) return false;
    std::lock_guard lock(mutex);
    return leave(*device, first, first + bytes);
}

}  // namespace warpwright::cudart
