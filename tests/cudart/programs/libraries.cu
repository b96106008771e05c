// Code loaded by the program itself, the driver's functions by name, many copies in one call.
#include <cstdint>
#include <cstring>
#include <cuda.h>
#include <cudaTypedefs.h>
#include "check.h"
const char* ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .align 4 .u32 counter = 5;\n"
                  ".visible .entry twice(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<4>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
                  "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, %rd2;\nld.global.u32 %r2, [%rd1];\nadd.u32 %r2, %r2, %r2;\n"
                  "ld.global.u32 %r3, [counter];\nadd.u32 %r2, %r2, %r3;\nst.global.u32 [%rd1], %r2;\nret;\n}\n"
                  ".visible .entry nothing()\n{\nret;\n}\n";
__global__ void own(int* p) { p[threadIdx.x] = threadIdx.x; }
int main() {
    cudaLibrary_t library, none;
    OK(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    unsigned kernels = 0;
    OK(cudaLibraryGetKernelCount(&kernels, library));
    CHECK(kernels == 2);
    cudaKernel_t all[2], twice, missing;
    OK(cudaLibraryEnumerateKernels(all, 2, library));
    OK(cudaLibraryGetKernel(&twice, library, "twice"));
    CHECK(twice == all[0] || twice == all[1]);
    CHECK(cudaLibraryGetKernel(&missing, library, "thrice") == cudaErrorSymbolNotFound);
    CHECK(cudaLibraryLoadData(&none, ".version 8.0\n.target sm_80\nnonsense", nullptr, nullptr, 0, nullptr, nullptr, 0) == cudaErrorInvalidPtx);
    CHECK(cudaLibraryLoadFromFile(&none, "/no/such/file", nullptr, nullptr, 0, nullptr, nullptr, 0) == cudaErrorFileNotFound);
    void* counter;
    size_t bytes;
    OK(cudaLibraryGetGlobal(&counter, &bytes, library, "counter"));
    CHECK(bytes == 4);
    int *device, host[8], got[8], three = 3;
    OK(cudaMalloc(&device, sizeof host));
    own<<<1, 8>>>(device);
    OK(cudaMemcpy(counter, &three, 4, cudaMemcpyHostToDevice));
    void* arguments[] = {&device};
    OK(cudaLaunchKernel((const void*)twice, dim3(1), dim3(8), arguments, 0, 0));
    OK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; ++i) CHECK(got[i] == 2 * i + 3);
    OK(cudaKernelSetAttributeForDevice(twice, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 0));
    CHECK(cudaKernelSetAttributeForDevice(twice, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 99) == cudaErrorInvalidDevice);
    cudaKernel_t mine;
    OK(cudaGetKernel(&mine, (const void*)own));
    OK(cudaLaunchKernel((const void*)mine, dim3(1), dim3(8), arguments, 0, 0));
    OK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[7] == 7);
    OK(cudaLibraryUnload(library));
    CHECK(cudaLibraryUnload(library) == cudaErrorInvalidResourceHandle);

    // The driver's functions: one of this name does not exist, one is here, and one describes arrays for tensor copies.
    void* function = nullptr;
    cudaDriverEntryPointQueryResult status;
    OK(cudaGetDriverEntryPointByVersion("cuNothingOfThisName", &function, 12000, cudaEnableDefault, &status));
    CHECK(status == cudaDriverEntryPointSymbolNotFound && !function);
    OK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 2000, cudaEnableDefault, &status));
    CHECK(status == cudaDriverEntryPointVersionNotSufficent && !function);
    OK(cudaGetDriverEntryPointByVersion("cuMemCreate", &function, 12000, cudaEnableDefault, &status));
    CHECK(status == cudaDriverEntryPointSuccess && function);
    OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &status));
    CHECK(status == cudaDriverEntryPointSuccess && function);
    auto encode = (PFN_cuTensorMapEncodeTiled_v12000)function;
    CUtensorMap map;
    const cuuint64_t sizes[] = {8, 1}, strides[] = {32};
    const cuuint32_t box[] = {4, 1}, steps[] = {1, 1}, wide[] = {512, 1};
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, device, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                 CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, device, sizes, strides, wide, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                 CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE);

    for (int i = 0; i < 8; ++i) host[i] = 10 * i;
    void* to[] = {device, device + 6};
    const void* from[] = {host, host + 1};
    size_t lengths[] = {8, 4}, first = 0;
    cudaMemcpyAttributes how = {};
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaMemcpyBatchAsync(to, from, lengths, 2, &how, &first, 1, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 0 && got[1] == 10 && got[2] == 2 && got[6] == 10 && got[7] == 7);
    lengths[1] = 400;  // behind the end: none is done
    host[0] = -1;
    CHECK(cudaMemcpyBatchAsync(to, from, lengths, 2, &how, &first, 1, stream) == cudaErrorInvalidValue);
    OK(cudaMemcpy(got, device, 4, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 0);
    cudaMemPool_t pool, same;
    cudaMemLocation here = {};
    here.type = cudaMemLocationTypeDevice;
    OK(cudaMemGetDefaultMemPool(&pool, &here, cudaMemAllocationTypePinned));
    OK(cudaDeviceGetDefaultMemPool(&same, 0));
    CHECK(pool == same);
    std::puts("passed");
}
