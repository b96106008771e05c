// One launch of a small kernel on a device, outside any ladder: for kernels that look at the clock and hand back what
// they saw.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lab/sweep/context.hpp"

namespace warpwright::lab {

class Probe {
public:
    /// A kernel file of a ladder's folder ("measure/shared.cu"), compiled and loaded.
    static Result<Probe> load(const Context& context, const std::string& file);

    /// Words in device memory, zeroed.
    Result<device::Address> words(std::uint64_t count);
    /// Launches once and reads `count` words from `out`. `parameters` as pack() makes them.
    Result<std::vector<std::uint64_t>> run(const std::string& kernel, launch::Extent grid, launch::Extent block,
                                           std::span<const std::byte> parameters, device::Address out,
                                           std::size_t count);
    /// Writes 4-byte words into a __constant__ or __device__ array of the kernel file.
    Result<void> set(const std::string& variable, std::span<const std::uint32_t> words);
    device::Device& device() { return *device_; }
    ~Probe();
    Probe(Probe&&) noexcept = default;
    Probe& operator=(Probe&&) = delete;

    /// A parameter block: each value at a multiple of its own size.
    template <class... T>
    static std::vector<std::byte> pack(const T&... values) {
        std::vector<std::byte> out;
        const auto add = [&](const auto& v) {
            while (out.size() % sizeof v) out.push_back({});
            const auto* bytes = reinterpret_cast<const std::byte*>(&v);
            out.insert(out.end(), bytes, bytes + sizeof v);
        };
        (add(values), ...);
        return out;
    }

private:
    Probe() = default;
    device::Device* device_ = nullptr;  ///< must outlive this
    device::LaunchOptions options_;
    std::shared_ptr<device::Module> module_;
    std::vector<device::Address> held_;
};

}  // namespace warpwright::lab
