// What bounds and times need of a launch beside its counts: the memory that it accessed, as an upper limit of its DRAM
// traffic, and which of its instructions an assembler makes together with others.
#pragma once

#include <cstdint>

namespace warpwright::record {

/// Of a launch's counts, what is no work of its own in machine code (the room machine: fold, join_loads): words of
/// shared memory that are loaded beside others, products that an addition takes in, and the like.
struct Joined {
    std::uint64_t instructions = 0;  ///< of warps
    std::uint64_t integer = 0;       ///< of these, those of Count::mix_integer
    std::uint64_t shared_requests = 0, shared_wavefronts = 0;
    Joined& operator+=(const Joined& o) {
        instructions += o.instructions, integer += o.integer;
        shared_requests += o.shared_requests, shared_wavefronts += o.shared_wavefronts;
        return *this;
    }
    /// Of an average launch.
    Joined over(std::uint64_t launches) const {
        return {instructions / launches, integer / launches, shared_requests / launches, shared_wavefronts / launches};
    }
    bool empty() const { return instructions == 0 && shared_requests == 0; }
    bool operator==(const Joined&) const = default;
};

/// Bytes of the allocations of device memory that a launch's loads (`read`) and stores (`written`) fell into, each
/// allocation whole and once; atomics do both. Sums over launches add up. From the emulated device.
struct Touched {
    std::uint64_t read = 0, written = 0;
    Joined joined = {};
    Touched& operator+=(const Touched& o) {
        read += o.read, written += o.written, joined += o.joined;
        return *this;
    }
    bool operator==(const Touched&) const = default;
};

}  // namespace warpwright::record
