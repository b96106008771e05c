// The driver says by a flag what the runtime library says by a read mode, so narrow integer formats must be known for
// the conversion. Both directions stand together, so that they stay inverse to each other.
#include "cuda_driver/state/sampling.hpp"

#include <cstring>

#include "cuda_driver/state/formats.hpp"
#include "cuda_driver/state/handles.hpp"
#include "cudart/memory/memory_table.hpp"

namespace warpwright::cuda_driver {
namespace arrays = cudart::arrays;
namespace {

cudaChannelFormatDesc format_of(const cudaResourceDesc& r) {
    cudaChannelFormatDesc f{};
    const auto array = arrays::find(r.resType == cudaResourceTypeArray ? r.res.array.array : nullptr);
    const auto levels =
        arrays::find(r.resType == cudaResourceTypeMipmappedArray ? r.res.mipmap.mipmap : cudaMipmappedArray_t{});
    if (array)
        f = array->format;
    else if (levels)
        f = levels->format;
    else if (r.resType == cudaResourceTypeLinear)
        f = r.res.linear.desc;
    else if (r.resType == cudaResourceTypePitch2D)
        f = r.res.pitch2D.desc;
    return f;
}

bool integers(const cudaChannelFormatDesc& f) {
    return f.f == cudaChannelFormatKindSigned || f.f == cudaChannelFormatKindUnsigned;
}

}  // namespace

std::shared_ptr<cudart::Array> array_of(CUarray array) { return arrays::find(handle_of(array)); }
std::shared_ptr<cudart::MipmappedArray> mipmaps_of(CUmipmappedArray array) { return arrays::find(handle_of(array)); }

bool narrow_integers(const cudaResourceDesc& r) {
    const auto f = format_of(r);
    return integers(f) && f.x < 32;
}

CUresult resource_of(const CUDA_RESOURCE_DESC& d, cudaResourceDesc& out) {
    std::memset(static_cast<void*>(&out), 0, sizeof out);
    out.resType = static_cast<cudaResourceType>(d.resType);
    out.flags = d.flags;
    auto& r = out.res;
    switch (d.resType) {
        case CU_RESOURCE_TYPE_ARRAY:
            r.array.array = handle_of(d.res.array.hArray);
            return array_of(d.res.array.hArray) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
        case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
            r.mipmap.mipmap = handle_of(d.res.mipmap.hMipmappedArray);
            return mipmaps_of(d.res.mipmap.hMipmappedArray) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
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

cudaTextureDesc sampling_of(const CUDA_TEXTURE_DESC& d, bool narrow) {
    cudaTextureDesc out{};
    for (int k = 0; k < 3; ++k) out.addressMode[k] = static_cast<cudaTextureAddressMode>(d.addressMode[k]);
    out.filterMode = static_cast<cudaTextureFilterMode>(d.filterMode);
    out.readMode =
        !(d.flags & CU_TRSF_READ_AS_INTEGER) && narrow ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
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

CUresult driver_resource(const cudaResourceDesc& r, CUDA_RESOURCE_DESC& to) {
    std::memset(static_cast<void*>(&to), 0, sizeof to);
    to.resType = static_cast<CUresourcetype>(r.resType);
    to.flags = r.flags;
    bool known = true;
    if (r.resType == cudaResourceTypeArray) {
        to.res.array.hArray = reinterpret_cast<CUarray>(r.res.array.array);
    } else if (r.resType == cudaResourceTypeMipmappedArray) {
        to.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(r.res.mipmap.mipmap);
    } else if (r.resType == cudaResourceTypeLinear) {
        auto& l = to.res.linear;
        l.devPtr = reinterpret_cast<CUdeviceptr>(r.res.linear.devPtr), l.sizeInBytes = r.res.linear.sizeInBytes;
        known = driver_format(r.res.linear.desc, l.format, l.numChannels);
    } else {
        auto& p = to.res.pitch2D;
        p.devPtr = reinterpret_cast<CUdeviceptr>(r.res.pitch2D.devPtr);
        p.width = r.res.pitch2D.width, p.height = r.res.pitch2D.height, p.pitchInBytes = r.res.pitch2D.pitchInBytes;
        known = driver_format(r.res.pitch2D.desc, p.format, p.numChannels);
    }
    return known ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUDA_TEXTURE_DESC driver_sampling(const cudaTextureDesc& d, const cudaResourceDesc& resource) {
    CUDA_TEXTURE_DESC out{};
    for (int k = 0; k < 3; ++k) out.addressMode[k] = static_cast<CUaddress_mode>(d.addressMode[k]);
    out.filterMode = static_cast<CUfilter_mode>(d.filterMode);
    const bool whole = d.readMode == cudaReadModeElementType && integers(format_of(resource));
    out.flags = (whole ? CU_TRSF_READ_AS_INTEGER : 0u) | (d.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
                (d.sRGB ? CU_TRSF_SRGB : 0u) |
                (d.disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u) |
                (d.seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u);
    std::memcpy(out.borderColor, d.borderColor, sizeof out.borderColor);
    out.maxAnisotropy = d.maxAnisotropy;
    out.mipmapFilterMode = static_cast<CUfilter_mode>(d.mipmapFilterMode);
    out.mipmapLevelBias = d.mipmapLevelBias;
    out.minMipmapLevelClamp = d.minMipmapLevelClamp, out.maxMipmapLevelClamp = d.maxMipmapLevelClamp;
    return out;
}

}  // namespace warpwright::cuda_driver
