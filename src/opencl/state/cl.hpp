// The part of OpenCL that we implement: names, types and numbers from the Khronos specification, declared here so that
// no headers are needed to build. tests/opencl compares the numbers with the Khronos headers where those are installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwright::opencl {

using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_ulong = std::uint64_t;
using cl_bool = cl_uint;
using cl_bitfield = cl_ulong;
using cl_properties = cl_ulong;

#define WW_CL_CONSTANT(name, value) inline constexpr auto name = value;
#include "opencl/state/constants.inc"
#undef WW_CL_CONSTANT

struct Dispatch;

/// What a handle points to: the loader calls the functions of a handle through it. A kind of object has a type of
/// handle.
template <class Kind>
struct Cell {
    const Dispatch* dispatch;
};
struct Platform;
struct Device;
struct Context;
struct Queue;
struct Memory;
struct Sampler;
struct Program;
struct Kernel;
struct Event;
using cl_platform_id = Cell<Platform>*;
using cl_device_id = Cell<Device>*;
using cl_context = Cell<Context>*;
using cl_command_queue = Cell<Queue>*;
using cl_mem = Cell<Memory>*;
using cl_sampler = Cell<Sampler>*;
using cl_program = Cell<Program>*;
using cl_kernel = Cell<Kernel>*;
using cl_event = Cell<Event>*;

struct cl_image_format;
struct cl_image_desc;
struct cl_buffer_region {
    std::size_t origin, size;
};
struct cl_name_version {
    cl_uint version;
    char name[64];
};

using ContextNotify = void (*)(const char*, const void*, std::size_t, void*);
using ContextGone = void (*)(cl_context, void*);
using MemoryGone = void (*)(cl_mem, void*);
using ProgramNotify = void (*)(cl_program, void*);
using EventNotify = void (*)(cl_event, cl_int, void*);
using SvmFree = void (*)(cl_command_queue, cl_uint, void**, void*);
using NativeKernel = void (*)(void*);

}  // namespace warpwright::opencl
