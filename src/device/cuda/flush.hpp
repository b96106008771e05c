// Fills a device's caches with other data, so that the work timed next finds none of its own there.
#pragma once

#include "device/cuda/launch.hpp"

namespace warpwright::device::cuda {

class CacheFlush {
public:
    /// `context` and `cache` must outlive it.
    CacheFlush(std::shared_ptr<ContextHolder> context, DiskCache& cache)
        : context_(std::move(context)), cache_(cache) {}

    /// Allocates what it needs: twice the last cache's size of device memory, and a kernel. ErrorKind::limit if the
    /// device does not report its cache's size.
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

/// The kernel, flush(base, pieces of 16 bytes): it only reads, because written lines would be written back during the
/// next measurement.
const char* flush_ptx();

}  // namespace warpwright::device::cuda
