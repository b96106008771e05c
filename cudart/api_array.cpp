// Arrays, and the texture and surface objects over them.
#include <cstring>

#include "api.hpp"
#include "memory_table.hpp"
#include "runtime.hpp"
#include "stream.hpp"

namespace warpwright::cudart::impl {

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned flags) {
    if (!array || !format || extent.width == 0) return cudaErrorInvalidValue;
    const int bits = format->x + format->y + format->z + format->w;
    if (bits <= 0 || bits % 8 != 0 || (format->x != 8 && format->x != 16 && format->x != 32)) return cudaErrorInvalidChannelDescriptor;
    auto a = std::make_unique<cudaArray>();
    a->format = *format, a->extent = extent, a->flags = flags;
    a->element = static_cast<std::size_t>(bits) / 8;
    void* data = nullptr;
    if (auto e = MemoryTable::get().allocate(&data, a->slice() * a->depth(), Block::Kind::device); e != cudaSuccess) return e;
    a->data = static_cast<std::byte*>(data);
    *array = a.release();
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width, size_t height, unsigned flags) {
    return impl::cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    if (!array) return cudaSuccess;
    Scheduler::get().wait_all();
    const auto e = MemoryTable::get().release(array->data, false);
    delete array;
    return e;
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t array) {
    if (!array) return cudaErrorInvalidResourceHandle;
    if (format) *format = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
    if (!array || !format) return cudaErrorInvalidValue;
    *format = array->format;
    return cudaSuccess;
}

}  // namespace warpwright::cudart::impl
