// Our declarations against the Khronos headers, where they are installed: numbers, and the order of the loader's table.
#if __has_include(<CL/cl_icd.h>)
    #define CL_TARGET_OPENCL_VERSION 300
    #define CL_USE_DEPRECATED_OPENCL_1_0_APIS
    #define CL_USE_DEPRECATED_OPENCL_1_1_APIS
    #define CL_USE_DEPRECATED_OPENCL_1_2_APIS
    #define CL_USE_DEPRECATED_OPENCL_2_0_APIS
    #define CL_USE_DEPRECATED_OPENCL_2_1_APIS
    #define CL_USE_DEPRECATED_OPENCL_2_2_APIS
    #include <CL/cl.h>
    #include <CL/cl_ext.h>
    #include <CL/cl_icd.h>

    #include <cstddef>
    #include <cstdint>

    // The names are the headers' macros here, so that each row compares a number of theirs with ours.
    #define WW_CL_CONSTANT(name, value) \
        static_assert(static_cast<std::int64_t>(name) == static_cast<std::int64_t>(value));
    #include "opencl/state/constants.inc"
    #undef WW_CL_CONSTANT

// A table of ours has a pointer for each row, and so has theirs: the places of all functions are compared.
namespace numbers_test {

struct Ours {
    #define WW_CL(kind, type, name, parameters, arguments) void* name;
    #define WW_CL_NONE(name) void* name;
    #include "opencl/state/functions.inc"
};

    #define WW_PLACE(name) static_assert(offsetof(Ours, name) == offsetof(cl_icd_dispatch, name));
WW_PLACE(clGetPlatformIDs)
WW_PLACE(clCreateContext)
WW_PLACE(clCreateBuffer)
WW_PLACE(clGetSamplerInfo)
WW_PLACE(clBuildProgram)
WW_PLACE(clSetKernelArg)
WW_PLACE(clGetEventProfilingInfo)
WW_PLACE(clFinish)
WW_PLACE(clEnqueueReadImage)
WW_PLACE(clEnqueueNDRangeKernel)
WW_PLACE(clGetExtensionFunctionAddress)
WW_PLACE(clSetEventCallback)
WW_PLACE(clEnqueueCopyBufferRect)
WW_PLACE(clCreateSubDevices)
WW_PLACE(clGetKernelArgInfo)
WW_PLACE(clEnqueueBarrierWithWaitList)
WW_PLACE(clGetExtensionFunctionAddressForPlatform)
WW_PLACE(clCreateCommandQueueWithProperties)
WW_PLACE(clSetKernelExecInfo)
WW_PLACE(clGetKernelSubGroupInfoKHR)
WW_PLACE(clCloneKernel)
WW_PLACE(clSetDefaultDeviceCommandQueue)
WW_PLACE(clSetProgramSpecializationConstant)
WW_PLACE(clSetContextDestructorCallback)
    #undef WW_PLACE

}  // namespace numbers_test
#endif
