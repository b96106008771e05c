// Texture and surface objects: converts the runtime's descriptions to the device's.
#include <map>
#include <optional>

#include "cudart/api/api.hpp"
#include "cudart/memory/texture.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/texture_objects.hpp"

namespace warpwright::cudart {
namespace {

struct Object {
    bool surface = false;
    cudaResourceDesc resource;
    cudaTextureDesc sampling;
    std::optional<cudaResourceViewDesc> view;
};

std::mutex objects_mutex;
std::map<unsigned long long, Object>& objects() {
    static auto* all = new std::map<unsigned long long, Object>;
    return *all;
}

/// Calls `work` with the object of a handle.
template <class F>
cudaError_t with(unsigned long long handle, bool surface, F work) {
    std::lock_guard lock(objects_mutex);
    auto found = objects().find(handle);
    if (found == objects().end() || found->second.surface != surface) return cudaErrorInvalidValue;
    return work(found->second);
}

cudaError_t make(const device::Texture& t, const Object& object, unsigned long long* handle) {
    if (auto e = make_object(t, handle); e != cudaSuccess) return e;
    std::lock_guard lock(objects_mutex);
    objects()[*handle] = object;
    return cudaSuccess;
}

cudaError_t destroy(unsigned long long handle, bool surface) {
    if (handle == 0) return cudaSuccess;
    if (auto e = with(handle, surface, [](Object&) { return cudaSuccess; }); e != cudaSuccess) return e;
    {
        std::lock_guard lock(objects_mutex);
        if (!objects().erase(handle)) return cudaErrorInvalidValue;
    }
    return destroy_object(handle);
}

}  // namespace

namespace impl {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* sampling, const cudaResourceViewDesc* view) {
    if (!texture || !resource || !sampling) return cudaErrorInvalidValue;
    if (!Runtime::get().device()) return cudaErrorInitializationError;
    device::Texture t;
    if (auto e = set_resource(*resource, t); e != cudaSuccess) return e;
    if (view)
        if (auto e = set_view(*view, *resource, t); e != cudaSuccess) return e;
    if (auto e = set_sampling(*sampling, *resource, t); e != cudaSuccess) return e;
    Object object{false, *resource, *sampling, std::nullopt};
    if (view) object.view = *view;
    return make(t, object, texture);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) { return destroy(texture, false); }

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t texture) {
    if (!resource) return cudaErrorInvalidValue;
    return with(texture, false, [&](const Object& o) { return *resource = o.resource, cudaSuccess; });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* sampling, cudaTextureObject_t texture) {
    if (!sampling) return cudaErrorInvalidValue;
    return with(texture, false, [&](const Object& o) { return *sampling = o.sampling, cudaSuccess; });
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view, cudaTextureObject_t texture) {
    if (!view) return cudaErrorInvalidValue;
    return with(texture, false, [&](const Object& o) {
        if (!o.view) return cudaErrorInvalidValue;
        *view = *o.view;
        return cudaSuccess;
    });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* resource) {
    if (!surface || !resource || resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
    const auto array = arrays::find(resource->res.array.array);
    if (!array || !(array->flags & cudaArraySurfaceLoadStore)) return cudaErrorInvalidValue;
    if (!Runtime::get().device()) return cudaErrorInitializationError;
    device::Texture t;
    if (auto e = set_resource(*resource, t); e != cudaSuccess) return e;
    t.surface = true;
    return make(t, {true, *resource, {}, std::nullopt}, surface);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) { return destroy(surface, true); }

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t surface) {
    if (!resource) return cudaErrorInvalidValue;
    return with(surface, true, [&](const Object& o) { return *resource = o.resource, cudaSuccess; });
}

}  // namespace impl
}  // namespace warpwright::cudart
