// Copies, fills and maps: each is one of the runtime library's copies in the queue's stream.
#include <cstring>

#include "cudart/memory/extents.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/program_observer.hpp"
#include "opencl/api/api.hpp"
#include "opencl/state/answer.hpp"
#include "opencl/state/commands.hpp"

namespace warpwright::opencl::impl {
namespace {

using cudart::Copy;

constexpr timeline::Timeline::Call kTakesTime = timeline::Timeline::Call::takes_time;

/// What every command on one or two buffers needs.
struct Sides {
    std::shared_ptr<Queue> queue;
    std::shared_ptr<Memory> memory, other;
};
cl_int sides(Sides& s, cl_command_queue queue, cl_mem memory) {
    if (!(s.queue = find(queue))) return CL_INVALID_COMMAND_QUEUE;
    if (!(s.memory = find(memory))) return CL_INVALID_MEM_OBJECT;
    return s.memory->context == s.queue->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}
cl_int sides(Sides& s, cl_command_queue queue, cl_mem memory, cl_mem other) {
    if (const cl_int bad = sides(s, queue, memory); bad != CL_SUCCESS) return bad;
    if (!(s.other = find(other))) return CL_INVALID_MEM_OBJECT;
    return s.other->context == s.queue->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

std::byte* bytes_of(const void* host) { return static_cast<std::byte*>(const_cast<void*>(host)); }

Copy linear(std::byte* to, std::byte* from, std::size_t size, cudaMemcpyKind kind) {
    Copy copy;
    copy.to.at = to, copy.from.at = from;
    copy.width = size;
    copy.kind = kind;
    return copy;
}

/// One side of a copy of a box; false if the pitches do not hold the box, or it is not in `size` bytes.
struct Box {
    const std::size_t *origin, *region;
    std::size_t pitch, slice;
};
bool place(cudart::Place& place, std::byte* base, const Box& box, std::uint64_t size) {
    using cudart::product;
    const std::size_t pitch = box.pitch ? box.pitch : box.region[0];
    const std::size_t slice = box.slice ? box.slice : product(box.region[1], pitch);
    if (pitch < box.region[0] || slice < product(box.region[1], pitch)) return false;
    const auto offset = cudart::offset_of(box.origin[0], box.origin[1], box.origin[2], pitch, slice);
    const auto span = cudart::Extents{box.region[0], box.region[1], box.region[2], pitch, slice}.span();
    if (!cudart::within(offset, span, size)) return false;
    place = {base + offset, pitch, slice};
    return true;
}
bool is_box(const std::size_t* origin, const std::size_t* other, const std::size_t* region) {
    return origin && other && region && region[0] && region[1] && region[2];
}
constexpr std::uint64_t kAnySize = ~std::uint64_t{0} >> 1;  ///< of the program's own memory

Copy box_copy(const cudart::Place& to, const cudart::Place& from, const std::size_t* region, cudaMemcpyKind kind) {
    Copy copy;
    copy.to = to, copy.from = from;
    copy.width = region[0], copy.height = region[1], copy.depth = region[2];
    copy.kind = kind;
    return copy;
}

bool host_may(const Memory& memory, cl_bitfield forbidden) {
    return !(memory.flags & (forbidden | CL_MEM_HOST_NO_ACCESS));
}

bool overlap(const std::byte* a, const std::byte* b, std::size_t size) { return a < b + size && b < a + size; }

}  // namespace

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size,
                           void* to, cl_uint count, const cl_event* list, cl_event* event) {
    Sides s;
    if (const cl_int bad = sides(s, queue, memory); bad != CL_SUCCESS) return bad;
    if (!to || size == 0 || !s.memory->covers(offset, size)) return CL_INVALID_VALUE;
    if (!host_may(*s.memory, CL_MEM_HOST_WRITE_ONLY)) return CL_INVALID_OPERATION;
    return enqueue_copy(*s.queue, CL_COMMAND_READ_BUFFER,
                        linear(bytes_of(to), s.memory->at + offset, size, cudaMemcpyDeviceToHost), {s.memory},
                        {count, list}, event, blocking);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size,
                            const void* from, cl_uint count, const cl_event* list, cl_event* event) {
    Sides s;
    if (const cl_int bad = sides(s, queue, memory); bad != CL_SUCCESS) return bad;
    if (!from || size == 0 || !s.memory->covers(offset, size)) return CL_INVALID_VALUE;
    if (!host_may(*s.memory, CL_MEM_HOST_READ_ONLY)) return CL_INVALID_OPERATION;
    return enqueue_copy(*s.queue, CL_COMMAND_WRITE_BUFFER,
                        linear(s.memory->at + offset, bytes_of(from), size, cudaMemcpyHostToDevice), {s.memory},
                        {count, list}, event, blocking);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t at_from, size_t at_to, size_t size,
                           cl_uint count, const cl_event* list, cl_event* event) {
    Sides s;
    if (const cl_int bad = sides(s, queue, from, to); bad != CL_SUCCESS) return bad;
    if (size == 0 || !s.memory->covers(at_from, size) || !s.other->covers(at_to, size)) return CL_INVALID_VALUE;
    std::byte *const source = s.memory->at + at_from, *const target = s.other->at + at_to;
    if (overlap(source, target, size)) return CL_MEM_COPY_OVERLAP;
    return enqueue_copy(*s.queue, CL_COMMAND_COPY_BUFFER, linear(target, source, size, cudaMemcpyDeviceToDevice),
                        {s.memory, s.other}, {count, list}, event, false);
}

cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem memory, cl_bool blocking, const size_t* origin,
                               const size_t* host_origin, const size_t* region, size_t pitch, size_t slice,
                               size_t host_pitch, size_t host_slice, void* to, cl_uint count, const cl_event* list,
                               cl_event* event) {
    Sides s;
    if (const cl_int bad = sides(s, queue, memory); bad != CL_SUCCESS) return bad;
    cudart::Place device, host;
    if (!to || !is_box(origin, host_origin, region) ||
        !place(device, s.memory->at, {origin, region, pitch, slice}, s.memory->size) ||
        !place(host, bytes_of(to), {host_origin, region, host_pitch, host_slice}, kAnySize))
        return CL_INVALID_VALUE;
    if (!host_may(*s.memory, CL_MEM_HOST_WRITE_ONLY)) return CL_INVALID_OPERATION;
    return enqueue_copy(*s.queue, CL_COMMAND_READ_BUFFER_RECT, box_copy(host, device, region, cudaMemcpyDeviceToHost),
                        {s.memory}, {count, list}, event, blocking);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem memory, cl_bool blocking, const size_t* origin,
                                const size_t* host_origin, const size_t* region, size_t pitch, size_t slice,
                                size_t host_pitch, size_t host_slice, const void* from, cl_uint count,
                                const cl_event* list, cl_event* event) {
    Sides s;
    if (const cl_int bad = sides(s, queue, memory); bad != CL_SUCCESS) return bad;
    cudart::Place device, host;
    if (!from || !is_box(origin, host_origin, region) ||
        !place(device, s.memory->at, {origin, region, pitch, slice}, s.memory->size) ||
        !place(host, bytes_of(from), {host_origin, region, host_pitch, host_slice}, kAnySize))
        return CL_INVALID_VALUE;
    if (!host_may(*s.memory, CL_MEM_HOST_READ_ONLY)) return CL_INVALID_OPERATION;
    return enqueue_copy(*s.queue, CL_COMMAND_WRITE_BUFFER_RECT, box_copy(device, host, region, cudaMemcpyHostToDevice),
                        {s.memory}, {count, list}, event, blocking);
}

