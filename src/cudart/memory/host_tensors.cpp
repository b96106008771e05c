// A storage is known by its address and size: where either differs, it is another one, and the copy of the old goes.
#include "cudart/memory/host_tensors.hpp"

#include <cstring>
#include <iterator>
#include <set>

#include "cudart/state/runtime.hpp"
#include "device/host_sharing.hpp"

namespace warpwright::cudart {

HostTensors& HostTensors::get() {
    static auto* tensors = new HostTensors;
    return *tensors;
}

void HostTensors::forget(std::uint64_t first, std::uint64_t bytes) {
    for (auto c = copies_.begin(); c != copies_.end();) {
        const bool meets = c->second.host < first + bytes && first < c->second.host + c->second.bytes;
        if (meets) (void)Runtime::get().device()->release(c->first);
        c = meets ? copies_.erase(c) : std::next(c);
    }
}

std::uint64_t HostTensors::copy_of(std::uint64_t address, const python::Tensor& tensor) {
    if (stopped_) return 0;
    const auto* given = python::calling_line(nullptr);
    std::lock_guard lock(mutex_);
    for (auto& [device, c] : copies_)
        if (c.host == tensor.first && c.bytes == tensor.bytes) {
            c.known = {tensor.name, tensor.bytes, given};
            return device + (address - tensor.first);
        }
    forget(tensor.first, tensor.bytes);
    const auto made = Runtime::get().device()->allocate(tensor.bytes);
    if (!made) return 0;
    copies_[*made] = {tensor.first, tensor.bytes, {tensor.name, tensor.bytes, given}};
    any_ = true;
    return *made + (address - tensor.first);
}

template <class Use>
void HostTensors::each(std::span<const std::byte> parameters, Use&& use) {
    std::set<std::uint64_t> met;
    // Pointers are aligned, in structures too.
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= parameters.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t value = 0;
        std::memcpy(&value, parameters.data() + at, sizeof value);
        const auto after = copies_.upper_bound(value);
        if (after == copies_.begin()) continue;
        const auto& [device, copy] = *std::prev(after);
        if (value - device < copy.bytes && met.insert(device).second) use(device, copy);
    }
}

bool HostTensors::have(std::span<const std::byte> parameters) {
    std::lock_guard lock(mutex_);
    bool any = false;
    each(parameters, [&](std::uint64_t, const Copy&) { any = true; });
    return any;
}

void HostTensors::bring(std::span<const std::byte> parameters) {
    if (!any_) return;
    std::lock_guard lock(mutex_);
    each(parameters, [](std::uint64_t device, const Copy& c) {
        std::memcpy(reinterpret_cast<void*>(device), reinterpret_cast<const void*>(c.host), c.bytes);
        Runtime::get().device()->host_sharing()->written(device, c.bytes);
    });
}

void HostTensors::take_back(std::span<const std::byte> parameters) {
    if (!any_) return;
    std::lock_guard lock(mutex_);
    each(parameters, [](std::uint64_t device, const Copy& c) {
        std::memcpy(reinterpret_cast<void*>(c.host), reinterpret_cast<const void*>(device), c.bytes);
    });
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> HostTensors::host_of(std::uint64_t device_address) {
    if (!any_) return std::nullopt;
    std::lock_guard lock(mutex_);
    const auto after = copies_.upper_bound(device_address);
    if (after == copies_.begin()) return std::nullopt;
    const auto& [device, copy] = *std::prev(after);
    if (device_address - device >= copy.bytes) return std::nullopt;
    return std::pair{copy.host, copy.host + copy.bytes};
}

std::optional<HostTensors::Known> HostTensors::known(std::uint64_t device_address) {
    if (!any_) return std::nullopt;
    std::lock_guard lock(mutex_);
    const auto after = copies_.upper_bound(device_address);
    if (after == copies_.begin()) return std::nullopt;
    const auto& [device, copy] = *std::prev(after);
    if (device_address - device >= copy.bytes) return std::nullopt;
    return copy.known;
}

}  // namespace warpwright::cudart
