// Copies and fills: converts each of the runtime's forms to the one form of operation.hpp.
#include <optional>

#include "cudart/api/api.hpp"
#include "cudart/memory/extents.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/operation.hpp"

namespace warpwright::cudart {
namespace {

Copy line(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    Copy c;
    c.to.at = static_cast<std::byte*>(to);
    c.from.at = static_cast<std::byte*>(const_cast<void*>(from));
    c.to.pitch = c.from.pitch = bytes;
    c.width = bytes;
    c.kind = kind;
    return c;
}

Copy rows(Place to, Place from, size_t width, size_t height, cudaMemcpyKind kind) {
    Copy c;
    c.to = to, c.from = from;
    c.width = width, c.height = height;
    c.kind = kind;
    return c;
}

Place pitched(const void* at, size_t pitch) { return {static_cast<std::byte*>(const_cast<void*>(at)), pitch, 0}; }

/// A part of an array from column x (bytes) of row y on; nothing if the array has no such part.
std::optional<Place> in_array(cudaArray_const_t array, size_t x, size_t y, size_t width, size_t height) {
    const auto a = arrays::find(array);
    if (!a || !within(x, width, a->pitch()) || !within(y, height, a->height())) return std::nullopt;
    return Place{a->data + y * a->pitch() + x, a->pitch(), a->slice()};
}

cudaError_t to_symbol(const void* address, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                      cudaStream_t stream, Wait wait) {
    std::byte* at = nullptr;
    if (auto e = Registry::get().part(address, bytes, offset, at); e != cudaSuccess) return e;
    return queue(line(at, from, bytes, kind), stream, wait);
}

cudaError_t from_symbol(void* to, const void* address, size_t bytes, size_t offset, cudaMemcpyKind kind,
                        cudaStream_t stream, Wait wait) {
    std::byte* at = nullptr;
    if (auto e = Registry::get().part(address, bytes, offset, at); e != cudaSuccess) return e;
    return queue(line(to, at, bytes, kind), stream, wait);
}

cudaError_t copy_3d(const cudaMemcpy3DParms* p, cudaStream_t stream, Wait wait) {
    Copy c;
    if (!p) return cudaErrorInvalidValue;
    if (auto e = copy_of(c, *p); e != cudaSuccess) return e;
    return queue(c, stream, wait);
}

/// A copy between devices names both, although addresses tell whose memory they are.
cudaError_t peer_line(void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t stream,
                      Wait wait) {
    auto& runtime = Runtime::get();
    if (runtime.no_device(to_device) || runtime.no_device(from_device)) return cudaErrorInvalidDevice;
    return queue(line(to, from, bytes, cudaMemcpyDeviceToDevice), stream, wait);
}

cudaError_t copy_3d_peer(const cudaMemcpy3DPeerParms* p, cudaStream_t stream, Wait wait) {
    if (!p) return cudaErrorInvalidValue;
    auto& runtime = Runtime::get();
    if (runtime.no_device(p->dstDevice) || runtime.no_device(p->srcDevice)) return cudaErrorInvalidDevice;
    const cudaMemcpy3DParms same{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                 p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
    return copy_3d(&same, stream, wait);
}

Fill fill_of(void* to, size_t pitch, int value, size_t width, size_t height, size_t depth = 1,
             size_t rows_of_plane = 1) {
    Fill f;
    f.to = {static_cast<std::byte*>(to), pitch, product(pitch, rows_of_plane)};
    f.value = static_cast<unsigned>(value) & 0xffu;
    f.width = width, f.height = height, f.depth = depth;
    return f;
}

/// The address of `bytes` bytes from column x of row y on; false if they are not all in the array.
bool place_in(cudaArray_const_t array, size_t x, size_t y, size_t bytes, std::byte*& at) {
    const auto a = arrays::find(array);
    if (!a) return false;
    const auto offset = offset_of(x, y, 0, a->pitch(), 0);
    if (!within(offset, bytes, a->slice())) return false;
    at = a->data + offset;
    return true;
}

/// Bytes that continue from row to row of an array.
cudaError_t run_of_array(cudaArray_const_t array, size_t x, size_t y, void* other, size_t bytes, cudaMemcpyKind kind,
                         bool into, cudaStream_t stream, Wait wait) {
    std::byte* at = nullptr;
    if (!place_in(array, x, y, bytes, at)) return cudaErrorInvalidValue;
    return queue(into ? line(at, other, bytes, kind) : line(other, at, bytes, kind), stream, wait);
}

}  // namespace

namespace impl {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return queue(line(to, from, bytes, kind), nullptr, Wait::yes);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return queue(line(to, from, bytes, kind), stream, Wait::no);
}
cudaError_t cudaMemcpyPeer(void* to, int toDevice, const void* from, int fromDevice, size_t bytes) {
    return peer_line(to, toDevice, from, fromDevice, bytes, nullptr, Wait::no);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int toDevice, const void* from, int fromDevice, size_t bytes,
                                cudaStream_t stream) {
    return peer_line(to, toDevice, from, fromDevice, bytes, stream, Wait::no);
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    return queue(fill_of(to, bytes, value, bytes, 1), nullptr);
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    return queue(fill_of(to, bytes, value, bytes, 1), stream);
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
    return queue(fill_of(to, pitch, value, width, height), nullptr);
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    return queue(fill_of(to, pitch, value, width, height), stream);
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    return impl::cudaMemset3DAsync(to, value, extent, nullptr);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
    return queue(fill_of(to.ptr, to.pitch, value, extent.width, extent.height, extent.depth, to.ysize), stream);
}

cudaError_t cudaMemcpy2D(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
    return queue(rows(pitched(to, toPitch), pitched(from, fromPitch), width, height, kind), nullptr, Wait::yes);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
    return queue(rows(pitched(to, toPitch), pitched(from, fromPitch), width, height, kind), stream, Wait::no);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy) { return copy_3d(copy, nullptr, Wait::yes); }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream) {
    return copy_3d(copy, stream, Wait::no);
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* copy) { return copy_3d_peer(copy, nullptr, Wait::yes); }
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* copy, cudaStream_t stream) {
    return copy_3d_peer(copy, stream, Wait::no);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return to_symbol(symbol, from, bytes, offset, kind, nullptr, Wait::yes);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return from_symbol(to, symbol, bytes, offset, kind, nullptr, Wait::yes);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
    return to_symbol(symbol, from, bytes, offset, kind, stream, Wait::no);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
    return from_symbol(to, symbol, bytes, offset, kind, stream, Wait::no);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* address) {
    if (!pointer) return cudaErrorInvalidValue;
    std::byte* at = nullptr;
    if (auto e = Registry::get().part(address, 0, 0, at); e != cudaSuccess) return e;
    *pointer = at;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* address) {
    if (!bytes) return cudaErrorInvalidValue;
    device::Address base = 0;
    std::uint64_t size = 0;
    if (auto e = Registry::get().variable(address, base, size); e != cudaSuccess) return e;
    *bytes = size;
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    const auto place = in_array(to, x, y, width, height);
    if (!place) return cudaErrorInvalidValue;
    return queue(rows(*place, pitched(from, pitch), width, height, kind), stream, Wait::no);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
    const auto place = in_array(to, x, y, width, height);
    if (!place) return cudaErrorInvalidValue;
    return queue(rows(*place, pitched(from, pitch), width, height, kind), nullptr, Wait::yes);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    const auto place = in_array(from, x, y, width, height);
    if (!place) return cudaErrorInvalidValue;
    return queue(rows(pitched(to, pitch), *place, width, height, kind), stream, Wait::no);
}
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
    const auto place = in_array(from, x, y, width, height);
    if (!place) return cudaErrorInvalidValue;
    return queue(rows(pitched(to, pitch), *place, width, height, kind), nullptr, Wait::yes);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t toX, size_t toY, cudaArray_const_t from, size_t fromX,
                                     size_t fromY, size_t width, size_t height, cudaMemcpyKind kind) {
    const auto there = in_array(to, toX, toY, width, height), here = in_array(from, fromX, fromY, width, height);
    if (!there || !here) return cudaErrorInvalidValue;
    return queue(rows(*there, *here, width, height, kind), nullptr, Wait::yes);
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return run_of_array(to, x, y, const_cast<void*>(from), bytes, kind, true, nullptr, Wait::yes);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
    return run_of_array(to, x, y, const_cast<void*>(from), bytes, kind, true, stream, Wait::no);
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
    return run_of_array(from, x, y, to, bytes, kind, false, nullptr, Wait::yes);
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
    return run_of_array(from, x, y, to, bytes, kind, false, stream, Wait::no);
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t toX, size_t toY, cudaArray_const_t from, size_t fromX,
                                   size_t fromY, size_t bytes, cudaMemcpyKind kind) {
    std::byte* at = nullptr;
    if (!place_in(from, fromX, fromY, bytes, at)) return cudaErrorInvalidValue;
    return run_of_array(to, toX, toY, at, bytes, kind, true, nullptr, Wait::yes);
}

}  // namespace impl
}  // namespace warpwright::cudart
