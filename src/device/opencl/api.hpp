// The part of OpenCL that we use: names, types and numbers from the Khronos specification, declared here so that
// neither headers nor a library are needed to build. The table of entry points is filled when the program runs
// (driver.*). tests/device/opencl_api_test.cpp compares it with the Khronos headers where they are installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwright::device::opencl {

using Status = std::int32_t;  ///< cl_int
using Bits = std::uint64_t;   ///< cl_bitfield
using Count = std::uint32_t;  ///< cl_uint
using Platform = struct PlatformTag*;
using DeviceId = struct DeviceTag*;
using Context = struct ContextTag*;
using Queue = struct QueueTag*;
using Memory = struct MemoryTag*;
using Program = struct ProgramTag*;
using Kernel = struct KernelTag*;
using Event = struct EventTag*;

namespace status {
inline constexpr Status success = 0, device_not_found = -1, device_not_available = -2, compiler_not_available = -3,
                        allocation_failure = -4, out_of_resources = -5, out_of_host_memory = -6,
                        no_kernel_argument_info = -19, build_failure = -11, invalid_value = -30,
                        invalid_work_group_size = -54, invalid_buffer_size = -61, no_platform = -1001;
}

namespace info {
// Platforms.
inline constexpr Count platform_version = 0x0901, platform_name = 0x0902;
// Devices.
inline constexpr Count device_type = 0x1000, compute_units = 0x1002, group_size = 0x1004, item_sizes = 0x1005,
                       clock_mhz = 0x100C, largest_allocation = 0x1010, address_alignment = 0x1019,
                       cache_bytes = 0x101E, memory_bytes = 0x101F, local_bytes = 0x1023, device_name = 0x102B,
                       device_vendor = 0x102C, driver_version = 0x102D, device_version = 0x102F, extensions = 0x1030;
// Programs and kernels.
inline constexpr Count build_log = 0x1183, kernel_names = 0x1168, argument_count = 0x1191, kernel_group_size = 0x11B0,
                       required_group_size = 0x11B1, kernel_local_bytes = 0x11B2, kernel_private_bytes = 0x11B4,
                       argument_space = 0x1196, argument_type = 0x1198;
// Events.
inline constexpr Count execution_status = 0x11D3, profiling_start = 0x1282, profiling_end = 0x1283;
}  // namespace info

/// CL_KERNEL_ARG_ADDRESS_*.
enum class Space : Count { global = 0x119B, local = 0x119C, constant = 0x119D, value = 0x119E };

inline constexpr Bits kTypeCpu = 2, kTypeGpu = 4, kTypeAll = 0xFFFFFFFF;
inline constexpr Bits kReadWrite = 1, kProfiling = 2;
inline constexpr Count kRegion = 0x1220;  ///< CL_BUFFER_CREATE_TYPE_REGION
inline constexpr Status kComplete = 0;    ///< of an event's execution status; negative: an error

/// cl_buffer_region.
struct Region {
    std::size_t origin, size;
};

