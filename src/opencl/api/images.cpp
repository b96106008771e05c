// Images, samplers, pipes and other things that our devices do not have: they say so when they are asked
// (CL_DEVICE_IMAGE_SUPPORT is CL_FALSE), and these functions again.
#include "cudart/state/runtime.hpp"
#include "opencl/api/api.hpp"
#include "opencl/state/answer.hpp"
#include "support/result.hpp"

namespace warpwright::opencl::impl {
namespace {

/// A program that does not ask first learns why, once.
template <class T>
T no_images(cl_context context, cl_int* code) {
    if (!find(context)) return given<T>(code, CL_INVALID_CONTEXT);
    cudart::Runtime::get().say(Error{ErrorKind::usage,
                                     "the emulated OpenCL devices have no images (CL_DEVICE_IMAGE_SUPPORT is CL_FALSE)",
                                     {},
                                     "buffers hold the same data"});
    return given<T>(code, CL_INVALID_OPERATION);
}

cl_int no_image(cl_command_queue queue) { return find(queue) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE; }

}  // namespace

cl_mem clCreateImage(cl_context context, cl_bitfield, const cl_image_format*, const cl_image_desc*, void*,
                     cl_int* code) {
    return no_images<cl_mem>(context, code);
}
cl_mem clCreateImageWithProperties(cl_context context, const cl_properties*, cl_bitfield, const cl_image_format*,
                                   const cl_image_desc*, void*, cl_int* code) {
    return no_images<cl_mem>(context, code);
}
cl_mem clCreateImage2D(cl_context context, cl_bitfield, const cl_image_format*, size_t, size_t, size_t, void*,
                       cl_int* code) {
    return no_images<cl_mem>(context, code);
}
cl_mem clCreateImage3D(cl_context context, cl_bitfield, const cl_image_format*, size_t, size_t, size_t, size_t, size_t,
                       void*, cl_int* code) {
    return no_images<cl_mem>(context, code);
}
cl_sampler clCreateSampler(cl_context context, cl_bool, cl_uint, cl_uint, cl_int* code) {
    return no_images<cl_sampler>(context, code);
}
cl_sampler clCreateSamplerWithProperties(cl_context context, const cl_properties*, cl_int* code) {
    return no_images<cl_sampler>(context, code);
}
cl_int clGetSupportedImageFormats(cl_context context, cl_bitfield, cl_uint, cl_uint, cl_image_format*, cl_uint* found) {
    if (!find(context)) return CL_INVALID_CONTEXT;
    if (found) *found = 0;
    return CL_SUCCESS;
}
cl_int clRetainSampler(cl_sampler) { return CL_INVALID_SAMPLER; }
cl_int clReleaseSampler(cl_sampler) { return CL_INVALID_SAMPLER; }
cl_int clGetSamplerInfo(cl_sampler, cl_uint, size_t, void*, size_t*) { return CL_INVALID_SAMPLER; }
cl_int clGetImageInfo(cl_mem, cl_uint, size_t, void*, size_t*) { return CL_INVALID_MEM_OBJECT; }

cl_int clEnqueueReadImage(cl_command_queue queue, cl_mem, cl_bool, const size_t*, const size_t*, size_t, size_t, void*,
                          cl_uint, const cl_event*, cl_event*) {
    return no_image(queue);
}
cl_int clEnqueueWriteImage(cl_command_queue queue, cl_mem, cl_bool, const size_t*, const size_t*, size_t, size_t,
                           const void*, cl_uint, const cl_event*, cl_event*) {
    return no_image(queue);
}
cl_int clEnqueueCopyImage(cl_command_queue queue, cl_mem, cl_mem, const size_t*, const size_t*, const size_t*, cl_uint,
                          const cl_event*, cl_event*) {
    return no_image(queue);
}
cl_int clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem, cl_mem, const size_t*, const size_t*, size_t, cl_uint,
                                  const cl_event*, cl_event*) {
    return no_image(queue);
}
cl_int clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem, cl_mem, size_t, const size_t*, const size_t*, cl_uint,
                                  const cl_event*, cl_event*) {
    return no_image(queue);
}
cl_int clEnqueueFillImage(cl_command_queue queue, cl_mem, const void*, const size_t*, const size_t*, cl_uint,
                          const cl_event*, cl_event*) {
    return no_image(queue);
}
void* clEnqueueMapImage(cl_command_queue queue, cl_mem, cl_bool, cl_bitfield, const size_t*, const size_t*, size_t*,
                        size_t*, cl_uint, const cl_event*, cl_event*, cl_int* code) {
    return given<void*>(code, no_image(queue));
}

cl_mem clCreatePipe(cl_context context, cl_bitfield, cl_uint, cl_uint, const intptr_t*, cl_int* code) {
    return given<cl_mem>(code, find(context) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}
cl_int clGetPipeInfo(cl_mem, cl_uint, size_t, void*, size_t*) { return CL_INVALID_MEM_OBJECT; }
cl_int clEnqueueNativeKernel(cl_command_queue queue, NativeKernel, void*, size_t, cl_uint, const cl_mem*, const void**,
                             cl_uint, const cl_event*, cl_event*) {
    return no_image(queue);
}
cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id, cl_command_queue) {
    return find(context) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
}

}  // namespace warpwright::opencl::impl
