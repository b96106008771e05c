// These functions are apart from the descriptions of textures, because they wait for queued work and therefore need
// streams.
#include "cudart/work/texture_objects.hpp"

#include <cstring>

#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/stream.hpp"
#include "cudart/work/stream/wait_for_device.hpp"

namespace warpwright::cudart {

cudaError_t bind_object(device::Address variable, unsigned long long object) {
    if (auto e = wait_for_devices(); e != cudaSuccess) return e;
    std::memcpy(reinterpret_cast<void*>(variable), &object, sizeof object);
    Runtime::get().device()->host_sharing()->written(variable, sizeof object);
    return cudaSuccess;
}

cudaError_t make_object(const device::Texture& t, unsigned long long* handle) {
    auto made = Runtime::get().device()->textures()->make_texture(t);
    if (!made) return cudaErrorMemoryAllocation;
    *handle = *made;
    return cudaSuccess;
}

cudaError_t destroy_object(unsigned long long handle) {
    if (auto e = wait_for_devices(); e != cudaSuccess) return e;
    return Runtime::get().device()->release(handle) ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace warpwright::cudart
