// Functions that make many copies, hints and queries about memory in one call; pools by location.
#include <vector>

#include "cudart/api/api.hpp"
#include "cudart/memory/advice.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/work/stream/operation.hpp"

namespace warpwright::cudart {
namespace {

/// Checks the arguments of a hint: managed memory each, and a stream.
cudaError_t check_managed(void** pointers, const size_t* sizes, size_t count, cudaStream_t stream) {
    if (!pointers || !sizes || count == 0) return cudaErrorInvalidValue;
    if (!Scheduler::get().find(stream)) return cudaErrorInvalidResourceHandle;
    for (size_t k = 0; k < count; ++k) {
        const auto block = MemoryTable::get().find(pointers[k]);
        if (!block || block->kind != Block::Kind::managed || sizes[k] == 0) return cudaErrorInvalidValue;
        const auto into = reinterpret_cast<std::uint64_t>(pointers[k]) - block->address;
        if (sizes[k] > block->bytes - into) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

}  // namespace

namespace impl {

cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const size_t* sizes, size_t count,
                                 cudaMemcpyAttributes* attributes, size_t* indices, size_t attributeCount,
                                 cudaStream_t stream) {
    if (!to || !from || !sizes || count == 0 || !attributes || !indices || attributeCount == 0 ||
        attributeCount > count || indices[0] != 0)
        return cudaErrorInvalidValue;
    // They are unordered among each other, so one after the other is allowed; none is done if one cannot be.
    std::vector<Copy> copies(count);
    for (size_t k = 0; k < count; ++k) {
        auto& c = copies[k];
        if (sizes[k] == 0) return cudaErrorInvalidValue;
        c.to = {static_cast<std::byte*>(to[k]), sizes[k], sizes[k]};
        c.from = {static_cast<std::byte*>(const_cast<void*>(from[k])), sizes[k], sizes[k]};
        c.width = sizes[k], c.kind = cudaMemcpyDefault;
        if (auto e = check(c); e != cudaSuccess) return e;
    }
    for (auto& c : copies)
        if (auto e = queue(std::move(c), stream, Wait::no); e != cudaSuccess) return e;
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchBatchAsync(void** pointers, size_t* sizes, size_t count, cudaMemLocation* locations,
                                      size_t* indices, size_t locationCount, unsigned long long, cudaStream_t stream) {
    if (!locations || !indices || locationCount == 0 || locationCount > count || indices[0] != 0)
        return cudaErrorInvalidValue;
    if (auto e = check_managed(pointers, sizes, count, stream); e != cudaSuccess) return e;
    // Each location is for the pointers from its index on, to where the next one begins.
    for (size_t k = 0, l = 0; k < count; ++k) {
        while (l + 1 < locationCount && indices[l + 1] <= k) ++l;
        MemoryAdvice::get().prefetched(reinterpret_cast<std::uint64_t>(pointers[k]), sizes[k], locations[l]);
    }
    return cudaSuccess;
}

cudaError_t cudaMemDiscardBatchAsync(void** pointers, size_t* sizes, size_t count, unsigned long long,
                                     cudaStream_t stream) {
    return check_managed(pointers, sizes, count, stream);
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** pointers, size_t* sizes, size_t count,
                                                cudaMemLocation* locations, size_t* indices, size_t locationCount,
                                                unsigned long long flags, cudaStream_t stream) {
    return impl::cudaMemPrefetchBatchAsync(pointers, sizes, count, locations, indices, locationCount, flags, stream);
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* sizes, cudaMemRangeAttribute* attributes, size_t count,
                                      const void* pointer, size_t bytes) {
    if (!data || !sizes || !attributes || count == 0) return cudaErrorInvalidValue;
    for (size_t k = 0; k < count; ++k)
        if (auto e = impl::cudaMemRangeGetAttribute(data[k], sizes[k], attributes[k], pointer, bytes); e != cudaSuccess)
            return e;
    return cudaSuccess;
}

}  // namespace impl
}  // namespace warpwright::cudart
