// The platform and its devices. What a device says of itself is a table (device_info.inc) over the figures of the
// model, as CUDA programs are told them.
#include <chrono>
#include <cstring>

#include "cudart/state/properties.hpp"
#include "cudart/state/runtime.hpp"
#include "opencl/api/api.hpp"
#include "opencl/state/answer.hpp"
#include "opencl/state/versions.hpp"
#include "opencl/state/work_group.hpp"

namespace warpwright::opencl::impl {

cl_int clGetPlatformIDs(cl_uint count, cl_platform_id* list, cl_uint* found) {
    return give_list(std::vector<cl_platform_id>{platform().handle}, count, list, found);
}
cl_int clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id* list, cl_uint* found) {
    return impl::clGetPlatformIDs(count, list, found);
}

cl_int clGetPlatformInfo(cl_platform_id handle, cl_uint what, size_t size, void* value, size_t* needed) {
    if (!find(handle)) return CL_INVALID_PLATFORM;
    const Asked asked{size, value, needed};
    switch (what) {
        case CL_PLATFORM_PROFILE:
            return asked.text("FULL_PROFILE");
        case CL_PLATFORM_VERSION:
            return asked.text(kVersion);
        case CL_PLATFORM_NUMERIC_VERSION:
            return asked.number(kNumericVersion);
        case CL_PLATFORM_NAME:
            return asked.text("Warpwright");
        case CL_PLATFORM_VENDOR:
            return asked.text("Warpwright");
        case CL_PLATFORM_EXTENSIONS:
            return asked.text(extensions());
        case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
            return asked.list(extension_versions());
        case CL_PLATFORM_HOST_TIMER_RESOLUTION:
            return asked.number(cl_ulong{1});
        case CL_PLATFORM_ICD_SUFFIX_KHR:
            return asked.text("WARPWRIGHT");
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clGetDeviceIDs(cl_platform_id handle, cl_bitfield type, cl_uint count, cl_device_id* list, cl_uint* found) {
    if (handle && !find(handle)) return CL_INVALID_PLATFORM;
    constexpr cl_bitfield kKnown = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                   CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (!type || (type != CL_DEVICE_TYPE_ALL && (type & ~kKnown))) return CL_INVALID_DEVICE_TYPE;
    std::vector<cl_device_id> all;
    if (type == CL_DEVICE_TYPE_ALL || (type & CL_DEVICE_TYPE_GPU))
        all = devices();
    else if (type & CL_DEVICE_TYPE_DEFAULT)
        all = {devices().front()};
    if (all.empty()) return CL_DEVICE_NOT_FOUND;
    return give_list(all, count, list, found);
}

cl_int clRetainDevice(cl_device_id device) { return find(device) ? CL_SUCCESS : CL_INVALID_DEVICE; }
cl_int clReleaseDevice(cl_device_id device) { return find(device) ? CL_SUCCESS : CL_INVALID_DEVICE; }
cl_int clCreateSubDevices(cl_device_id device, const intptr_t*, cl_uint, cl_device_id*, cl_uint*) {
    return find(device) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

cl_int clGetDeviceInfo(cl_device_id handle, cl_uint what, size_t size, void* value, size_t* needed) {
    const auto device = find(handle);
    if (!device) return CL_INVALID_DEVICE;
    const Asked asked{size, value, needed};
    cudaDeviceProp p;
    cudart::fill_properties(p, static_cast<int>(device->index));
    const auto& model = cudart::Runtime::get().model();
    switch (what) {
#define WW_NUMBER(name, type, answer) \
    case name:                        \
        return asked.number(static_cast<type>(answer));
#define WW_TEXT(name, answer) \
    case name:                \
        return asked.text(answer);
#define WW_LIST(name, answer) \
    case name:                \
        return asked.list(answer);
#include "opencl/state/device_info.inc"
#undef WW_NUMBER
#undef WW_TEXT
#undef WW_LIST
        case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
            const std::vector<std::size_t> sizes(p.maxThreadsDim, p.maxThreadsDim + 3);
            return asked.list(sizes);
        }
        case CL_DEVICE_UUID_KHR:
        case CL_DRIVER_UUID_KHR:
            return asked.bytes(p.uuid.bytes, sizeof p.uuid.bytes);
        default:
            return CL_INVALID_VALUE;
    }
}

cl_int clGetHostTimer(cl_device_id device, cl_ulong* of_host) {
    if (!find(device)) return CL_INVALID_DEVICE;
    if (!of_host) return CL_INVALID_VALUE;
    *of_host = static_cast<cl_ulong>(std::chrono::steady_clock::now().time_since_epoch().count());
    return CL_SUCCESS;
}
/// The device's clock is the modelled one, which the host's clock does not know.
cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong*, cl_ulong*) {
    return find(device) ? CL_INVALID_OPERATION : CL_INVALID_DEVICE;
}

}  // namespace warpwright::opencl::impl
