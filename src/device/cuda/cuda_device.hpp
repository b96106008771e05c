// Real GPUs as Devices, through NVIDIA's driver API, which is looked for when the program runs. No NVIDIA software is
// needed to build; without a driver, each call says so in one line.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace warpwright::device {

namespace cuda {
struct Driver;
class Nvml;
}  // namespace cuda

/// What the driver reports about one device. Zero where it reports nothing.
struct CudaDeviceInfo {
    int ordinal = 0;
    std::string name;
    Limits limits;
    std::uint64_t memory = 0;  ///< bytes
    double clock = 0;          ///< Hz, the highest of the multiprocessors
    double memory_clock = 0;   ///< Hz
    std::uint32_t bus_bits = 0;
    std::uint64_t l2 = 0;  ///< bytes
    std::uint32_t threads_per_multiprocessor = 0, blocks_per_multiprocessor = 0;
    std::uint32_t registers_per_multiprocessor = 0, registers_per_block = 0;
    std::uint64_t shared_per_multiprocessor = 0, reserved_shared_per_block = 0, constant = 0;  ///< bytes
    bool cooperative = false, clusters = false, ecc = false;
    int driver_version = 0;   ///< the newest CUDA it supports, major * 1000 + minor * 10
    std::string driver_file;  ///< the library
    std::string bus;          ///< its PCI address, "0000:17:00.0"

    std::string device() const { return "cuda:" + std::to_string(ordinal); }
};

struct CudaOptions {
    int ordinal = 0;
    std::string cache_directory;                      ///< machine code that the driver made; empty = no disk cache
    std::shared_ptr<const cuda::Driver> driver = {};  ///< a test's own; null = the machine's
    std::shared_ptr<const cuda::Nvml> nvml = {};      ///< for a test's driver; the machine's driver uses the machine's
};

/// The machine's devices. When there is none, ErrorKind::no_device says what is missing and what to do.
Result<std::vector<CudaDeviceInfo>> list_cuda(std::shared_ptr<const cuda::Driver> driver = {});

/// One of them. ErrorKind::no_device as above, or when there is no such number. For use by one thread at a time.
Result<std::unique_ptr<Device>> make_cuda(const CudaOptions& options);

}  // namespace warpwright::device
