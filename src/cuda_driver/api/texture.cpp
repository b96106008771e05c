// Arrays, textures, surfaces, tensor maps.
#include <cstring>

#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/formats.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/memory/tensor_map.hpp"
#include "cudart/memory/texture.hpp"

namespace warpwright::cuda_driver::impl {
namespace {

cudaMipmappedArray_t mipmaps_of(CUmipmappedArray array) { return reinterpret_cast<cudaMipmappedArray_t>(array); }

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
    if (auto e = rt::cudaArrayGetInfo(&format, &extent, &d->Flags, array_of(array)); e != cudaSuccess)
        return code_of(e);
    d->Width = extent.width, d->Height = extent.height, d->Depth = extent.depth;
    return driver_format(format, d->Format, d->NumChannels) ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult resource_of(const CUDA_RESOURCE_DESC& d, cudaResourceDesc& out) {
    std::memset(static_cast<void*>(&out), 0, sizeof out);
    out.resType = static_cast<cudaResourceType>(d.resType);
    out.flags = d.flags;
    auto& r = out.res;
    switch (d.resType) {
        case CU_RESOURCE_TYPE_ARRAY:
            r.array.array = array_of(d.res.array.hArray);
            return CUDA_SUCCESS;
        case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
            r.mipmap.mipmap = mipmaps_of(d.res.mipmap.hMipmappedArray);
            return CUDA_SUCCESS;
        case CU_RESOURCE_TYPE_LINEAR: {
            const auto& l = d.res.linear;
            r.linear.devPtr = at(l.devPtr), r.linear.sizeInBytes = l.sizeInBytes;
            return channel_format(l.format, l.numChannels, r.linear.desc) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        }
        case CU_RESOURCE_TYPE_PITCH2D: {
            const auto& p = d.res.pitch2D;
            r.pitch2D.devPtr = at(p.devPtr);
            r.pitch2D.width = p.width, r.pitch2D.height = p.height, r.pitch2D.pitchInBytes = p.pitchInBytes;
            return channel_format(p.format, p.numChannels, r.pitch2D.desc) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/// Whether the elements are integers of 8 or 16 bits, which a texture reads as numbers from 0 or -1 to 1 unless told
/// otherwise; and never those of 32 bits.
bool narrow_integers(const cudaResourceDesc& r) {
    cudaChannelFormatDesc f{};
    if (r.resType == cudaResourceTypeArray && r.res.array.array)
        f = r.res.array.array->format;
    else if (r.resType == cudaResourceTypeMipmappedArray && r.res.mipmap.mipmap)
        f = r.res.mipmap.mipmap->format;
    else if (r.resType == cudaResourceTypeLinear)
        f = r.res.linear.desc;
    else if (r.resType == cudaResourceTypePitch2D)
        f = r.res.pitch2D.desc;
    return (f.f == cudaChannelFormatKindSigned || f.f == cudaChannelFormatKindUnsigned) && f.x < 32;
}

cudaTextureDesc sampling_of(const CUDA_TEXTURE_DESC& d, const cudaResourceDesc& resource) {
    cudaTextureDesc out{};
    for (int k = 0; k < 3; ++k) out.addressMode[k] = static_cast<cudaTextureAddressMode>(d.addressMode[k]);
    out.filterMode = static_cast<cudaTextureFilterMode>(d.filterMode);
    out.readMode = !(d.flags & CU_TRSF_READ_AS_INTEGER) && narrow_integers(resource) ? cudaReadModeNormalizedFloat
                                                                                     : cudaReadModeElementType;
    out.sRGB = (d.flags & CU_TRSF_SRGB) != 0;
    out.normalizedCoords = (d.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    out.disableTrilinearOptimization = (d.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
    out.seamlessCubemap = (d.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
    std::memcpy(out.borderColor, d.borderColor, sizeof out.borderColor);
    out.maxAnisotropy = d.maxAnisotropy;
    out.mipmapFilterMode = static_cast<cudaTextureFilterMode>(d.mipmapFilterMode);
    out.mipmapLevelBias = d.mipmapLevelBias;
    out.minMipmapLevelClamp = d.minMipmapLevelClamp, out.maxMipmapLevelClamp = d.maxMipmapLevelClamp;
    return out;
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
    return array ? code_of(rt::cudaFreeArray(array_of(array))) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* d, unsigned levels) {
    cudaChannelFormatDesc format;
    if (!array || !d || !channel_format(d->Format, d->NumChannels, format)) return CUDA_ERROR_INVALID_VALUE;
    return code_of(rt::cudaMallocMipmappedArray(reinterpret_cast<cudaMipmappedArray_t*>(array), &format,
                                                {d->Width, d->Height, d->Depth}, levels, d->Flags));
}
CUresult cuMipmappedArrayGetLevel(CUarray* level, CUmipmappedArray array, unsigned number) {
    return code_of(rt::cudaGetMipmappedArrayLevel(reinterpret_cast<cudaArray_t*>(level), mipmaps_of(array), number));
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
    return array ? code_of(rt::cudaFreeMipmappedArray(mipmaps_of(array))) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* d, const CUDA_TEXTURE_DESC* s,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
    if (!texture || !d || !s) return CUDA_ERROR_INVALID_VALUE;
    cudaResourceDesc resource;
    if (auto e = resource_of(*d, resource); e != CUDA_SUCCESS) return e;
    const auto sampling = sampling_of(*s, resource);
    return code_of(rt::cudaCreateTextureObject(texture, &resource, &sampling, view));
}
CUresult cuTexObjectDestroy(CUtexObject texture) { return code_of(rt::cudaDestroyTextureObject(texture)); }

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* to, CUtexObject texture) {
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    cudaResourceDesc r;
    if (auto e = rt::cudaGetTextureObjectResourceDesc(&r, texture); e != cudaSuccess) return code_of(e);
    std::memset(static_cast<void*>(to), 0, sizeof *to);
    to->resType = static_cast<CUresourcetype>(r.resType);
    to->flags = r.flags;
    bool known = true;
    if (r.resType == cudaResourceTypeArray) {
        to->res.array.hArray = reinterpret_cast<CUarray>(r.res.array.array);
    } else if (r.resType == cudaResourceTypeMipmappedArray) {
        to->res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(r.res.mipmap.mipmap);
    } else if (r.resType == cudaResourceTypeLinear) {
        auto& l = to->res.linear;
        l.devPtr = reinterpret_cast<CUdeviceptr>(r.res.linear.devPtr), l.sizeInBytes = r.res.linear.sizeInBytes;
        known = driver_format(r.res.linear.desc, l.format, l.numChannels);
    } else {
        auto& p = to->res.pitch2D;
        p.devPtr = reinterpret_cast<CUdeviceptr>(r.res.pitch2D.devPtr);
        p.width = r.res.pitch2D.width, p.height = r.res.pitch2D.height, p.pitchInBytes = r.res.pitch2D.pitchInBytes;
        known = driver_format(r.res.pitch2D.desc, p.format, p.numChannels);
    }
    return known ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuSurfObjectCreate(CUsurfObject* surface, const CUDA_RESOURCE_DESC* d) {
    if (!surface || !d) return CUDA_ERROR_INVALID_VALUE;
    cudaResourceDesc resource;
    if (auto e = resource_of(*d, resource); e != CUDA_SUCCESS) return e;
    return code_of(rt::cudaCreateSurfaceObject(surface, &resource));
}
CUresult cuSurfObjectDestroy(CUsurfObject surface) { return code_of(rt::cudaDestroySurfaceObject(surface)); }

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    return static_cast<CUresult>(cudart::encode_tensor_map(map, type, rank, address, sizes, strides, box, steps,
                                                           interleave, swizzle, promotion, fill));
}

}  // namespace warpwright::cuda_driver::impl