cl_int clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t* at_from,
                               const size_t* at_to, const size_t* region, size_t from_pitch, size_t from_slice,
                               size_t to_pitch, size_t to_slice, cl_uint count, const cl_event* list, cl_event* event) {
    Sides s;
    if (const cl_int bad = sides(s, queue, from, to); bad != CL_SUCCESS) return bad;
    cudart::Place source, target;
    if (!is_box(at_from, at_to, region) ||
        !place(source, s.memory->at, {at_from, region, from_pitch, from_slice}, s.memory->size) ||
        !place(target, s.other->at, {at_to, region, to_pitch, to_slice}, s.other->size))
        return CL_INVALID_VALUE;
    return enqueue_copy(*s.queue, CL_COMMAND_COPY_BUFFER_RECT,
                        box_copy(target, source, region, cudaMemcpyDeviceToDevice), {s.memory, s.other}, {count, list},
                        event, false);
}

namespace {

/// A fill with a pattern of up to 128 bytes: the runtime's own for 1, 2 and 4.
std::function<timeline::Work()> fill_of(std::byte* at, const void* pattern, std::size_t pattern_size,
                                        std::size_t size) {
    if (pattern_size <= 4) {
        cudart::Fill fill;
        fill.to.at = at;
        fill.element = static_cast<unsigned>(pattern_size);
        std::memcpy(&fill.value, pattern, pattern_size);
        fill.width = size / pattern_size;
        return cudart::operation(fill).run;
    }
    const auto* from = static_cast<const std::byte*>(pattern);
    return [at, size, bytes = std::vector<std::byte>(from, from + pattern_size)] {
        for (std::size_t k = 0; k < size; k += bytes.size()) std::memcpy(at + k, bytes.data(), bytes.size());
        auto& runtime = cudart::Runtime::get();
        if (runtime.settings.checks())
            runtime.device()->host_sharing()->written(reinterpret_cast<std::uint64_t>(at), size);
        timeline::Work work;
        work.kind = timeline::Kind::fill;
        work.bytes = size;
        for (auto* observer : cudart::program_observers()) observer->copied("[CUDA memset]", work);
        return work;
    };
}

bool is_pattern(const void* pattern, std::size_t pattern_size) {
    constexpr std::size_t kMost = 128;
    return pattern && pattern_size && pattern_size <= kMost && (pattern_size & (pattern_size - 1)) == 0;
}

}  // namespace

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem memory, const void* pattern, size_t pattern_size,
                           size_t offset, size_t size, cl_uint count, const cl_event* list, cl_event* event) {
    Sides s;
    if (const cl_int bad = sides(s, queue, memory); bad != CL_SUCCESS) return bad;
    if (!is_pattern(pattern, pattern_size) || !s.memory->covers(offset, size) || offset % pattern_size ||
        size % pattern_size)
        return CL_INVALID_VALUE;
    auto run = fill_of(s.memory->at + offset, pattern, pattern_size, size);
    Command command{CL_COMMAND_FILL_BUFFER, [run = std::move(run), kept = s.memory] { return run(); }};
    command.call = kTakesTime;
    return enqueue(*s.queue, std::move(command), {count, list}, event);
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue handle, cl_uint memories, const cl_mem* memory, cl_bitfield flags,
                                  cl_uint count, const cl_event* list, cl_event* event) {
    const auto queue = find(handle);
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    if (!memories || !memory || (flags & ~cl_bitfield{3})) return CL_INVALID_VALUE;
    for (cl_uint k = 0; k < memories; ++k)
        if (!find(memory[k])) return CL_INVALID_MEM_OBJECT;
    return enqueue(*queue, {CL_COMMAND_MIGRATE_MEM_OBJECTS, nullptr}, {count, list}, event);
}

