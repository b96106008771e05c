// Copies and fills.
#include <cstring>

#include "cuda_driver/api/api.hpp"
#include "cuda_driver/state/copies.hpp"
#include "cudart/memory/extents.hpp"
#include "cudart/work/stream/operation.hpp"

namespace warpwright::cuda_driver {

namespace impl {
namespace {

CUresult copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return code_of(rt::cudaMemcpy(to, from, bytes, kind));
}
CUresult copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, CUstream stream) {
    return code_of(rt::cudaMemcpyAsync(to, from, bytes, kind, stream));
}

bool is_one_row(CUarray array) {
    const auto a = array_of(array);
    return a && a->height() == 1;
}

/// Bytes from an offset into an array of one row.
CUresult array_copy(CUarray array, size_t offset, void* other, size_t bytes, cudaMemcpyKind kind, bool into) {
    if (!is_one_row(array)) return CUDA_ERROR_INVALID_VALUE;
    const auto a = handle_of(array);
    return code_of(into ? rt::cudaMemcpyToArray(a, offset, 0, other, bytes, kind)
                        : rt::cudaMemcpyFromArray(other, a, offset, 0, bytes, kind));
}

CUresult shaped(const CUDA_MEMCPY3D* p, CUstream stream, bool wait) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    cudart::Copy c;
    if (auto e = copy_of(c, *p); e != CUDA_SUCCESS) return e;
    return code_of(cudart::queue(std::move(c), stream, wait ? cudart::Wait::yes : cudart::Wait::no));
}

CUresult flat(const CUDA_MEMCPY2D* p, CUstream stream, bool wait) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const auto same = as_3d(*p);
    return shaped(&same, stream, wait);
}

CUresult peer(const CUDA_MEMCPY3D_PEER* p, CUstream stream, bool wait) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    // The same but for the contexts, which share their memory.
    CUDA_MEMCPY3D same;
    static_assert(sizeof same == sizeof *p);
    std::memcpy(static_cast<void*>(&same), p, sizeof same);
    return shaped(&same, stream, wait);
}

/// `count` elements in each of `height` rows.
CUresult fill(CUdeviceptr to, size_t pitch, unsigned value, unsigned element, size_t count, size_t height,
              CUstream stream) {
    if (to % element || (height > 1 && (pitch % element || pitch < cudart::product(count, element))))
        return CUDA_ERROR_INVALID_VALUE;
    cudart::Fill f;
    f.to = {static_cast<std::byte*>(at(to)), pitch, 0};
    f.value = value, f.element = element;
    f.width = count, f.height = height;
    return code_of(cudart::queue(f, stream));
}

}  // namespace

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copy(at(to), at(from), bytes, cudaMemcpyDefault);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy(at(to), at(from), bytes, cudaMemcpyDefault, stream);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
    return copy(at(to), at(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes, CUstream stream) {
    return copy(at(to), at(from), bytes, cudaMemcpyDeviceToDevice, stream);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
    return copy(at(to), from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
    return copy(to, at(from), bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copy(at(to), at(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    return copy(at(to), from, bytes, cudaMemcpyHostToDevice, stream);
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy(to, at(from), bytes, cudaMemcpyDeviceToHost, stream);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy(at(to), at(from), bytes, cudaMemcpyDeviceToDevice, stream);
}

CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
    return array_copy(to, offset, at(from), bytes, cudaMemcpyDeviceToDevice, true);
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
    return array_copy(from, offset, at(to), bytes, cudaMemcpyDeviceToDevice, false);
}
CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void* from, size_t bytes) {
    return array_copy(to, offset, const_cast<void*>(from), bytes, cudaMemcpyHostToDevice, true);
}
CUresult cuMemcpyAtoH_v2(void* to, CUarray from, size_t offset, size_t bytes) {
    return array_copy(from, offset, to, bytes, cudaMemcpyDeviceToHost, false);
}
CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void* from, size_t bytes, CUstream stream) {
    if (!is_one_row(to)) return CUDA_ERROR_INVALID_VALUE;
    return code_of(rt::cudaMemcpyToArrayAsync(handle_of(to), offset, 0, from, bytes, cudaMemcpyHostToDevice, stream));
}
CUresult cuMemcpyAtoHAsync_v2(void* to, CUarray from, size_t offset, size_t bytes, CUstream stream) {
    if (!is_one_row(from)) return CUDA_ERROR_INVALID_VALUE;
    return code_of(rt::cudaMemcpyFromArrayAsync(to, handle_of(from), offset, 0, bytes, cudaMemcpyDeviceToHost, stream));
}
CUresult cuMemcpyAtoA_v2(CUarray to, size_t toOffset, CUarray from, size_t fromOffset, size_t bytes) {
    if (!is_one_row(to) || !is_one_row(from)) return CUDA_ERROR_INVALID_VALUE;
    return code_of(rt::cudaMemcpyArrayToArray(handle_of(to), toOffset, 0, handle_of(from), fromOffset, 0, bytes,
                                              cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* p) { return flat(p, nullptr, true); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* p) { return flat(p, nullptr, true); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* p, CUstream stream) { return flat(p, stream, false); }
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* p) { return shaped(p, nullptr, true); }
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* p, CUstream stream) { return shaped(p, stream, false); }
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* p) { return peer(p, nullptr, true); }
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* p, CUstream stream) { return peer(p, stream, false); }

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* to, CUdeviceptr* from, size_t* sizes, size_t count,
                               CUmemcpyAttributes* attributes, size_t* indices, size_t attributeCount,
                               CUstream stream) {
    return code_of(
        rt::cudaMemcpyBatchAsync(at(to), at(from), sizes, count, attributes, indices, attributeCount, stream));
}
CUresult cuMemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, size_t* sizes, size_t count,
                            CUmemcpyAttributes* attributes, size_t* indices, size_t attributeCount, size_t* failed,
                            CUstream stream) {
    const auto e = cuMemcpyBatchAsync_v2(to, from, sizes, count, attributes, indices, attributeCount, stream);
    if (failed && e != CUDA_SUCCESS) *failed = ~size_t{0};  // no particular one of them
    return e;
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
    return fill(to, count, value, 1, count, 1, nullptr);
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
    return fill(to, 0, value, 2, count, 1, nullptr);
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
    return fill(to, 0, value, 4, count, 1, nullptr);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    return fill(to, 0, value, 1, count, 1, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
    return fill(to, 0, value, 2, count, 1, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
    return fill(to, 0, value, 4, count, 1, stream);
}
#define WW_FILL_ROWS(name, type, element)                                                                     \
    CUresult name##_v2(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height) {               \
        return fill(to, pitch, value, element, width, height, nullptr);                                       \
    }                                                                                                         \
    CUresult name##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height, CUstream s) { \
        return fill(to, pitch, value, element, width, height, s);                                             \
    }
WW_FILL_ROWS(cuMemsetD2D8, unsigned char, 1)
WW_FILL_ROWS(cuMemsetD2D16, unsigned short, 2)
WW_FILL_ROWS(cuMemsetD2D32, unsigned, 4)
#undef WW_FILL_ROWS

}  // namespace impl
}  // namespace warpwright::cuda_driver
