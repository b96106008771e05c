// A CUDA driver that is none: host memory for device memory, launches that are only written down, and faults on demand.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/cuda/driver.hpp"
#include "device/cuda/nvml.hpp"

namespace device_tests {

namespace cuda = warpwright::device::cuda;

struct FakeLaunch {
    std::string kernel;
    unsigned grid[3], block[3], shared = 0;
    bool cooperative = false, extended = false;
    std::vector<unsigned> cluster;      ///< its attribute; empty: none
    std::vector<std::byte> parameters;  ///< of the sizes that `parameter_sizes` of the fake says, joined
};

/// What a tensor map was asked to be.
struct FakeTensorMap {
    cuda::TensorType type;
    void* address;
    std::vector<std::uint64_t> size, stride;
    std::vector<std::uint32_t> box, step;
    cuda::TensorInterleave interleave;
    cuda::TensorSwizzle swizzle;
    cuda::TensorPromotion promotion;
    cuda::TensorFill fill;
};

/// The driver's state; one at a time, made anew by each test.
struct Fake {
    // What the machine is.
    int devices = 1, version = 12080;
    std::map<cuda::DeviceAttribute, int> attributes;
    std::map<cuda::FunctionAttribute, int> function_attributes;
    std::size_t memory = std::size_t{1} << 20;  ///< bytes in all
    int resident_blocks = 2, active_clusters = 16;
    std::vector<std::size_t> parameter_sizes;  ///< of every kernel
    std::vector<std::string> kernels{"k"};
    // What goes wrong.
    cuda::Status init_status = 0, next_wait = 0, link_status = 0, load_status = 0, reset_status = 0;
    std::string jit_log;
    bool hangs = false;
    int peers = 1;  ///< devices reach each other's memory
    unsigned peer_copies = 0;
    int nvml_status = 0;
    // What was done.
    std::vector<FakeLaunch> launches;
    std::size_t allocated = 0;
    unsigned contexts = 0, links = 0, loads = 0, waits = 0, graphs = 0, uploads = 0, releases = 0;
    std::vector<FakeTensorMap> tensor_maps;
    unsigned streams = 0, streams_destroyed = 0, pinned = 0;
    std::vector<std::string> queued;   ///< in streams other than the device's own: "0 launch"
    std::vector<std::size_t> flushed;  ///< for each flush of the caches, launches and graphs before it
    int dynamic_shared_set = -1, non_portable_set = -1;
    bool current = false;  ///< a context is
    // The context's.
    cuda::Status sticky = 0;
    bool capturing = false;
    double clock = 0;  ///< seconds; each launch takes one microsecond
    std::vector<std::unique_ptr<char[]>> blocks;
    std::map<void*, std::size_t> sizes;
    std::map<void*, double> events;
};

Fake& fake();

/// Resets the fake and gives a driver over it. Without `modern` it lacks the optional entry points.
std::shared_ptr<const cuda::Driver> fake_driver(bool modern = true);
cuda::DriverTable fake_table(bool modern = true);
cuda::NvmlTable fake_nvml();

}  // namespace device_tests