// A map gives the program memory of its own, which has the buffer's contents until the unmap writes them back.

void* clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, cl_bitfield flags, size_t offset,
                         size_t size, cl_uint count, const cl_event* list, cl_event* event, cl_int* code) {
    Sides s;
    if (const cl_int bad = sides(s, queue, memory); bad != CL_SUCCESS) return given<void*>(code, bad);
    constexpr cl_bitfield kWrites = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    if (size == 0 || !s.memory->covers(offset, size) || (flags & ~(CL_MAP_READ | kWrites)) ||
        ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))))
        return given<void*>(code, CL_INVALID_VALUE);
    if (((flags & CL_MAP_READ) && !host_may(*s.memory, CL_MEM_HOST_WRITE_ONLY)) ||
        ((flags & kWrites) && !host_may(*s.memory, CL_MEM_HOST_READ_ONLY)))
        return given<void*>(code, CL_INVALID_OPERATION);
    // A buffer and its parts are mapped at one place.
    Memory& root = s.memory->whole ? *s.memory->whole : *s.memory;
    const std::size_t at = offset + s.memory->origin;
    std::byte* base = static_cast<std::byte*>(root.host);
    {
        const std::lock_guard lock(root.mutex);
        if (!base) {
            if (root.mapping.empty()) root.mapping.resize(root.size);
            base = root.mapping.data();
        }
    }
    const bool copies = !(flags & CL_MAP_WRITE_INVALIDATE_REGION) && !root.svm;
    const cl_int result = copies ? enqueue_copy(*s.queue, CL_COMMAND_MAP_BUFFER,
                                                linear(base + at, root.at + at, size, cudaMemcpyDeviceToHost),
                                                {s.memory}, {count, list}, event, blocking)
                                 : enqueue(*s.queue, {CL_COMMAND_MAP_BUFFER, nullptr}, {count, list}, event, blocking);
    if (result == CL_SUCCESS) {
        const std::lock_guard lock(s.memory->mutex);
        s.memory->mapped.emplace(base + at, Memory::Mapped{at, size, flags});
    }
    return given<void*>(code, result, base + at);
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void* mapped, cl_uint count, const cl_event* list,
                               cl_event* event) {
    Sides s;
    if (const cl_int bad = sides(s, queue, memory); bad != CL_SUCCESS) return bad;
    decltype(s.memory->mapped)::node_type taken;
    {
        const std::lock_guard lock(s.memory->mutex);
        taken = s.memory->mapped.extract(mapped);
    }
    if (taken.empty()) return CL_INVALID_VALUE;
    const Memory::Mapped& part = taken.mapped();
    const Memory& root = s.memory->whole ? *s.memory->whole : *s.memory;
    const bool writes = !root.svm && (part.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION));
    const cl_int result = writes ? enqueue_copy(*s.queue, CL_COMMAND_UNMAP_MEM_OBJECT,
                                                linear(root.at + part.offset, static_cast<std::byte*>(mapped),
                                                       part.size, cudaMemcpyHostToDevice),
                                                {s.memory}, {count, list}, event, false)
                                 : enqueue(*s.queue, {CL_COMMAND_UNMAP_MEM_OBJECT, nullptr}, {count, list}, event);
    if (result == CL_SUCCESS) return result;
    const std::lock_guard lock(s.memory->mutex);
    s.memory->mapped.insert(std::move(taken));  // it is mapped as before
    return result;
}

