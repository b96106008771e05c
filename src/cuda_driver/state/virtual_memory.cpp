// Ranges, allocations and mappings are three maps under one lock. The reference counts of allocations count handles and
// mappings, and a file is closed with the last of them.
#include "cuda_driver/state/virtual_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <system_error>

#include "cuda_driver/state/handles.hpp"
#include "cudart/state/opened_memory.hpp"
#include "cudart/state/runtime.hpp"
#include "host/memory.hpp"

namespace warpwright::cuda_driver::virtual_memory {
namespace {

constexpr const char* kFileName = "warpwright-memory";

struct Range {
    CUdeviceptr allocated;  ///< where the device's allocation begins, at or before the range
    size_t bytes;
};

struct Allocation {
    int file = -1;
    size_t bytes = 0;
    CUmemAllocationProp properties{};
    unsigned references = 0;  ///< handles and mappings
    bool counted = true;      ///< as memory of this process; where it is imported, the process that made it counts it
};

struct Mapping {
    size_t bytes;
    CUmemGenericAllocationHandle handle;
    std::uint16_t open_to = 0;  ///< the devices that have access to it, as bits
};

struct State {
    std::mutex mutex;
    std::map<CUdeviceptr, Range> ranges;
    std::map<CUmemGenericAllocationHandle, Allocation> allocations;
    std::map<CUdeviceptr, Mapping> mappings;
    CUmemGenericAllocationHandle next = 1;
};

State& state() {
    static auto* all = new State;
    return *all;
}

bool odd(size_t n) { return n == 0 || n % kGranularity; }

/// Whether [inner, inner + bytes) is in [outer, outer + size).
bool within(CUdeviceptr inner, size_t bytes, CUdeviceptr outer, size_t size) {
    return inner >= outer && inner - outer <= size && bytes <= size - (inner - outer);
}

/// The entry of a map by address that begins at or before `pointer`.
template <class Map>
auto before(Map& map, CUdeviceptr pointer) {
    auto next = map.upper_bound(pointer);
    return next == map.begin() ? map.end() : std::prev(next);
}

void drop(State& s, CUmemGenericAllocationHandle handle) {
    const auto found = s.allocations.find(handle);
    if (--found->second.references != 0) return;
    ::close(found->second.file);
    if (found->second.counted)
        cudart::Runtime::get().memory_given(static_cast<unsigned>(found->second.properties.location.id),
                                            found->second.bytes);
    s.allocations.erase(found);
}

}  // namespace

CUresult reserve(CUdeviceptr* pointer, size_t bytes) {
    if (odd(bytes) || bytes > ~size_t{0} - kGranularity) return CUDA_ERROR_INVALID_VALUE;
    auto* device = cudart::Runtime::get().device();
    auto address = device->allocate(bytes + kGranularity);
    if (!address) return CUDA_ERROR_OUT_OF_MEMORY;
    *pointer = (*address + kGranularity - 1) / kGranularity * kGranularity;
    auto& s = state();
    std::lock_guard lock(s.mutex);
    s.ranges[*pointer] = {*address, bytes};
    return CUDA_SUCCESS;
}

CUresult release_range(CUdeviceptr pointer, size_t bytes) {
    auto& s = state();
    std::lock_guard lock(s.mutex);
    const auto found = s.ranges.find(pointer);
    if (found == s.ranges.end() || found->second.bytes != bytes) return CUDA_ERROR_INVALID_VALUE;
    const auto inside = s.mappings.lower_bound(pointer);
    if (inside != s.mappings.end() && inside->first - pointer < bytes) return CUDA_ERROR_INVALID_VALUE;
    const bool done = cudart::Runtime::get().device()->release(found->second.allocated).ok();
    s.ranges.erase(found);
    return done ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult create(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp& properties) {
    if (odd(bytes)) return CUDA_ERROR_INVALID_VALUE;
    auto& runtime = cudart::Runtime::get();
    const cudart::OnDevice on(properties.location.id);
    if (!runtime.can_take(bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
    const int file = host::unnamed_file(kFileName);
    if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    if (::ftruncate(file, static_cast<off_t>(bytes)) != 0) {
        ::close(file);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    runtime.memory_taken(cudart::current_device(), bytes);
    auto& s = state();
    std::lock_guard lock(s.mutex);
    *handle = s.next++;
    s.allocations[*handle] = {file, bytes, properties, 1};
    return CUDA_SUCCESS;
}

CUresult release(CUmemGenericAllocationHandle handle) {
    auto& s = state();
    std::lock_guard lock(s.mutex);
    if (!s.allocations.count(handle)) return CUDA_ERROR_INVALID_VALUE;
    drop(s, handle);
    return CUDA_SUCCESS;
}

CUresult share(int* descriptor, CUmemGenericAllocationHandle handle) {
    auto& s = state();
    std::lock_guard lock(s.mutex);
    const auto found = s.allocations.find(handle);
    if (found == s.allocations.end()) return CUDA_ERROR_INVALID_VALUE;
    // Only memory that was asked for as such can be shared.
    if (!(static_cast<unsigned>(found->second.properties.requestedHandleTypes) & cudaMemHandleTypePosixFileDescriptor))
        return CUDA_ERROR_INVALID_VALUE;
    const int copy = ::fcntl(found->second.file, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    *descriptor = copy;
    return CUDA_SUCCESS;
}

CUresult import(CUmemGenericAllocationHandle* handle, int descriptor) {
    struct stat file;
    if (!host::is_unnamed_file(descriptor, kFileName) || ::fstat(descriptor, &file) != 0 ||
        odd(static_cast<size_t>(file.st_size)))
        return CUDA_ERROR_INVALID_VALUE;
    const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    CUmemAllocationProp p{};
    p.type = cudaMemAllocationTypePinned;
    p.requestedHandleTypes = cudaMemHandleTypePosixFileDescriptor;
    p.location.type = cudaMemLocationTypeDevice;
    auto& s = state();
    std::lock_guard lock(s.mutex);
    *handle = s.next++;
    s.allocations[*handle] = {copy, static_cast<size_t>(file.st_size), p, 1, false};
    return CUDA_SUCCESS;
}

CUresult retain(CUmemGenericAllocationHandle* handle, CUdeviceptr pointer) {
    auto& s = state();
    std::lock_guard lock(s.mutex);
    const auto found = before(s.mappings, pointer);
    if (found == s.mappings.end() || !within(pointer, 1, found->first, found->second.bytes))
        return CUDA_ERROR_INVALID_VALUE;
    *handle = found->second.handle;
    ++s.allocations[*handle].references;
    return CUDA_SUCCESS;
}

CUresult properties_of(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
    auto& s = state();
    std::lock_guard lock(s.mutex);
    const auto found = s.allocations.find(handle);
    if (found == s.allocations.end()) return CUDA_ERROR_INVALID_VALUE;
    *properties = found->second.properties;
    return CUDA_SUCCESS;
}

CUresult map(CUdeviceptr pointer, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle) {
    auto& s = state();
    std::lock_guard lock(s.mutex);
    const auto found = s.allocations.find(handle);
    const auto range = before(s.ranges, pointer);
    if (found == s.allocations.end() || odd(bytes) || pointer % kGranularity) return CUDA_ERROR_INVALID_VALUE;
    auto& a = found->second;
    // As the documentation has it, from the beginning and whole.
    if (offset != 0 || bytes != a.bytes) return CUDA_ERROR_INVALID_VALUE;
    if (range == s.ranges.end() || !within(pointer, bytes, range->first, range->second.bytes))
        return CUDA_ERROR_INVALID_VALUE;
    const auto taken = before(s.mappings, pointer + bytes - 1);
    if (taken != s.mappings.end() && taken->first + taken->second.bytes > pointer) return CUDA_ERROR_INVALID_VALUE;
    void* const done = ::mmap(at(pointer), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, a.file, 0);
    if (done == MAP_FAILED) return CUDA_ERROR_MAP_FAILED;
    s.mappings[pointer] = {bytes, handle, 0};
    ++a.references;
    return CUDA_SUCCESS;
}

CUresult open(CUdeviceptr pointer, size_t bytes, std::uint16_t to) {
    if (auto e = is_mapped(pointer, bytes); e != CUDA_SUCCESS) return e;
    auto& runtime = cudart::Runtime::get();
    if (runtime.devices() < 2) return CUDA_SUCCESS;
    auto& s = state();
    std::lock_guard lock(s.mutex);
    if (to) cudart::memory_opened();
    // Each mapping is the device's whose memory it is.
    for (auto m = before(s.mappings, pointer); m != s.mappings.end() && m->first < pointer + bytes; ++m) {
        m->second.open_to |= to;
        const auto owner = static_cast<unsigned>(s.allocations[m->second.handle].properties.location.id);
        runtime.device()->several_devices()->part_belongs_to(m->first, m->second.bytes, owner,
                                                             device::MemoryAccess::by_memory, m->second.open_to);
    }
    return CUDA_SUCCESS;
}

CUresult unmap(CUdeviceptr pointer, size_t bytes) {
    (void)rt::cudaDeviceSynchronize();
    auto& s = state();
    std::lock_guard lock(s.mutex);
    // Whole mappings, one after the other.
    CUdeviceptr end = pointer;
    for (auto m = s.mappings.find(pointer); m != s.mappings.end() && m->first == end && end - pointer < bytes; ++m)
        end += m->second.bytes;
    if (odd(bytes) || end - pointer != bytes) return CUDA_ERROR_INVALID_VALUE;
    // Fresh pages, as the device's memory consists of.
    void* const done = ::mmap(at(pointer), bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (done == MAP_FAILED) return CUDA_ERROR_UNMAP_FAILED;
    if (auto& runtime = cudart::Runtime::get(); runtime.devices() > 1)
        runtime.device()->several_devices()->parts_belong_to_all(pointer, bytes);
    for (auto m = s.mappings.find(pointer); m != s.mappings.end() && m->first < end; m = s.mappings.erase(m))
        drop(s, m->second.handle);
    return CUDA_SUCCESS;
}

CUresult is_mapped(CUdeviceptr pointer, size_t bytes) {
    auto& s = state();
    std::lock_guard lock(s.mutex);
    CUdeviceptr end = pointer;
    auto m = before(s.mappings, pointer);
    for (; m != s.mappings.end() && m->first <= end && end - pointer < bytes; ++m)
        if (m->first + m->second.bytes > end) end = m->first + m->second.bytes;
    return bytes != 0 && end - pointer >= bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace warpwright::cuda_driver::virtual_memory
