// Tensors of the host's memory that a Python program hands to kernels, where these are checked. Each has a copy in
// device memory, whose address the kernels get: so their accesses are checked as those of the device's own memory are,
// to the byte. The copy is brought up to date before a launch that has a pointer to it, and taken back after.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "cudart/state/python.hpp"

namespace warpwright::cudart {

class HostTensors {
public:
    static HostTensors& get();

    /// The address in the copy that stands for one in the tensor's storage; 0: there is no memory for a copy, or none
    /// are made any more.
    std::uint64_t copy_of(std::uint64_t address, const python::Tensor& tensor);
    bool any() const { return any_; }
    /// Where the tensor lies whose copy has this address: first address and the one behind it.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> host_of(std::uint64_t device_address);
    /// Whether one of a launch's parameters points to a copy.
    bool have(std::span<const std::byte> parameters);
    void bring(std::span<const std::byte> parameters);
    void take_back(std::span<const std::byte> parameters);
    /// The program has given memory of the host's to the device by its own address too (a tensor map): a copy could
    /// then differ from it, and no more are made.
    void stop() { stopped_ = true; }

    /// What is known of the memory at an address of the device: the program's variable, and its size.
    struct Known {
        std::string name;
        std::uint64_t bytes = 0;
        const python::Place* given = nullptr;  ///< the line that hands it to kernels; null: not known
    };
    std::optional<Known> known(std::uint64_t device_address);

private:
    struct Copy {
        std::uint64_t host = 0, bytes = 0;
        Known known;
    };
    template <class Use>
    void each(std::span<const std::byte> parameters, Use&& use);
    void forget(std::uint64_t first, std::uint64_t bytes);

    std::mutex mutex_;
    std::map<std::uint64_t, Copy> copies_;  ///< by device address
    std::atomic<bool> any_{false}, stopped_{false};
};

}  // namespace warpwright::cudart
