// Arrays, textures, surfaces, tensor maps.
#include "cudart/memory/texture.hpp"
#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/formats.hpp"
#include "cuda_driver/state/sampling.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/memory/tensor_map.hpp"

namespace warpwright::cuda_driver::impl {
namespace {

/// The driver's flags of arrays have the runtime's numbers.
CUresult make(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR& d) {
    cudaChannelFormatDesc format;
    if (!array || !channel_format(d.Format, d.NumChannels, format)) return CUDA_ERROR_INVALID_VALUE;
    return code_of(
        rt::cudaMalloc3DArray(reinterpret_cast<cudaArray_t*>(array), &format, {d.Width, d.Height, d.Depth}, d.Flags));
}

CUresult describe(CUDA_ARRAY3D_DESCRIPTOR* d, CUarray array) {
    if (!d || !array) return CUDA_ERROR_INVALID_VALUE;
    cudaChannelFormatDesc format;
    cudaExtent extent;
    if (auto e = rt::cudaArrayGetInfo(&format, &extent, &d->Flags, handle_of(array)); e != cudaSuccess)
        return code_of(e);
    d->Width = extent.width, d->Height = extent.height, d->Depth = extent.depth;
    return driver_format(format, d->Format, d->NumChannels) ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace

CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* d) {
    return d ? make(array, *d) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuArrayCreate_v2(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* d) {
    return d ? make(array, {d->Width, d->Height, 0, d->Format, d->NumChannels, 0}) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* d, CUarray array) { return describe(d, array); }
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* d, CUarray array) {
    if (!d) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR all{};
    if (auto e = describe(&all, array); e != CUDA_SUCCESS) return e;
    *d = {all.Width, all.Height, all.Format, all.NumChannels};
    return CUDA_SUCCESS;
}
CUresult cuArrayDestroy(CUarray array) {
    return array_of(array) ? code_of(rt::cudaFreeArray(handle_of(array))) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* d, unsigned levels) {
    cudaChannelFormatDesc format;
    if (!array || !d || !channel_format(d->Format, d->NumChannels, format)) return CUDA_ERROR_INVALID_VALUE;
    return code_of(rt::cudaMallocMipmappedArray(reinterpret_cast<cudaMipmappedArray_t*>(array), &format,
                                                {d->Width, d->Height, d->Depth}, levels, d->Flags));
}
CUresult cuMipmappedArrayGetLevel(CUarray* level, CUmipmappedArray array, unsigned number) {
    if (!mipmaps_of(array)) return CUDA_ERROR_INVALID_HANDLE;
    return code_of(rt::cudaGetMipmappedArrayLevel(reinterpret_cast<cudaArray_t*>(level), handle_of(array), number));
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
    return mipmaps_of(array) ? code_of(rt::cudaFreeMipmappedArray(handle_of(array))) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* d, const CUDA_TEXTURE_DESC* s,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
    if (!texture || !d || !s) return CUDA_ERROR_INVALID_VALUE;
    cudaResourceDesc resource;
    if (auto e = resource_of(*d, resource); e != CUDA_SUCCESS) return e;
    const auto sampling = sampling_of(*s, narrow_integers(resource));
    return code_of(rt::cudaCreateTextureObject(texture, &resource, &sampling, view));
}
CUresult cuTexObjectDestroy(CUtexObject texture) { return code_of(rt::cudaDestroyTextureObject(texture)); }

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* to, CUtexObject texture) {
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    cudaResourceDesc r;
    if (auto e = rt::cudaGetTextureObjectResourceDesc(&r, texture); e != cudaSuccess) return code_of(e);
    return driver_resource(r, *to);
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* to, CUtexObject texture) {
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    cudaTextureDesc d;
    cudaResourceDesc r;
    if (auto e = rt::cudaGetTextureObjectTextureDesc(&d, texture); e != cudaSuccess) return code_of(e);
    if (auto e = rt::cudaGetTextureObjectResourceDesc(&r, texture); e != cudaSuccess) return code_of(e);
    *to = driver_sampling(d, r);
    return CUDA_SUCCESS;
}
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* to, CUtexObject texture) {
    return code_of(rt::cudaGetTextureObjectResourceViewDesc(to, texture));
}

CUresult cuSurfObjectCreate(CUsurfObject* surface, const CUDA_RESOURCE_DESC* d) {
    if (!surface || !d) return CUDA_ERROR_INVALID_VALUE;
    cudaResourceDesc resource;
    if (auto e = resource_of(*d, resource); e != CUDA_SUCCESS) return e;
    return code_of(rt::cudaCreateSurfaceObject(surface, &resource));
}
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* to, CUsurfObject surface) {
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    cudaResourceDesc r;
    if (auto e = rt::cudaGetSurfaceObjectResourceDesc(&r, surface); e != cudaSuccess) return code_of(e);
    return driver_resource(r, *to);
}
CUresult cuSurfObjectDestroy(CUsurfObject surface) { return code_of(rt::cudaDestroySurfaceObject(surface)); }

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    return static_cast<CUresult>(cudart::encode_tensor_map(
        map, {type, rank, address, sizes, strides, steps, interleave, swizzle, promotion, fill}, box));
}
CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
    return static_cast<CUresult>(cudart::replace_tensor_address(map, address));
}
CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                 const cuuint64_t* sizes, const cuuint64_t* strides, const int* lower, const int* upper,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    return static_cast<CUresult>(cudart::encode_im2col_map(
        map, {type, rank, address, sizes, strides, steps, interleave, swizzle, promotion, fill}, lower, upper, channels,
        pixels));
}

}  // namespace warpwright::cuda_driver::impl
