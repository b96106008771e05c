// Puts other data into a device's caches, so that what is timed next finds nothing of its own there.
#pragma once

#include "device/cuda/launch.hpp"

namespace warpwright::device::cuda {

class CacheFlush {
public:
    /// `context` and `cache` must outlive it.
    CacheFlush(std::shared_ptr<ContextHolder> context, DiskCache& cache)
        : context_(std::move(context)), cache_(cache) {}

    /// Makes what it takes: twice the last cache's size of device memory, and a kernel. ErrorKind::limit where the
    /// device does not tell its cache's size.
    Result<void> prepare();
    /// Queues it, once prepared.
    Result<void> enqueue();

private:
    std::shared_ptr<ContextHolder> context_;
    DiskCache& cache_;
    std::shared_ptr<CudaModule> module_;
    Address memory_ = 0;
    unsigned generation_ = 0;
    std::optional<ReadyLaunch> launch_;
};

/// The kernel, flush(base, pieces of 16 bytes): it only reads, for lines that were written would have to be written
/// back while something else is timed.
const char* flush_ptx();

}  // namespace warpwright::device::cuda
