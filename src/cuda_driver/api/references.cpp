// Texture and surface references of modules.
#include "cuda_driver/state/references.hpp"

#include <algorithm>

#include "cuda_driver/state/formats.hpp"
#include "cudart/registry/registry.hpp"

namespace warpwright::cuda_driver::impl {
namespace {

constexpr unsigned kFlags =
    CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;

/// Changes what was said of a texture reference.
template <class F>
CUresult say(CUtexref reference, F work) {
    return references::change(reference, false, work);
}

/// The same for work that cannot fail.
template <class F>
CUresult set(CUtexref reference, F work) {
    return say(reference, [&](Reference& r) { return work(r), CUDA_SUCCESS; });
}

template <class T, class F>
CUresult get(T* to, CUtexref reference, F value) {
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    return references::ask(reference, false, [&](const Reference& r) { return *to = value(r), CUDA_SUCCESS; });
}

bool is_mode(CUfilter_mode mode) { return mode == CU_TR_FILTER_MODE_POINT || mode == CU_TR_FILTER_MODE_LINEAR; }

CUresult bind(Reference& r, const CUDA_RESOURCE_DESC& resource, CUdeviceptr given) {
    r.resource = resource, r.given = given, r.bound = r.fresh = true;
    return CUDA_SUCCESS;
}

CUDA_RESOURCE_DESC array_resource(CUarray array) {
    CUDA_RESOURCE_DESC d{};
    d.resType = CU_RESOURCE_TYPE_ARRAY;
    d.res.array.hArray = array;
    return d;
}

/// The array that a reference is bound to; an error if it is bound to none.
CUresult array_of_reference(CUarray* array, const Reference& r) {
    if (!r.bound || r.resource.resType != CU_RESOURCE_TYPE_ARRAY) return CUDA_ERROR_INVALID_VALUE;
    *array = r.resource.res.array.hArray;
    return CUDA_SUCCESS;
}

}  // namespace

CUresult cuModuleGetTexRef(CUtexref* reference, CUmodule module, const char* name) {
    return references::of_module(reinterpret_cast<Reference**>(reference), module, name, false);
}
CUresult cuModuleGetSurfRef(CUsurfref* reference, CUmodule module, const char* name) {
    return references::of_module(reinterpret_cast<Reference**>(reference), module, name, true);
}
CUresult cuTexRefCreate(CUtexref* reference) {
    if (!reference) return CUDA_ERROR_INVALID_VALUE;
    *reference = reinterpret_cast<CUtexref>(references::create());
    return CUDA_SUCCESS;
}
CUresult cuTexRefDestroy(CUtexref reference) { return references::destroy(reinterpret_cast<Reference*>(reference)); }

CUresult cuTexRefSetArray(CUtexref reference, CUarray array, unsigned flags) {
    if (!array || flags != CU_TRSA_OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
    const auto known = array_of(array);
    if (!known) return CUDA_ERROR_INVALID_HANDLE;
    return say(reference, [&](Reference& r) {
        if (!driver_format(known->format, r.format, r.channels)) return CUDA_ERROR_NOT_SUPPORTED;
        return bind(r, array_resource(array), 0);
    });
}
CUresult cuTexRefSetMipmappedArray(CUtexref reference, CUmipmappedArray array, unsigned flags) {
    if (!array || flags != CU_TRSA_OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC d{};
    d.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    d.res.mipmap.hMipmappedArray = array;
    return say(reference, [&](Reference& r) { return bind(r, d, 0); });
}

CUresult cuTexRefSetAddress_v2(size_t* offset, CUtexref reference, CUdeviceptr pointer, size_t bytes) {
    if (!pointer || !bytes) return CUDA_ERROR_INVALID_VALUE;
    const auto behind = cudart::behind_alignment(at(pointer));
    if (behind && !offset) return CUDA_ERROR_INVALID_VALUE;
    if (offset) *offset = behind;
    CUDA_RESOURCE_DESC d{};
    d.resType = CU_RESOURCE_TYPE_LINEAR;
    d.res.linear.devPtr = pointer - behind, d.res.linear.sizeInBytes = bytes + behind;
    return say(reference, [&](Reference& r) { return bind(r, d, pointer); });
}
CUresult cuTexRefSetAddress2D_v3(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR* shape, CUdeviceptr pointer,
                                 size_t pitch) {
    if (!shape || !pointer || cudart::behind_alignment(at(pointer))) return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC d{};
    d.resType = CU_RESOURCE_TYPE_PITCH2D;
    auto& p = d.res.pitch2D;
    p.devPtr = pointer, p.width = shape->Width, p.height = shape->Height, p.pitchInBytes = pitch;
    p.format = shape->Format, p.numChannels = shape->NumChannels;
    return say(reference, [&](Reference& r) {
        r.format = shape->Format, r.channels = shape->NumChannels;
        return bind(r, d, pointer);
    });
}
CUresult cuTexRefSetAddress2D_v2(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR* shape, CUdeviceptr pointer,
                                 size_t pitch) {
    return cuTexRefSetAddress2D_v3(reference, shape, pointer, pitch);
}

CUresult cuTexRefSetFormat(CUtexref reference, CUarray_format format, int channels) {
    cudaChannelFormatDesc d;
    if (channels < 1 || !channel_format(format, static_cast<unsigned>(channels), d)) return CUDA_ERROR_INVALID_VALUE;
    return say(reference, [&](Reference& r) {
        // The format of rows in linear memory is given with them, and an array has its own.
        if (r.bound && r.resource.resType == CU_RESOURCE_TYPE_PITCH2D) return CUDA_ERROR_INVALID_VALUE;
        r.format = format, r.channels = static_cast<unsigned>(channels);
        return CUDA_SUCCESS;
    });
}
CUresult cuTexRefSetAddressMode(CUtexref reference, int dimension, CUaddress_mode mode) {
    if (dimension < 0 || dimension > 2 || mode < CU_TR_ADDRESS_MODE_WRAP || mode > CU_TR_ADDRESS_MODE_BORDER)
        return CUDA_ERROR_INVALID_VALUE;
    return set(reference, [&](Reference& r) { r.sampling.addressMode[dimension] = mode; });
}
CUresult cuTexRefSetFilterMode(CUtexref reference, CUfilter_mode mode) {
    if (!is_mode(mode)) return CUDA_ERROR_INVALID_VALUE;
    return set(reference, [&](Reference& r) { r.sampling.filterMode = mode; });
}
CUresult cuTexRefSetMipmapFilterMode(CUtexref reference, CUfilter_mode mode) {
    if (!is_mode(mode)) return CUDA_ERROR_INVALID_VALUE;
    return set(reference, [&](Reference& r) { r.sampling.mipmapFilterMode = mode; });
}
CUresult cuTexRefSetMipmapLevelBias(CUtexref reference, float bias) {
    return set(reference, [&](Reference& r) { r.sampling.mipmapLevelBias = bias; });
}
CUresult cuTexRefSetMipmapLevelClamp(CUtexref reference, float least, float most) {
    return set(reference,
               [&](Reference& r) { r.sampling.minMipmapLevelClamp = least, r.sampling.maxMipmapLevelClamp = most; });
}
CUresult cuTexRefSetMaxAnisotropy(CUtexref reference, unsigned most) {
    return set(reference, [&](Reference& r) { r.sampling.maxAnisotropy = most; });
}
CUresult cuTexRefSetBorderColor(CUtexref reference, float* colour) {
    if (!colour) return CUDA_ERROR_INVALID_VALUE;
    return set(reference, [&](Reference& r) { std::copy_n(colour, 4, r.sampling.borderColor); });
}
CUresult cuTexRefSetFlags(CUtexref reference, unsigned flags) {
    if (flags & ~kFlags) return CUDA_ERROR_INVALID_VALUE;
    return set(reference, [&](Reference& r) { r.sampling.flags = flags; });
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr* pointer, CUtexref reference) {
    if (!pointer) return CUDA_ERROR_INVALID_VALUE;
    return references::ask(reference, false, [&](const Reference& r) {
        if (!r.bound || !r.given) return CUDA_ERROR_INVALID_VALUE;
        *pointer = r.given;
        return CUDA_SUCCESS;
    });
}
CUresult cuTexRefGetArray(CUarray* array, CUtexref reference) {
    if (!array) return CUDA_ERROR_INVALID_VALUE;
    return references::ask(reference, false, [&](const Reference& r) { return array_of_reference(array, r); });
}
CUresult cuTexRefGetMipmappedArray(CUmipmappedArray* array, CUtexref reference) {
    if (!array) return CUDA_ERROR_INVALID_VALUE;
    return references::ask(reference, false, [&](const Reference& r) {
        if (!r.bound || r.resource.resType != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) return CUDA_ERROR_INVALID_VALUE;
        *array = r.resource.res.mipmap.hMipmappedArray;
        return CUDA_SUCCESS;
    });
}
CUresult cuTexRefGetAddressMode(CUaddress_mode* mode, CUtexref reference, int dimension) {
    if (dimension < 0 || dimension > 2) return CUDA_ERROR_INVALID_VALUE;
    return get(mode, reference, [&](const Reference& r) { return r.sampling.addressMode[dimension]; });
}
CUresult cuTexRefGetFilterMode(CUfilter_mode* mode, CUtexref reference) {
    return get(mode, reference, [](const Reference& r) { return r.sampling.filterMode; });
}
CUresult cuTexRefGetFormat(CUarray_format* format, int* channels, CUtexref reference) {
    if (!format || !channels) return CUDA_ERROR_INVALID_VALUE;
    return references::ask(reference, false, [&](const Reference& r) {
        *format = r.format, *channels = static_cast<int>(r.channels);
        return CUDA_SUCCESS;
    });
}
CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode* mode, CUtexref reference) {
    return get(mode, reference, [](const Reference& r) { return r.sampling.mipmapFilterMode; });
}
CUresult cuTexRefGetMipmapLevelBias(float* bias, CUtexref reference) {
    return get(bias, reference, [](const Reference& r) { return r.sampling.mipmapLevelBias; });
}
CUresult cuTexRefGetMipmapLevelClamp(float* least, float* most, CUtexref reference) {
    if (!least || !most) return CUDA_ERROR_INVALID_VALUE;
    return references::ask(reference, false, [&](const Reference& r) {
        *least = r.sampling.minMipmapLevelClamp, *most = r.sampling.maxMipmapLevelClamp;
        return CUDA_SUCCESS;
    });
}
CUresult cuTexRefGetMaxAnisotropy(int* most, CUtexref reference) {
    return get(most, reference, [](const Reference& r) { return static_cast<int>(r.sampling.maxAnisotropy); });
}
CUresult cuTexRefGetBorderColor(float* colour, CUtexref reference) {
    if (!colour) return CUDA_ERROR_INVALID_VALUE;
    return references::ask(reference, false, [&](const Reference& r) {
        std::copy_n(r.sampling.borderColor, 4, colour);
        return CUDA_SUCCESS;
    });
}
CUresult cuTexRefGetFlags(unsigned* flags, CUtexref reference) {
    return get(flags, reference, [](const Reference& r) { return r.sampling.flags; });
}

/// A kernel reads all references of its module anyway.
CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref reference) {
    if (unit != CU_PARAM_TR_DEFAULT) return CUDA_ERROR_INVALID_VALUE;
    if (!cudart::Registry::get().kernel(reinterpret_cast<const void*>(function))) return CUDA_ERROR_INVALID_HANDLE;
    return references::ask(reference, false, [](const Reference&) { return CUDA_SUCCESS; });
}

CUresult cuSurfRefSetArray(CUsurfref reference, CUarray array, unsigned flags) {
    if (!array || flags) return CUDA_ERROR_INVALID_VALUE;
    const auto known = array_of(array);
    if (!known) return CUDA_ERROR_INVALID_HANDLE;
    if (!(known->flags & cudaArraySurfaceLoadStore)) return CUDA_ERROR_INVALID_VALUE;
    return references::change(reference, true, [&](Reference& r) { return bind(r, array_resource(array), 0); });
}
CUresult cuSurfRefGetArray(CUarray* array, CUsurfref reference) {
    if (!array) return CUDA_ERROR_INVALID_VALUE;
    return references::ask(reference, true, [&](const Reference& r) { return array_of_reference(array, r); });
}

}  // namespace warpwright::cuda_driver::impl
