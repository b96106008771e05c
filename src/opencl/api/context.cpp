// Contexts and queues.
#include <algorithm>

#include "opencl/api/api.hpp"
#include "opencl/state/answer.hpp"
#include "opencl/state/commands.hpp"

namespace warpwright::opencl::impl {
namespace {

/// A list of pairs with a 0 at its end, with that; empty where there is none.
template <class T>
std::vector<T> pairs_of(const T* list) {
    std::vector<T> out;
    for (; list && *list; list += 2) out.insert(out.end(), {list[0], list[1]});
    if (list) out.push_back(0);
    return out;
}

cl_int check(const std::vector<std::intptr_t>& properties) {
    for (std::size_t k = 0; k + 1 < properties.size(); k += 2) {
        if (properties[k] == CL_CONTEXT_INTEROP_USER_SYNC) continue;
        if (properties[k] != CL_CONTEXT_PLATFORM) return CL_INVALID_PROPERTY;
        if (!find(reinterpret_cast<cl_platform_id>(properties[k + 1]))) return CL_INVALID_PLATFORM;
    }
    return CL_SUCCESS;
}

}  // namespace

cl_context clCreateContext(const intptr_t* properties, cl_uint count, const cl_device_id* list, ContextNotify notify,
                           void* data, cl_int* code) {
    if (!count || !list || (!notify && data)) return given<cl_context>(code, CL_INVALID_VALUE);
    auto context = std::make_shared<Context>();
    context->properties = pairs_of(properties);
    if (const cl_int bad = check(context->properties); bad != CL_SUCCESS) return given<cl_context>(code, bad);
    for (cl_uint k = 0; k < count; ++k) {
        if (!find(list[k])) return given<cl_context>(code, CL_INVALID_DEVICE);
        if (!context->has(list[k])) context->devices.push_back(list[k]);
    }
    return given(code, CL_SUCCESS, Handles<Context>::get().add(std::move(context)));
}

cl_context clCreateContextFromType(const intptr_t* properties, cl_bitfield type, ContextNotify notify, void* data,
                                   cl_int* code) {
    std::vector<cl_device_id> list(devices().size());
    cl_uint found = 0;
    const cl_int bad =
        impl::clGetDeviceIDs(platform().handle, type, static_cast<cl_uint>(list.size()), list.data(), &found);
    if (bad != CL_SUCCESS) return given<cl_context>(code, bad);
    return impl::clCreateContext(properties, std::min<cl_uint>(found, static_cast<cl_uint>(list.size())), list.data(),
                                 notify, data, code);
}

cl_int clRetainContext(cl_context context) {
    return Handles<Context>::get().retain(context) ? CL_SUCCESS : CL_INVALID_CONTEXT;
}
cl_int clReleaseContext(cl_context context) {
    return Handles<Context>::get().release(context) ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

cl_int clGetContextInfo(cl_context handle, cl_uint what, size_t size, void* value, size_t* needed) {
    const auto context = find(handle);
    if (!context) return CL_INVALID_CONTEXT;
    const Asked asked{size, value, needed};
    switch (what) {
        case CL_CONTEXT_REFERENCE_COUNT:
            return asked.number(Handles<Context>::get().references(handle));
        case CL_CONTEXT_NUM_DEVICES:
            return asked.number(static_cast<cl_uint>(context->devices.size()));
        case CL_CONTEXT_DEVICES:
            return asked.list(context->devices);
        case CL_CONTEXT_PROPERTIES:
            return asked.list(context->properties);
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clSetContextDestructorCallback(cl_context handle, ContextGone notify, void* data) {
    const auto context = find(handle);
    if (!context) return CL_INVALID_CONTEXT;
    if (!notify) return CL_INVALID_VALUE;
    context->destructors.add([=] { notify(handle, data); });
    return CL_SUCCESS;
}

namespace {

constexpr cl_bitfield kQueueFlags = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

cl_command_queue make_queue(cl_context handle, cl_device_id device, cl_bitfield flags,
                            std::vector<cl_properties> properties, cl_int* code) {
    auto context = find(handle);
    if (!context) return given<cl_command_queue>(code, CL_INVALID_CONTEXT);
    if (!find(device) || !context->has(device)) return given<cl_command_queue>(code, CL_INVALID_DEVICE);
    if (flags & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))
        return given<cl_command_queue>(code, CL_INVALID_QUEUE_PROPERTIES);
    if (flags & ~kQueueFlags) return given<cl_command_queue>(code, CL_INVALID_VALUE);
    auto queue = std::make_shared<Queue>();
    queue->context = std::move(context);
    queue->device = device;
    queue->flags = flags;
    queue->properties = std::move(properties);
    return given(code, CL_SUCCESS, Handles<Queue>::get().add(std::move(queue)));
}

}  // namespace

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_bitfield flags, cl_int* code) {
    return make_queue(context, device, flags, {}, code);
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_properties* properties, cl_int* code) {
    cl_bitfield flags = 0;
    for (const cl_properties* p = properties; p && *p; p += 2) {
        if (p[0] == CL_QUEUE_PROPERTIES)
            flags = p[1];
        else
            return given<cl_command_queue>(code,
                                           p[0] == CL_QUEUE_SIZE ? CL_INVALID_QUEUE_PROPERTIES : CL_INVALID_VALUE);
    }
    return make_queue(context, device, flags, pairs_of(properties), code);
}

cl_int clRetainCommandQueue(cl_command_queue queue) {
    return Handles<Queue>::get().retain(queue) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}
cl_int clReleaseCommandQueue(cl_command_queue queue) {
    return Handles<Queue>::get().release(queue) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int clGetCommandQueueInfo(cl_command_queue handle, cl_uint what, size_t size, void* value, size_t* needed) {
    const auto queue = find(handle);
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    const Asked asked{size, value, needed};
    switch (what) {
        case CL_QUEUE_CONTEXT:
            return asked.number(queue->context->handle);
        case CL_QUEUE_DEVICE:
            return asked.number(queue->device);
        case CL_QUEUE_REFERENCE_COUNT:
            return asked.number(Handles<Queue>::get().references(handle));
        case CL_QUEUE_PROPERTIES:
            return asked.number(queue->flags);
        case CL_QUEUE_PROPERTIES_ARRAY:
            return asked.list(queue->properties);
        case CL_QUEUE_DEVICE_DEFAULT:
            return asked.number(cl_command_queue{});
        case CL_QUEUE_SIZE:
            return CL_INVALID_COMMAND_QUEUE;
        default:
            return CL_INVALID_VALUE;
    }
}

/// Deprecated since OpenCL 1.1.
cl_int clSetCommandQueueProperty(cl_command_queue queue, cl_bitfield, cl_bool, cl_bitfield*) {
    return find(queue) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int clFlush(cl_command_queue queue) { return find(queue) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE; }
cl_int clFinish(cl_command_queue handle) {
    const auto queue = find(handle);
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    finish(*queue);
    return CL_SUCCESS;
}

}  // namespace warpwright::opencl::impl
