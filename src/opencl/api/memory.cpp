// Buffers, parts of buffers, and shared virtual memory. Images are not supported, which each of their functions says.
#include "cudart/memory/memory_table.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/operation.hpp"
#include "opencl/api/api.hpp"
#include "opencl/state/answer.hpp"
#include "opencl/state/versions.hpp"

namespace warpwright::opencl::impl {
namespace {

constexpr cl_bitfield kAccess = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
constexpr cl_bitfield kHostAccess = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_bitfield kHostMemory = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

bool one_at_most(cl_bitfield flags) { return (flags & (flags - 1)) == 0; }

/// Whether these flags go together; those that this version of OpenCL does not know do not.
bool sound(cl_bitfield flags) {
    if (flags & ~(kAccess | kHostAccess | kHostMemory)) return false;
    if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))) return false;
    return one_at_most(flags & kAccess) && one_at_most(flags & kHostAccess);
}

/// The contents that the program gives at once, as a copy of the host's.
cl_int fill_from(Memory& memory, const void* host) {
    cudart::Copy copy;
    copy.to.at = memory.at;
    copy.from.at = static_cast<std::byte*>(const_cast<void*>(host));
    copy.width = memory.size;
    copy.kind = cudaMemcpyHostToDevice;
    return cudart::queue(copy, nullptr, cudart::Wait::yes) == cudaSuccess ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

cl_mem create(cl_context handle, const cl_properties* properties, cl_bitfield flags, size_t size, void* host,
              cl_int* code) {
    const auto context = find(handle);
    if (!context) return given<cl_mem>(code, CL_INVALID_CONTEXT);
    if (properties && *properties) return given<cl_mem>(code, CL_INVALID_PROPERTY);
    if (!sound(flags)) return given<cl_mem>(code, CL_INVALID_VALUE);
    if (size == 0 || size > cudart::Runtime::get().memory_size()) return given<cl_mem>(code, CL_INVALID_BUFFER_SIZE);
    const bool wants_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    if (wants_host != (host != nullptr)) return given<cl_mem>(code, CL_INVALID_HOST_PTR);
    auto memory = std::make_shared<Memory>();
    memory->context = context;
    memory->flags = flags & kAccess ? flags : flags | CL_MEM_READ_WRITE;
    memory->size = size;
    if (properties) memory->properties = {0};
    auto& table = cudart::MemoryTable::get();
    const auto known = host && (flags & CL_MEM_USE_HOST_PTR) ? table.find(host) : std::nullopt;
    if (flags & CL_MEM_USE_HOST_PTR) memory->host = host;
    if (known && known->kind == cudart::Block::Kind::managed) {
        memory->at = static_cast<std::byte*>(host);
        memory->svm = true;
    } else {
        void* at = nullptr;
        if (table.allocate(&at, size, cudart::Block::Kind::device) != cudaSuccess)
            return given<cl_mem>(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        memory->at = static_cast<std::byte*>(at);
        if (host)
            if (const cl_int bad = fill_from(*memory, host); bad != CL_SUCCESS) return given<cl_mem>(code, bad);
    }
    return given(code, CL_SUCCESS, Handles<Memory>::get().add(std::move(memory)));
}

}  // namespace

cl_mem clCreateBuffer(cl_context context, cl_bitfield flags, size_t size, void* host, cl_int* code) {
    return create(context, nullptr, flags, size, host, code);
}
cl_mem clCreateBufferWithProperties(cl_context context, const cl_properties* properties, cl_bitfield flags, size_t size,
                                    void* host, cl_int* code) {
    return create(context, properties, flags, size, host, code);
}

cl_mem clCreateSubBuffer(cl_mem handle, cl_bitfield flags, cl_uint type, const void* region, cl_int* code) {
    const auto whole = find(handle);
    if (!whole || whole->whole) return given<cl_mem>(code, CL_INVALID_MEM_OBJECT);
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !region || !sound(flags) || (flags & kHostMemory))
        return given<cl_mem>(code, CL_INVALID_VALUE);
    // What the whole may not do, a part may not either.
    const cl_bitfield access = whole->flags & kAccess, wanted = flags & kAccess;
    if (wanted && access != CL_MEM_READ_WRITE && wanted != access) return given<cl_mem>(code, CL_INVALID_VALUE);
    const auto& part = *static_cast<const cl_buffer_region*>(region);
    if (part.size == 0) return given<cl_mem>(code, CL_INVALID_BUFFER_SIZE);
    if (!whole->covers(part.origin, part.size)) return given<cl_mem>(code, CL_INVALID_VALUE);
    if (part.origin % (kAddressAlignment / 8)) return given<cl_mem>(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    auto memory = std::make_shared<Memory>();
    memory->context = whole->context;
    memory->flags = (wanted ? wanted : access) |
                    (flags & kHostAccess ? flags & kHostAccess : whole->flags & kHostAccess) |
                    (whole->flags & kHostMemory);
    memory->size = part.size;
    memory->at = whole->at + part.origin;
    memory->origin = part.origin;
    memory->svm = whole->svm;
    if (whole->host) memory->host = static_cast<std::byte*>(whole->host) + part.origin;
    memory->whole = whole;
    return given(code, CL_SUCCESS, Handles<Memory>::get().add(std::move(memory)));
}

cl_int clRetainMemObject(cl_mem memory) {
    return Handles<Memory>::get().retain(memory) ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
}
cl_int clReleaseMemObject(cl_mem memory) {
    return Handles<Memory>::get().release(memory) ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
}

cl_int clGetMemObjectInfo(cl_mem handle, cl_uint what, size_t size, void* value, size_t* needed) {
    const auto memory = find(handle);
    if (!memory) return CL_INVALID_MEM_OBJECT;
    const Asked asked{size, value, needed};
    switch (what) {
        case CL_MEM_TYPE:
            return asked.number(cl_uint{CL_MEM_OBJECT_BUFFER});
        case CL_MEM_FLAGS:
            return asked.number(memory->flags);
        case CL_MEM_SIZE:
            return asked.number(memory->size);
        case CL_MEM_HOST_PTR:
            return asked.number(memory->host);
        case CL_MEM_MAP_COUNT: {
            const std::lock_guard lock(memory->mutex);
            return asked.number(static_cast<cl_uint>(memory->mapped.size()));
        }
        case CL_MEM_REFERENCE_COUNT:
            return asked.number(Handles<Memory>::get().references(handle));
        case CL_MEM_CONTEXT:
            return asked.number(memory->context->handle);
        case CL_MEM_ASSOCIATED_MEMOBJECT:
            return asked.number(memory->whole ? memory->whole->handle : nullptr);
        case CL_MEM_OFFSET:
            return asked.number(memory->origin);
        case CL_MEM_USES_SVM_POINTER:
            return asked.flag(memory->svm);
        case CL_MEM_PROPERTIES:
            return asked.list(memory->properties);
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clSetMemObjectDestructorCallback(cl_mem handle, MemoryGone notify, void* data) {
    const auto memory = find(handle);
    if (!memory) return CL_INVALID_MEM_OBJECT;
    if (!notify) return CL_INVALID_VALUE;
    memory->destructors.add([=] { notify(handle, data); });
    return CL_SUCCESS;
}

void* clSVMAlloc(cl_context context, cl_bitfield flags, size_t size, cl_uint alignment) {
    constexpr cl_uint kMostAlignment = 128;
    if (!find(context) || size == 0 || (flags & ~kAccess) || !one_at_most(flags) || !one_at_most(alignment) ||
        alignment > kMostAlignment)
        return nullptr;
    void* at = nullptr;
    const auto made = cudart::MemoryTable::get().allocate(&at, size, cudart::Block::Kind::managed);
    return made == cudaSuccess ? at : nullptr;
}

void clSVMFree(cl_context context, void* memory) {
    if (find(context) && memory) (void)cudart::MemoryTable::get().release(memory, false);
}

}  // namespace warpwright::opencl::impl
