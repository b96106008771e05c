// Texture and surface references, which CUDA had until version 11: global variables of the device that the host binds
// to memory. Here the device's variable holds the object bound to it.
#include <map>
#include <mutex>

#include "cudart/api/api.hpp"
#include "cudart/memory/texture.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/texture_objects.hpp"

namespace warpwright::cudart {
namespace {

struct Binding {
    unsigned long long object = 0;
    std::size_t offset = 0;  ///< bytes between the aligned start and the bound address
};

std::mutex bindings_mutex;
std::map<const void*, Binding>& bindings() {
    static auto* all = new std::map<const void*, Binding>;
    return *all;
}

/// Binds an object (0: none).
cudaError_t put(const void* reference, Binding binding) {
    device::Address at = 0;
    std::uint64_t bytes = 0;
    if (auto e = Registry::get().variable(reference, at, bytes); e != cudaSuccess) return e;
    if (auto e = bind_object(at, binding.object); e != cudaSuccess) return e;
    Binding before;
    {
        std::lock_guard lock(bindings_mutex);
        std::swap(before, bindings()[reference]);
        if (binding.object)
            bindings()[reference] = binding;
        else
            bindings().erase(reference);
    }
    return before.object ? destroy_object(before.object) : cudaSuccess;
}

/// The host's variable says at binding time how the texture is read.
cudaTextureDesc sampling_of(const textureReference& r, bool normalized_floats) {
    cudaTextureDesc d = {};
    for (unsigned k = 0; k < 3; ++k) d.addressMode[k] = r.addressMode[k];
    d.filterMode = r.filterMode;
    d.readMode = normalized_floats ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.sRGB = r.sRGB;
    d.normalizedCoords = r.normalized;
    d.maxAnisotropy = r.maxAnisotropy;
    d.mipmapFilterMode = r.mipmapFilterMode;
    d.mipmapLevelBias = r.mipmapLevelBias, d.minMipmapLevelClamp = r.minMipmapLevelClamp,
    d.maxMipmapLevelClamp = r.maxMipmapLevelClamp;
    return d;
}

cudaError_t bind(const textureReference* reference, const cudaResourceDesc& resource, std::size_t offset,
                 const cudaChannelFormatDesc* format = nullptr) {
    const auto kind = Registry::get().reference(reference);
    if (!kind || kind->surface) return cudaErrorInvalidTexture;
    if (!Runtime::get().device()) return cudaErrorInitializationError;
    device::Texture t;
    if (auto e = set_resource(resource, t); e != cudaSuccess) return e;
    if (format)
        if (auto e = set_format(*format, t); e != cudaSuccess) return e;
    if (auto e = set_sampling(sampling_of(*reference, kind->normalized_floats), resource, t); e != cudaSuccess)
        return e;
    Binding b{0, offset};
    if (auto e = make_object(t, &b.object); e != cudaSuccess) return e;
    return put(reference, b);
}

/// Moves the address back to the last one at which a texture may start. False: the caller has no place for the
/// distance.
bool aligned(const void*& pointer, size_t* offset, std::size_t& behind) {
    behind = behind_alignment(pointer);
    if (offset) *offset = behind;
    pointer = static_cast<const std::byte*>(pointer) - behind;
    return offset || behind == 0;
}

}  // namespace

namespace impl {

cudaError_t cudaBindTexture(size_t* offset, const textureReference* texture, const void* pointer,
                            const cudaChannelFormatDesc* format, size_t bytes) {
    if (!texture || !pointer || !format) return cudaErrorInvalidValue;
    std::size_t behind = 0;
    if (!aligned(pointer, offset, behind)) return cudaErrorInvalidValue;
    const auto block = MemoryTable::get().find(pointer);
    if (!block) return cudaErrorInvalidValue;
    const std::size_t there = block->address + block->bytes - reinterpret_cast<std::uint64_t>(pointer);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = const_cast<void*>(pointer), r.res.linear.desc = *format;
    // UINT_MAX, the default, means all of the memory.
    r.res.linear.sizeInBytes = bytes >= there - std::min(there, behind) ? there : bytes + behind;
    return bind(texture, r, behind);
}

cudaError_t cudaBindTexture2D(size_t* offset, const textureReference* texture, const void* pointer,
                              const cudaChannelFormatDesc* format, size_t width, size_t height, size_t pitch) {
    if (!texture || !pointer || !format) return cudaErrorInvalidValue;
    std::size_t behind = 0;
    if (!aligned(pointer, offset, behind)) return cudaErrorInvalidValue;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    auto& p = r.res.pitch2D;
    p.devPtr = const_cast<void*>(pointer), p.desc = *format, p.width = width, p.height = height, p.pitchInBytes = pitch;
    return bind(texture, r, behind);
}

cudaError_t cudaBindTextureToArray(const textureReference* texture, cudaArray_const_t array,
                                   const cudaChannelFormatDesc* format) {
    const auto own = arrays::find(array);
    if (!texture || !own || !format) return cudaErrorInvalidValue;
    if (element_bytes(*format) != own->element) return cudaErrorInvalidChannelDescriptor;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = const_cast<cudaArray_t>(array);
    return bind(texture, r, 0, format);
}

cudaError_t cudaBindTextureToMipmappedArray(const textureReference* texture, cudaMipmappedArray_const_t array,
                                            const cudaChannelFormatDesc* format) {
    const auto own = arrays::find(array);
    if (!texture || !own || !format) return cudaErrorInvalidValue;
    if (element_bytes(*format) != element_bytes(own->format)) return cudaErrorInvalidChannelDescriptor;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = const_cast<cudaMipmappedArray_t>(array);
    return bind(texture, r, 0, format);
}

cudaError_t cudaUnbindTexture(const textureReference* texture) {
    const auto kind = Registry::get().reference(texture);
    if (!kind || kind->surface) return cudaErrorInvalidTexture;
    return put(texture, {});
}

cudaError_t cudaGetTextureAlignmentOffset(size_t* offset, const textureReference* texture) {
    const auto kind = Registry::get().reference(texture);
    if (!offset || !kind || kind->surface) return cudaErrorInvalidTexture;
    std::lock_guard lock(bindings_mutex);
    const auto found = bindings().find(texture);
    if (found == bindings().end()) return cudaErrorInvalidTextureBinding;
    *offset = found->second.offset;
    return cudaSuccess;
}

cudaError_t cudaGetTextureReference(const textureReference** texture, const void* symbol) {
    const auto kind = Registry::get().reference(symbol);
    if (!texture || !kind || kind->surface) return cudaErrorInvalidTexture;
    *texture = static_cast<const textureReference*>(symbol);
    return cudaSuccess;
}

cudaError_t cudaBindSurfaceToArray(const surfaceReference* surface, cudaArray_const_t array,
                                   const cudaChannelFormatDesc* format) {
    const auto own = arrays::find(array);
    if (!surface || !own || !format || !(own->flags & cudaArraySurfaceLoadStore)) return cudaErrorInvalidValue;
    const auto kind = Registry::get().reference(surface);
    if (!kind || !kind->surface) return cudaErrorInvalidSurface;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = const_cast<cudaArray_t>(array);
    if (!Runtime::get().device()) return cudaErrorInitializationError;
    device::Texture t;
    if (auto e = set_resource(r, t); e != cudaSuccess) return e;
    t.surface = true;
    Binding b;
    if (auto e = make_object(t, &b.object); e != cudaSuccess) return e;
    return put(surface, b);
}

cudaError_t cudaGetSurfaceReference(const surfaceReference** surface, const void* symbol) {
    const auto kind = Registry::get().reference(symbol);
    if (!surface || !kind || !kind->surface) return cudaErrorInvalidSurface;
    *surface = static_cast<const surfaceReference*>(symbol);
    return cudaSuccess;
}

}  // namespace impl
}  // namespace warpwright::cudart
