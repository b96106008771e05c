// Device memory and events that processes of one user share (cudaIpc...). All processes emulate their device in host
// memory, so one process maps what another shares. Memory becomes shared page by page when it is first asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "cudart/memory/memory_table.hpp"
#include "driver_types.h"

namespace warpwright::cudart {

/// Makes a handle by which other processes open the allocation. No work may run on the device meanwhile.
cudaError_t share_memory(const Block& block, cudaIpcMemHandle_t& handle);
/// The allocation is about to be freed: its memory becomes private to this process again.
void unshare_memory(const Block& block);
/// Maps another process's memory; once, however often it is opened. For a handle of this process it returns
/// cudaErrorDeviceUninitialized, as the driver does.
cudaError_t open_shared_memory(const cudaIpcMemHandle_t& handle, void*& pointer);
cudaError_t close_shared_memory(void* pointer);

/// An event that processes share: the number of its records, and how many of those are complete.
struct SharedEvent {
    struct Counters {
        std::atomic<std::uint64_t> recorded, reached;
    };
    Counters* counters = nullptr;  ///< in a page of its own
    int file = -1;                 ///< of this process; -1 where another one made it
    std::uint64_t key = 0;

    ~SharedEvent();
    static std::shared_ptr<SharedEvent> make();
    static cudaError_t open(const cudaIpcEventHandle_t& handle, std::shared_ptr<SharedEvent>& event);
    cudaError_t handle(cudaIpcEventHandle_t& handle) const;

    /// Counts a record, and returns its number.
    std::uint64_t record() { return counters->recorded.fetch_add(1) + 1; }
    void reach(std::uint64_t number);
    bool over() const { return counters->reached.load() >= counters->recorded.load(); }
    /// The records so far. A wait is for those that precede it: later ones may stand behind it in its own stream.
    std::uint64_t recorded() const { return counters->recorded.load(); }
    /// Waits until so many records are complete, or this process ends.
    void wait(std::uint64_t number) const;
};

}  // namespace warpwright::cudart
