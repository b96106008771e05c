// Descriptions in two dimensions become ones in three, and both sides are converted by one function. The result is
// checked and run by the runtime library, so that a copy has one implementation.
#include "cuda_driver/state/copies.hpp"

#include <cstddef>

#include "cuda_driver/state/handles.hpp"
#include "cudart/memory/extents.hpp"

namespace warpwright::cuda_driver {
namespace {

struct Side {
    size_t x, y, z, level;
    CUmemorytype kind;
    const void* host;
    CUdeviceptr device;
    CUarray array;
    size_t pitch, height;
};

/// Where one side begins, and from which address, or in which array.
CUresult put(const Side& s, const CUDA_MEMCPY3D& p, cudaArray_t& array, cudaPos& position, cudaPitchedPtr& pointer) {
    if (s.level != 0) return CUDA_ERROR_INVALID_VALUE;
    array = nullptr, pointer = {}, position = {s.x, s.y, s.z};
    switch (s.kind) {
        case CU_MEMORYTYPE_ARRAY: {
            const auto known = array_of(s.array);
            if (!known || known->element == 0 || s.x % known->element) return CUDA_ERROR_INVALID_VALUE;
            array = handle_of(s.array);
            position.x = s.x / known->element;
            return CUDA_SUCCESS;
        }
        case CU_MEMORYTYPE_HOST:
            pointer.ptr = const_cast<void*>(s.host);
            break;
        case CU_MEMORYTYPE_DEVICE:
        case CU_MEMORYTYPE_UNIFIED:
            pointer.ptr = at(s.device);
            break;
        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
    // Pitches of 0 say that rows, or planes, follow each other at once.
    const auto pitch = s.pitch ? s.pitch : p.WidthInBytes;
    if (!pointer.ptr || (p.Height > 1 && pitch < p.WidthInBytes)) return CUDA_ERROR_INVALID_VALUE;
    pointer.pitch = pitch, pointer.xsize = p.WidthInBytes, pointer.ysize = s.height ? s.height : p.Height;
    return CUDA_SUCCESS;
}

}  // namespace

CUDA_MEMCPY3D as_3d(const CUDA_MEMCPY2D& p) {
    CUDA_MEMCPY3D out{};
    out.srcXInBytes = p.srcXInBytes, out.srcY = p.srcY, out.srcMemoryType = p.srcMemoryType;
    out.srcHost = p.srcHost, out.srcDevice = p.srcDevice, out.srcArray = p.srcArray, out.srcPitch = p.srcPitch;
    out.dstXInBytes = p.dstXInBytes, out.dstY = p.dstY, out.dstMemoryType = p.dstMemoryType;
    out.dstHost = p.dstHost, out.dstDevice = p.dstDevice, out.dstArray = p.dstArray, out.dstPitch = p.dstPitch;
    out.WidthInBytes = p.WidthInBytes, out.Height = p.Height, out.Depth = 1;
    return out;
}

CUresult parameters_of(cudaMemcpy3DParms& to, const CUDA_MEMCPY3D& p) {
    to = {};
    const Side from{p.srcXInBytes, p.srcY,      p.srcZ,     p.srcLOD,   p.srcMemoryType,
                    p.srcHost,     p.srcDevice, p.srcArray, p.srcPitch, p.srcHeight};
    const Side into{p.dstXInBytes, p.dstY,      p.dstZ,     p.dstLOD,   p.dstMemoryType,
                    p.dstHost,     p.dstDevice, p.dstArray, p.dstPitch, p.dstHeight};
    if (auto e = put(from, p, to.srcArray, to.srcPos, to.srcPtr); e != CUDA_SUCCESS) return e;
    if (auto e = put(into, p, to.dstArray, to.dstPos, to.dstPtr); e != CUDA_SUCCESS) return e;
    // The runtime counts in elements as soon as one side is an array.
    const auto array = cudart::arrays::find(to.srcArray ? to.srcArray : to.dstArray);
    const size_t element = array ? array->element : 1;
    if (p.WidthInBytes % element) return CUDA_ERROR_INVALID_VALUE;
    to.extent = {p.WidthInBytes / element, p.Height, p.Depth};
    const auto is_host = [](CUmemorytype kind) { return kind == CU_MEMORYTYPE_HOST; };
    const auto unified = [](CUmemorytype kind) { return kind == CU_MEMORYTYPE_UNIFIED; };
    if (unified(p.srcMemoryType) || unified(p.dstMemoryType))
        to.kind = cudaMemcpyDefault;
    else
        to.kind = is_host(p.srcMemoryType)   ? is_host(p.dstMemoryType) ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice
                  : is_host(p.dstMemoryType) ? cudaMemcpyDeviceToHost
                                             : cudaMemcpyDeviceToDevice;
    return CUDA_SUCCESS;
}

CUresult copy_of(cudart::Copy& copy, const CUDA_MEMCPY3D& p) {
    cudaMemcpy3DParms same;
    if (auto e = parameters_of(same, p); e != CUDA_SUCCESS) return e;
    return code_of(cudart::copy_of(copy, same));
}

}  // namespace warpwright::cuda_driver
