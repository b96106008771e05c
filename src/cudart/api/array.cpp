// Arrays and mipmapped arrays.
#include <algorithm>

#include "cudart/api/api.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/memory/texture.hpp"
#include "cudart/state/properties.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/stream.hpp"
#include "cudart/work/stream/wait_for_device.hpp"

namespace warpwright::cudart {
namespace {

constexpr unsigned kKnown =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather | cudaArrayColorAttachment;
constexpr std::size_t kLevelAlignment = 512;

bool fits(const cudaExtent& e, int width, int height, int depth) {
    return e.width <= static_cast<std::size_t>(width) && e.height <= static_cast<std::size_t>(height) &&
           e.depth <= static_cast<std::size_t>(depth);
}

/// Whether an array may have this extent: the requirements of each flag, and the largest size of each kind.
cudaError_t check_shape(const cudaExtent& e, unsigned flags) {
    if (flags & (cudaArraySparse | cudaArrayDeferredMapping)) {
        Runtime::get().say(
            "sparse arrays and arrays without memory of their own are not supported by the emulated GPU's runtime "
            "library");
        return cudaErrorNotSupported;
    }
    if ((flags & ~kKnown) || e.width == 0) return cudaErrorInvalidValue;
    const bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
    if (layered && e.depth == 0) return cudaErrorInvalidValue;
    if (!layered && e.height == 0 && e.depth != 0) return cudaErrorInvalidValue;
    if (cube && (e.width != e.height || (layered ? e.depth == 0 || e.depth % 6 != 0 : e.depth != 6)))
        return cudaErrorInvalidValue;
    if ((flags & cudaArrayTextureGather) && (e.height == 0 || cube || (e.depth != 0 && !layered)))
        return cudaErrorInvalidValue;
    cudaDeviceProp p;
    fill_properties_of(p, 0);
    bool good = true;
    if (cube)
        good = fits(e, p.maxTextureCubemap, p.maxTextureCubemap, layered ? p.maxTextureCubemapLayered[1] : 6);
    else if (layered && e.height == 0)
        good = fits(e, p.maxTexture1DLayered[0], 0, p.maxTexture1DLayered[1]);
    else if (layered)
        good = fits(e, p.maxTexture2DLayered[0], p.maxTexture2DLayered[1], p.maxTexture2DLayered[2]);
    else if (e.depth)
        good = fits(e, p.maxTexture3D[0], p.maxTexture3D[1], p.maxTexture3D[2]);
    else if (e.height)
        good = fits(e, p.maxTexture2D[0], p.maxTexture2D[1], 0);
    else
        good = fits(e, p.maxTexture1D, 0, 0);
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t check_array(const cudaChannelFormatDesc& format, const cudaExtent& extent, unsigned flags) {
    if (auto e = check_shape(extent, flags); e != cudaSuccess) return e;
    device::Texture t;
    return set_format(format, t);
}

std::shared_ptr<Array> array_of(const cudaChannelFormatDesc& format, const cudaExtent& extent, unsigned flags) {
    auto a = std::make_shared<Array>();
    a->format = format, a->extent = extent, a->flags = flags;
    a->element = element_bytes(format);
    return a;
}

/// Layers and faces are as many in each level.
cudaExtent level_extent(const cudaExtent& e, unsigned flags, unsigned level) {
    const auto half = [level](std::size_t n) { return n == 0 ? 0 : std::max<std::size_t>(n >> level, 1); };
    return {half(e.width), half(e.height), flags & (cudaArrayLayered | cudaArrayCubemap) ? e.depth : half(e.depth)};
}

}  // namespace

namespace impl {

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags) {
    if (!array || !format) return cudaErrorInvalidValue;
    if (auto e = check_array(*format, extent, flags); e != cudaSuccess) return e;
    auto a = array_of(*format, extent, flags);
    void* data = nullptr;
    if (auto e = MemoryTable::get().allocate(&data, a->slice() * a->depth(), Block::Kind::device); e != cudaSuccess)
        return e;
    a->data = static_cast<std::byte*>(data);
    *array = arrays::add(std::move(a));
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width, size_t height,
                            unsigned flags) {
    return impl::cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    if (!array) return cudaSuccess;
    if (auto e = wait_for_devices(); e != cudaSuccess) return e;
    const auto own = arrays::take(array);
    if (!own) return arrays::find(array) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    return MemoryTable::get().release(own->data, false);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array, const cudaChannelFormatDesc* format,
                                     cudaExtent extent, unsigned levels, unsigned flags) {
    if (!array || !format) return cudaErrorInvalidValue;
    if (auto e = check_array(*format, extent, flags); e != cudaSuccess) return e;
    auto longest = std::max(extent.width, extent.height);
    if (!(flags & (cudaArrayLayered | cudaArrayCubemap))) longest = std::max(longest, extent.depth);
    unsigned most = 1;
    while (longest >> most) ++most;
    levels = std::clamp(levels, 1u, most);
    auto m = std::make_shared<MipmappedArray>();
    m->format = *format, m->extent = extent, m->flags = flags;
    std::size_t bytes = 0;
    std::vector<std::size_t> at;
    for (unsigned k = 0; k < levels; ++k) {
        m->levels.push_back(array_of(*format, level_extent(extent, flags, k), flags));
        at.push_back(bytes);
        bytes +=
            (m->levels[k]->slice() * m->levels[k]->depth() + kLevelAlignment - 1) / kLevelAlignment * kLevelAlignment;
    }
    void* data = nullptr;
    if (auto e = MemoryTable::get().allocate(&data, bytes, Block::Kind::device); e != cudaSuccess) return e;
    m->data = static_cast<std::byte*>(data);
    for (unsigned k = 0; k < levels; ++k) m->levels[k]->data = m->data + at[k];
    *array = arrays::add(std::move(m));
    return cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t array, unsigned number) {
    const auto own = arrays::find(array);
    if (!level || !own || number >= own->levels.size()) return cudaErrorInvalidValue;
    *level = own->level_handles[number];
    return cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
    if (!array) return cudaSuccess;
    if (auto e = wait_for_devices(); e != cudaSuccess) return e;
    const auto own = arrays::take(array);
    if (!own) return cudaErrorInvalidResourceHandle;
    return MemoryTable::get().release(own->data, false);
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t array) {
    const auto own = arrays::find(array);
    if (!own) return cudaErrorInvalidResourceHandle;
    if (format) *format = own->format;
    if (extent) *extent = own->extent;
    if (flags) *flags = own->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
    const auto own = arrays::find(array);
    if (!own || !format) return cudaErrorInvalidValue;
    *format = own->format;
    return cudaSuccess;
}

// Features of arrays that this library does not have: several planes, memory that is mapped later, sparse tiles.
cudaError_t cudaArrayGetPlane(cudaArray_t*, cudaArray_t array, unsigned) {
    return arrays::find(array) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
}
cudaError_t cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements*, cudaArray_t, int) {
    return cudaErrorInvalidValue;
}
cudaError_t cudaMipmappedArrayGetMemoryRequirements(cudaArrayMemoryRequirements*, cudaMipmappedArray_t, int) {
    return cudaErrorInvalidValue;
}
cudaError_t cudaArrayGetSparseProperties(cudaArraySparseProperties*, cudaArray_t) { return cudaErrorInvalidValue; }
cudaError_t cudaMipmappedArrayGetSparseProperties(cudaArraySparseProperties*, cudaMipmappedArray_t) {
    return cudaErrorInvalidValue;
}

}  // namespace impl
}  // namespace warpwright::cudart
