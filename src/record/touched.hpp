// The memory that a kernel accessed: bounds and times use it as an upper limit of its DRAM traffic.
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
