// Texture and surface objects: the runtime's descriptions put into the device's own.
#include <map>

#include "api.hpp"
#include "memory_table.hpp"
#include "runtime.hpp"
#include "stream.hpp"

namespace warpwright::cudart {
namespace {

struct Object {
    cudaResourceDesc resource;
    cudaTextureDesc sampling;
};

std::mutex objects_mutex;
std::map<unsigned long long, Object>& objects() {
    static auto* all = new std::map<unsigned long long, Object>;
    return *all;
}

cudaError_t format_of(const cudaChannelFormatDesc& f, device::Texture& t) {
    t.channels = f.w ? 4 : f.z ? 3 : f.y ? 2 : 1;
    t.bits = static_cast<unsigned>(f.x);
    if (t.channels == 3 || (t.bits != 8 && t.bits != 16 && t.bits != 32)) return cudaErrorInvalidChannelDescriptor;
    switch (f.f) {
        case cudaChannelFormatKindSigned: t.kind = device::Texture::Kind::signed_integer; return cudaSuccess;
        case cudaChannelFormatKindUnsigned: t.kind = device::Texture::Kind::unsigned_integer; return cudaSuccess;
        case cudaChannelFormatKindFloat: t.kind = device::Texture::Kind::real; return t.bits == 8 ? cudaErrorInvalidChannelDescriptor : cudaSuccess;
        default: break;
    }
    Runtime::get().say("arrays of this format are not supported by the emulated GPU's runtime library");
    return cudaErrorNotSupported;
}

cudaError_t resource_of(const cudaResourceDesc& r, device::Texture& t) {
    switch (r.resType) {
        case cudaResourceTypeArray: {
            const auto* a = r.res.array.array;
            if (!a) return cudaErrorInvalidValue;
            if (a->flags & cudaArrayCubemap) break;
            t.data = reinterpret_cast<device::Address>(a->data);
            t.pitch = a->pitch(), t.slice = a->slice();
            t.width = static_cast<std::uint32_t>(a->width()), t.height = static_cast<std::uint32_t>(a->height());
            t.depth = static_cast<std::uint32_t>(a->depth());
            return format_of(a->format, t);
        }
        case cudaResourceTypeLinear: {
            const auto& l = r.res.linear;
            if (auto e = format_of(l.desc, t); e != cudaSuccess) return e;
            t.data = reinterpret_cast<device::Address>(l.devPtr);
            t.width = static_cast<std::uint32_t>(l.sizeInBytes / (t.channels * t.bits / 8));
            t.pitch = t.slice = l.sizeInBytes;
            return MemoryTable::get().find(l.devPtr) ? cudaSuccess : cudaErrorInvalidValue;
        }
        case cudaResourceTypePitch2D: {
            const auto& p = r.res.pitch2D;
            t.data = reinterpret_cast<device::Address>(p.devPtr);
            t.width = static_cast<std::uint32_t>(p.width), t.height = static_cast<std::uint32_t>(p.height);
            t.pitch = p.pitchInBytes, t.slice = p.pitchInBytes * p.height;
            if (!MemoryTable::get().find(p.devPtr)) return cudaErrorInvalidValue;
            return format_of(p.desc, t);
        }
        default: break;
    }
    Runtime::get().say("cube maps and mipmapped arrays are not supported by the emulated GPU's runtime library");
    return cudaErrorNotSupported;
}

cudaError_t make(const device::Texture& t, const Object& object, unsigned long long* handle) {
    auto* device = Runtime::get().device();
    auto made = device->make_texture(t);
    if (!made) return cudaErrorMemoryAllocation;
    *handle = *made;
    std::lock_guard lock(objects_mutex);
    objects()[*handle] = object;
    return cudaSuccess;
}

cudaError_t destroy(unsigned long long handle) {
    if (handle == 0) return cudaSuccess;
    {
        std::lock_guard lock(objects_mutex);
        if (!objects().erase(handle)) return cudaErrorInvalidValue;
    }
    Scheduler::get().wait_all();
    return Runtime::get().device()->release(handle) ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

namespace impl {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource, const cudaTextureDesc* sampling,
                                    const cudaResourceViewDesc*) {
    if (!texture || !resource || !sampling) return cudaErrorInvalidValue;
    if (!Runtime::get().device()) return cudaErrorInitializationError;
    device::Texture t;
    if (auto e = resource_of(*resource, t); e != cudaSuccess) return e;
    for (unsigned d = 0; d < 3; ++d) t.mode[d] = static_cast<device::Texture::Mode>(sampling->addressMode[d]);
    t.linear = sampling->filterMode == cudaFilterModeLinear;
    t.normalized_floats = sampling->readMode == cudaReadModeNormalizedFloat;
    t.normalized_coordinates = sampling->normalizedCoords != 0;
    for (unsigned k = 0; k < 4; ++k) t.border[k] = sampling->borderColor[k];
    const bool integers = t.kind != device::Texture::Kind::real;
    if (integers && t.linear && !t.normalized_floats) return cudaErrorInvalidFilterSetting;
    if (integers && t.bits == 32 && t.normalized_floats) return cudaErrorInvalidNormSetting;
    return make(t, {*resource, *sampling}, texture);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) { return destroy(texture); }

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t texture) {
    std::lock_guard lock(objects_mutex);
    auto found = objects().find(texture);
    if (found == objects().end() || !resource) return cudaErrorInvalidValue;
    *resource = found->second.resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* sampling, cudaTextureObject_t texture) {
    std::lock_guard lock(objects_mutex);
    auto found = objects().find(texture);
    if (found == objects().end() || !sampling) return cudaErrorInvalidValue;
    *sampling = found->second.sampling;
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* resource) {
    if (!surface || !resource || resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
    if (!Runtime::get().device()) return cudaErrorInitializationError;
    device::Texture t;
    if (auto e = resource_of(*resource, t); e != cudaSuccess) return e;
    t.surface = true;
    return make(t, {*resource, {}}, surface);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) { return destroy(surface); }
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t surface) {
    return impl::cudaGetTextureObjectResourceDesc(resource, surface);
}

}  // namespace impl
}  // namespace warpwright::cudart
