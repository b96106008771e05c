// The faces of one process: the C interface, the runtime library and the driver library refuse launches over a limit of
// the device model.
#include "common/over_limits.hpp"

#include <cuda.h>
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "warpwright/warpwright.h"

namespace over_limits_test {

using ::testing::HasSubstr;
using warpwright::test::kAnyKernel;
using warpwright::test::kOverLimits;

/// The driver has no number for an invalid configuration, and the runtime library of CUDA 13 passes on the driver's.
int number_of(const warpwright::test::OverLimit& over) {
    return over.cuda == cudaErrorInvalidConfiguration ? cudaErrorInvalidValue : over.cuda;
}

TEST(OverLimits, TheCInterfaceRefusesThem) {
    ww_module* module = nullptr;
    ASSERT_EQ(ww_load_ptx("k.ptx", kAnyKernel, &module), WW_OK) << ww_error();
    ww_kernel* kernel = nullptr;
    ASSERT_EQ(ww_module_kernel(module, "k", &kernel), WW_OK) << ww_error();
    for (const auto& over : kOverLimits) {
        ww_shape shape{};
        for (int k = 0; k < 3; ++k) shape.grid[k] = over.grid[k], shape.block[k] = over.block[k];
        shape.dynamic_shared = over.dynamic_shared;
        shape.cooperative = over.cooperative;
        EXPECT_EQ(ww_launch(kernel, &shape, nullptr, 0, nullptr), WW_LIMIT) << over.words;
        EXPECT_THAT(ww_error(), HasSubstr(over.words));
    }
    const ww_shape fine{{1, 1, 1}, {32, 1, 1}, 0, 0};
    EXPECT_EQ(ww_launch(kernel, &fine, nullptr, 0, nullptr), WW_OK) << ww_error();
    ww_module_release(module);
}

TEST(OverLimits, TheRuntimeLibraryRefusesThem) {
    cudaLibrary_t library;
    ASSERT_EQ(cudaLibraryLoadData(&library, kAnyKernel, nullptr, nullptr, 0, nullptr, nullptr, 0), cudaSuccess);
    cudaKernel_t kernel;
    ASSERT_EQ(cudaLibraryGetKernel(&kernel, library, "k"), cudaSuccess);
    for (const auto& over : kOverLimits) {
        const dim3 grid(over.grid[0], over.grid[1], over.grid[2]), block(over.block[0], over.block[1], over.block[2]);
        const void* function = kernel;
        const auto error =
            over.cooperative ? cudaLaunchCooperativeKernel(function, grid, block, nullptr, over.dynamic_shared, nullptr)
                             : cudaLaunchKernel(function, grid, block, nullptr, over.dynamic_shared, nullptr);
        EXPECT_EQ(error, number_of(over)) << over.words;
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "a launch that is refused breaks nothing";
    }
    EXPECT_EQ(cudaLaunchKernel(static_cast<const void*>(kernel), dim3(1), dim3(32), nullptr, 0, nullptr), cudaSuccess);
}

TEST(OverLimits, TheDriverLibraryRefusesThem) {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    CUcontext context;
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    CUmodule module;
    ASSERT_EQ(cuModuleLoadData(&module, kAnyKernel), CUDA_SUCCESS);
    CUfunction kernel;
    ASSERT_EQ(cuModuleGetFunction(&kernel, module, "k"), CUDA_SUCCESS);
    for (const auto& over : kOverLimits) {
        const auto &g = over.grid, &b = over.block;
        const auto result = over.cooperative ? cuLaunchCooperativeKernel(kernel, g[0], g[1], g[2], b[0], b[1], b[2],
                                                                         over.dynamic_shared, nullptr, nullptr)
                                             : cuLaunchKernel(kernel, g[0], g[1], g[2], b[0], b[1], b[2],
                                                              over.dynamic_shared, nullptr, nullptr, nullptr);
        EXPECT_EQ(result, number_of(over)) << over.words;
    }
    EXPECT_EQ(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
}

}  // namespace over_limits_test