// X(member, symbol, result and parameters).
#define WARPWRIGHT_OPENCL_ENTRY_POINTS(X)                                                                              \
    X(platforms, "clGetPlatformIDs", Status(Count, Platform*, Count*))                                                 \
    X(platform_info, "clGetPlatformInfo", Status(Platform, Count, std::size_t, void*, std::size_t*))                   \
    X(devices, "clGetDeviceIDs", Status(Platform, Bits, Count, DeviceId*, Count*))                                     \
    X(device_info, "clGetDeviceInfo", Status(DeviceId, Count, std::size_t, void*, std::size_t*))                       \
    X(context_create, "clCreateContext",                                                                               \
      Context(const std::intptr_t*, Count, const DeviceId*, void (*)(const char*, const void*, std::size_t, void*),    \
              void*, Status*))                                                                                         \
    X(context_release, "clReleaseContext", Status(Context))                                                            \
    X(queue_create, "clCreateCommandQueue", Queue(Context, DeviceId, Bits, Status*))                                   \
    X(queue_release, "clReleaseCommandQueue", Status(Queue))                                                           \
    X(buffer_create, "clCreateBuffer", Memory(Context, Bits, std::size_t, void*, Status*))                             \
    X(sub_buffer, "clCreateSubBuffer", Memory(Memory, Bits, Count, const void*, Status*))                              \
    X(memory_release, "clReleaseMemObject", Status(Memory))                                                            \
    X(program_create, "clCreateProgramWithSource", Program(Context, Count, const char**, const std::size_t*, Status*)) \
    X(program_build, "clBuildProgram",                                                                                 \
      Status(Program, Count, const DeviceId*, const char*, void (*)(Program, void*), void*))                           \
    X(program_build_info, "clGetProgramBuildInfo", Status(Program, DeviceId, Count, std::size_t, void*, std::size_t*)) \
    X(program_info, "clGetProgramInfo", Status(Program, Count, std::size_t, void*, std::size_t*))                      \
    X(program_release, "clReleaseProgram", Status(Program))                                                            \
    X(kernel_create, "clCreateKernel", Kernel(Program, const char*, Status*))                                          \
    X(kernel_info, "clGetKernelInfo", Status(Kernel, Count, std::size_t, void*, std::size_t*))                         \
    X(kernel_argument_info, "clGetKernelArgInfo", Status(Kernel, Count, Count, std::size_t, void*, std::size_t*))      \
    X(kernel_group_info, "clGetKernelWorkGroupInfo",                                                                   \
      Status(Kernel, DeviceId, Count, std::size_t, void*, std::size_t*))                                               \
    X(kernel_argument, "clSetKernelArg", Status(Kernel, Count, std::size_t, const void*))                              \
    X(kernel_release, "clReleaseKernel", Status(Kernel))                                                               \
    X(launch, "clEnqueueNDRangeKernel",                                                                                \
      Status(Queue, Kernel, Count, const std::size_t*, const std::size_t*, const std::size_t*, Count, const Event*,    \
             Event*))                                                                                                  \
    X(read, "clEnqueueReadBuffer",                                                                                     \
      Status(Queue, Memory, Count, std::size_t, std::size_t, void*, Count, const Event*, Event*))                      \
    X(write, "clEnqueueWriteBuffer",                                                                                   \
      Status(Queue, Memory, Count, std::size_t, std::size_t, const void*, Count, const Event*, Event*))                \
    X(copy, "clEnqueueCopyBuffer",                                                                                     \
      Status(Queue, Memory, Memory, std::size_t, std::size_t, std::size_t, Count, const Event*, Event*))               \
    X(fill, "clEnqueueFillBuffer",                                                                                     \
      Status(Queue, Memory, const void*, std::size_t, std::size_t, std::size_t, Count, const Event*, Event*))          \
    X(flush, "clFlush", Status(Queue))                                                                                 \
    X(finish, "clFinish", Status(Queue))                                                                               \
    X(event_wait, "clWaitForEvents", Status(Count, const Event*))                                                      \
    X(event_info, "clGetEventInfo", Status(Event, Count, std::size_t, void*, std::size_t*))                            \
    X(event_times, "clGetEventProfilingInfo", Status(Event, Count, std::size_t, void*, std::size_t*))                  \
    X(event_release, "clReleaseEvent", Status(Event))

template <class Signature>
using EntryPoint = Signature*;

/// The entry points. All calls are made through it.
struct OpenclFunctions {
#define WARPWRIGHT_OPENCL_MEMBER(member, symbol, ...) EntryPoint<__VA_ARGS__> member = nullptr;
    WARPWRIGHT_OPENCL_ENTRY_POINTS(WARPWRIGHT_OPENCL_MEMBER)
#undef WARPWRIGHT_OPENCL_MEMBER
};

}  // namespace warpwright::device::opencl
