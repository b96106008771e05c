// Memory and events that processes share.
#include "cudart/api/api.hpp"
#include "cudart/memory/shared_memory.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/stream.hpp"
#include "cudart/work/stream/wait_for_device.hpp"

namespace warpwright::cudart::impl {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
    if (!handle) return cudaErrorInvalidValue;
    const auto block = MemoryTable::get().find(pointer);
    if (!block || block->kind != Block::Kind::device || block->graph != Block::Graph::none)
        return cudaErrorInvalidValue;
    // Its pages are moved, so nothing may write to them meanwhile.
    if (auto e = wait_for_devices(); e != cudaSuccess) return e;
    return share_memory(*block, *handle);
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned flags) {
    if (!pointer || (flags & ~static_cast<unsigned>(cudaIpcMemLazyEnablePeerAccess))) return cudaErrorInvalidValue;
    return open_shared_memory(handle, *pointer);
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
    if (auto e = wait_for_devices(); e != cudaSuccess) return e;
    return close_shared_memory(pointer);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event_handle) {
    if (!handle) return cudaErrorInvalidValue;
    const auto event = find_event(event_handle);
    return event && event->shared ? event->shared->handle(*handle) : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
    if (!event) return cudaErrorInvalidValue;
    std::shared_ptr<SharedEvent> shared;
    if (auto e = SharedEvent::open(handle, shared); e != cudaSuccess) return e;
    if (auto e = impl::cudaEventCreateWithFlags(event, cudaEventDisableTiming); e != cudaSuccess) return e;
    find_event(*event)->shared = std::move(shared);
    return cudaSuccess;
}

}  // namespace warpwright::cudart::impl