// Shared virtual memory is the same for host and device, so that a map needs only its turn.

cl_int clEnqueueSVMMap(cl_command_queue handle, cl_bool blocking, cl_bitfield, void* memory, size_t size, cl_uint count,
                       const cl_event* list, cl_event* event) {
    const auto queue = find(handle);
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    if (!memory || size == 0) return CL_INVALID_VALUE;
    return enqueue(*queue, {CL_COMMAND_SVM_MAP, nullptr}, {count, list}, event, blocking);
}
cl_int clEnqueueSVMUnmap(cl_command_queue handle, void* memory, cl_uint count, const cl_event* list, cl_event* event) {
    const auto queue = find(handle);
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    if (!memory) return CL_INVALID_VALUE;
    return enqueue(*queue, {CL_COMMAND_SVM_UNMAP, nullptr}, {count, list}, event);
}
cl_int clEnqueueSVMMemcpy(cl_command_queue handle, cl_bool blocking, void* to, const void* from, size_t size,
                          cl_uint count, const cl_event* list, cl_event* event) {
    const auto queue = find(handle);
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    if (!to || !from) return CL_INVALID_VALUE;
    if (size == 0) return enqueue(*queue, {CL_COMMAND_SVM_MEMCPY, nullptr}, {count, list}, event, blocking);
    if (overlap(bytes_of(to), bytes_of(from), size)) return CL_MEM_COPY_OVERLAP;
    Copy copy = linear(bytes_of(to), bytes_of(from), size, cudaMemcpyDefault);
    if (cudart::check(copy) != cudaSuccess) return CL_INVALID_VALUE;
    return enqueue_copy(*queue, CL_COMMAND_SVM_MEMCPY, std::move(copy), {}, {count, list}, event, blocking);
}
cl_int clEnqueueSVMMemFill(cl_command_queue handle, void* to, const void* pattern, size_t pattern_size, size_t size,
                           cl_uint count, const cl_event* list, cl_event* event) {
    const auto queue = find(handle);
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    if (!to || !is_pattern(pattern, pattern_size) || size % pattern_size ||
        reinterpret_cast<std::uintptr_t>(to) % pattern_size)
        return CL_INVALID_VALUE;
    Command command{CL_COMMAND_SVM_MEMFILL, fill_of(bytes_of(to), pattern, pattern_size, size)};
    command.call = kTakesTime;
    return enqueue(*queue, std::move(command), {count, list}, event);
}
cl_int clEnqueueSVMMigrateMem(cl_command_queue handle, cl_uint pointers, const void** pointer, const size_t*,
                              cl_bitfield, cl_uint count, const cl_event* list, cl_event* event) {
    const auto queue = find(handle);
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    if (!pointers || !pointer) return CL_INVALID_VALUE;
    return enqueue(*queue, {CL_COMMAND_SVM_MIGRATE_MEM, nullptr}, {count, list}, event);
}
cl_int clEnqueueSVMFree(cl_command_queue handle, cl_uint pointers, void** pointer, SvmFree function, void* data,
                        cl_uint count, const cl_event* list, cl_event* event) {
    const auto queue = find(handle);
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    if ((pointers == 0) != (pointer == nullptr)) return CL_INVALID_VALUE;
    Command command{CL_COMMAND_SVM_FREE, [handle, function, data, context = queue->context->handle,
                                          all = std::vector<void*>(pointer, pointer + pointers)]() mutable {
                        if (function)
                            cudart::run_host_function(
                                [&] { function(handle, static_cast<cl_uint>(all.size()), all.data(), data); });
                        else
                            for (void* each : all) impl::clSVMFree(context, each);
                        return timeline::Work{};
                    }};
    command.by = cudart::By::stream;
    return enqueue(*queue, std::move(command), {count, list}, event);
}

}  // namespace warpwright::opencl::impl
