// How much memory a kernel worked on: what bounds and times take as the most that its DRAM traffic can come to.
#pragma once

#include <cstdint>

namespace warpwright::record {

/// Bytes of the allocations of device memory that a launch's loads (`read`) and stores (`written`) fell into, each
/// allocation whole and once; atomics do both. Sums over launches add up. From the emulated device.
struct Touched {
    std::uint64_t read = 0, written = 0;
    Touched& operator+=(const Touched& o) {
        read += o.read, written += o.written;
        return *this;
    }
};

}  // namespace warpwright::record
