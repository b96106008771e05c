// Occupancy: how many blocks and warps of a kernel a multiprocessor holds at a time, and what limits them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "arch/model.hpp"

namespace warpwright::arch {

/// What limits the number of resident blocks.
enum class Limiter { warps, blocks, registers, shared };

std::string_view limiter_name(Limiter limiter);

/// Limits, each once. (Every launch is checked by its occupancy: this takes no memory of its own.)
class Limiters {
public:
    using value_type = Limiter;
    using const_iterator = const Limiter*;
    void push_back(Limiter limiter) { which_.at(count_++) = limiter; }
    std::size_t size() const { return count_; }
    const_iterator begin() const { return which_.data(); }
    const_iterator end() const { return which_.data() + count_; }
    Limiter operator[](std::size_t k) const { return which_[k]; }
    bool operator==(const Limiters&) const = default;

private:
    std::array<Limiter, 4> which_{};  ///< of those that are not there the first, so that equal lists are equal
    std::size_t count_ = 0;
};

struct Occupancy {
    std::uint32_t blocks = 0;  ///< resident blocks per multiprocessor; 0 = the kernel cannot be launched
    std::uint32_t warps = 0;   ///< resident warps per multiprocessor
    double fraction = 0;       ///< warps divided by the most that the multiprocessor holds

    std::uint32_t warps_per_block = 0;
    std::uint32_t registers_per_block = 0;  ///< as allocated, 32-bit registers
    std::uint32_t shared_per_block = 0;     ///< as allocated, bytes, including the system's part

    // Blocks that a multiprocessor could hold if this were the only limit.
    std::uint32_t blocks_by_warps = 0, blocks_by_slots = 0, blocks_by_registers = 0, blocks_by_shared = 0;

    Limiters limiters;    ///< every limit that is reached, in the order of the enumeration
    std::string refusal;  ///< why it cannot be launched; empty when it can

    /// "registers", "warps and shared memory", or the refusal.
    std::string limiter_text() const;
};

/// Occupancy of a kernel. It follows the allocation granularity exactly: registers are allocated to warps in units,
/// within each sub-partition of the multiprocessor; shared memory to blocks in units, with the system's reserve added.
/// It assumes the largest shared-memory split. Source: CUDA C++ Programming Guide, "Hardware Multithreading" and
/// "Technical Specifications per Compute Capability"; checked against NVIDIA's occupancy functions. `shared` is static
/// plus dynamic shared memory in bytes; `threads` the threads of a block.
Occupancy occupancy(const DeviceModel& model, std::uint32_t registers_per_thread, std::uint64_t shared,
                    std::uint64_t threads);

}  // namespace warpwright::arch
