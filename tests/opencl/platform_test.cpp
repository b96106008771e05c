// The platform as a loader finds it: by one exported function, and through the tables of its handles.
#include <gtest/gtest.h>

#include <string>

#include "opencl/state/dispatch.hpp"

using namespace warpwright::opencl;

extern "C" cl_int clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id* list, cl_uint* found);

namespace platform_test {

class OpenclPlatform : public testing::Test {
protected:
    void SetUp() override {
        cl_uint found = 0;
        ASSERT_EQ(clIcdGetPlatformIDsKHR(1, &platform_, &found), CL_SUCCESS);
        ASSERT_EQ(found, 1u);
        cl = platform_->dispatch;
        ASSERT_EQ(cl->clGetDeviceIDs(platform_, CL_DEVICE_TYPE_GPU, 1, &device_, nullptr), CL_SUCCESS);
        cl_int code = -1;
        context_ = cl->clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
        ASSERT_EQ(code, CL_SUCCESS);
    }
    void TearDown() override { EXPECT_EQ(cl->clReleaseContext(context_), CL_SUCCESS); }

    const Dispatch* cl = nullptr;
    cl_platform_id platform_ = nullptr;
    cl_device_id device_ = nullptr;
    cl_context context_ = nullptr;
};

TEST_F(OpenclPlatform, AHandleThatIsStaleOrOfAnotherKindIsAnError) {
    cl_int code = -1;
    const cl_mem memory = cl->clCreateBuffer(context_, CL_MEM_READ_WRITE, 64, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(cl->clRetainMemObject(memory), CL_SUCCESS);
    EXPECT_EQ(cl->clReleaseMemObject(memory), CL_SUCCESS);
    EXPECT_EQ(cl->clReleaseEvent(reinterpret_cast<cl_event>(memory)), CL_INVALID_EVENT);
    EXPECT_EQ(cl->clReleaseMemObject(memory), CL_SUCCESS);
    EXPECT_EQ(cl->clReleaseMemObject(memory), CL_INVALID_MEM_OBJECT);
    EXPECT_EQ(cl->clRetainMemObject(nullptr), CL_INVALID_MEM_OBJECT);
    const cl_mem next = cl->clCreateBuffer(context_, CL_MEM_READ_WRITE, 64, nullptr, &code);
    EXPECT_NE(next, memory) << "a new object has another handle";
    EXPECT_EQ(cl->clReleaseMemObject(next), CL_SUCCESS);
}

TEST_F(OpenclPlatform, ADeviceHasTheFiguresOfItsModel) {
    std::string name(200, '\0');
    cl_uint units = 0;
    cl_bool images = 1;
    ASSERT_EQ(cl->clGetDeviceInfo(device_, CL_DEVICE_NAME, name.size(), name.data(), nullptr), CL_SUCCESS);
    ASSERT_EQ(cl->clGetDeviceInfo(device_, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr), CL_SUCCESS);
    ASSERT_EQ(cl->clGetDeviceInfo(device_, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, nullptr), CL_SUCCESS);
    EXPECT_EQ(name.find("NVIDIA H200"), 0u) << name;
    EXPECT_EQ(units, 132u);
    EXPECT_EQ(images, 0u);
    std::size_t needed = 0;
    EXPECT_EQ(cl->clGetDeviceInfo(device_, CL_DEVICE_NAME, 3, name.data(), &needed), CL_INVALID_VALUE);
    EXPECT_EQ(cl->clGetDeviceInfo(device_, 0x1234, 0, nullptr, nullptr), CL_INVALID_VALUE);
    EXPECT_EQ(cl->clGetDeviceIDs(platform_, CL_DEVICE_TYPE_CPU, 0, nullptr, nullptr), CL_DEVICE_NOT_FOUND);
}

TEST_F(OpenclPlatform, WhatThereIsNotSaysSo) {
    cl_int code = 0;
    EXPECT_EQ(cl->clCreateImage(context_, CL_MEM_READ_ONLY, nullptr, nullptr, nullptr, &code), nullptr);
    EXPECT_EQ(code, CL_INVALID_OPERATION);
    EXPECT_EQ(cl->clCreateFromGLBuffer(), CL_INVALID_OPERATION);
    EXPECT_NE(cl->clGetExtensionFunctionAddress("clIcdGetPlatformIDsKHR"), nullptr);
    EXPECT_EQ(cl->clGetExtensionFunctionAddress("clNothing"), nullptr);
}

}  // namespace platform_test
