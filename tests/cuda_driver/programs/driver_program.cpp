// A program of the driver: linked symbols and the same functions by name, the runtime library in the same process,
// wrong handles and arguments, a fault. It says "passed" and ends with 0.
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver_program.hpp"

static const char* const kPtx =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .b32 bias = 5;\n"
    ".visible .entry add(.param .u64 data, .param .u32 n) {\n"
    "  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "  ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.u32 %p, %r5, %r1; @%p bra done;\n"
    "  mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "  ld.global.u32 %r6, [bias]; add.s32 %r7, %r5, %r6; st.global.u32 [%rd3], %r7;\n"
    "done: ret;\n}\n"
    ".visible .entry spoil() {\n  .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
    "  mov.u64 %rd1, 64; mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; ret;\n}\n";

static void check_numbers(CUdeviceptr data, int bias) {
    int back[kN] = {0};
    OK(cuMemcpyDtoH(back, data, sizeof back));
    for (int k = 0; k < kN; ++k)
        if (back[k] != k + bias) {
            printf("element %d is %d, not %d\n", k, back[k], k + bias);
            failed = 1;
            return;
        }
}

static void launches(CUmodule module) {
    CUfunction add;
    CUdeviceptr data, bias;
    CUstream stream;
    size_t bytes = 0;
    unsigned n = kN;
    OK(cuModuleGetFunction(&add, module, "add"));
    SAME(cuModuleGetFunction(&add, module, "nothing"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
    SAME(bytes, 4);
    OK(cuMemAlloc(&data, sizeof(int) * kN));
    void* parameters[] = {&data, &n};
    OK(cuLaunchKernel(add, 4, 1, 1, 32, 1, 1, 0, 0, parameters, 0));
    check_numbers(data, 5);
    // The same by a buffer, in a stream.
    struct {
        CUdeviceptr data;
        unsigned n;
    } packed = {data, kN};
    size_t size = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemsetD32(bias, 7, 1));
    OK(cuLaunchKernel(add, 4, 1, 1, 32, 1, 1, 0, stream, 0, extra));
    OK(cuStreamSynchronize(stream));
    check_numbers(data, 7);
    SAME(cuLaunchKernel(add, 4, 1, 1, 32, 1, 1, 0, stream, parameters, extra), CUDA_ERROR_INVALID_VALUE);
    SAME(cuLaunchKernel(add, 0, 1, 1, 32, 1, 1, 0, stream, parameters, 0), CUDA_ERROR_INVALID_VALUE);
    SAME(cuLaunchKernel((CUfunction)&n, 4, 1, 1, 32, 1, 1, 0, stream, parameters, 0), CUDA_ERROR_INVALID_HANDLE);
    SAME(cuStreamSynchronize((CUstream)&n), CUDA_ERROR_INVALID_HANDLE);
    // With attributes, and with a graph.
    CUlaunchAttribute attribute;
    memset(&attribute, 0, sizeof attribute);
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    CUlaunchConfig config = {4, 1, 1, 32, 1, 1, 0, stream, &attribute, 1};
    OK(cuMemsetD32(bias, 8, 1));
    OK(cuLaunchKernelEx(&config, add, parameters, 0));
    OK(cuStreamSynchronize(stream));
    check_numbers(data, 8);
    CUgraph graph;
    CUgraphExec exec;
    CUstreamCaptureStatus status;
    OK(cuStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cuStreamIsCapturing(stream, &status));
    SAME(status, cudaStreamCaptureStatusActive);
    OK(cuLaunchKernel(add, 4, 1, 1, 32, 1, 1, 0, stream, parameters, 0));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuMemsetD32(bias, 9, 1));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    check_numbers(data, 9);
    // As in CUDA 3.
    OK(cuFuncSetBlockShape(add, 32, 1, 1));
    OK(cuParamSetv(add, 0, &data, sizeof data));
    OK(cuParamSeti(add, sizeof data, kN));
    OK(cuParamSetSize(add, sizeof data + sizeof n));
    OK(cuMemsetD32(bias, 10, 1));
    OK(cuLaunchGrid(add, 4, 1));
    check_numbers(data, 10);
    int value = 0;
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add));
    SAME(value, 1024);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, add, 128, 0));
    SAME(value, 16);
    unsigned type = 0;
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, data));
    SAME(type, CU_MEMORYTYPE_DEVICE);
    SAME(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&n), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(data));
    SAME(cuMemFree(data), CUDA_ERROR_INVALID_VALUE);
}

static void by_name(void) {
    CUresult (*lookup)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*) = cuGetProcAddress_v2;
    CUdriverProcAddressQueryResult status;
    void *plain, *own, *old, *f;
    OK(lookup("cuLaunchKernel", &plain, 12000, 0, &status));
    SAME(status, CU_GET_PROC_ADDRESS_SUCCESS);
    SAME(plain == (void*)cuLaunchKernel, 1);
    OK(lookup("cuLaunchKernel", &own, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &status));
    SAME(plain == own, 0);
    OK(lookup("cuStreamGetCaptureInfo", &plain, 13000, 0, &status));
    OK(lookup("cuStreamGetCaptureInfo", &old, 11030, 0, &status));
    SAME(plain == old, 0);
    SAME(plain == (void*)cuStreamGetCaptureInfo_v3, 1);
    OK(lookup("cuMemAlloc", &f, 2000, 0, &status));
    SAME(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    SAME(f == 0, 1);
    OK(lookup("cuNothing", &f, 13000, 0, &status));
    SAME(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    SAME(lookup("cuNothing", &f, 13000, 0, 0), CUDA_ERROR_NOT_FOUND);
    // A function that is here by name only.
    OK(lookup("cuGreenCtxCreate", &f, 13000, 0, &status));
    if (f) SAME(((CUresult(*)(void))f)(), CUDA_ERROR_NOT_SUPPORTED);
    if (f) SAME(((CUresult(*)(void))f)(), CUDA_ERROR_NOT_SUPPORTED);
    const CUuuid id = {};
    const void* table = &id;
    SAME(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
    SAME(table == 0, 1);
}

static void virtual_memory(void) {
    CUmemAllocationProp prop;
    memset(&prop, 0, sizeof prop);
    prop.type = cudaMemAllocationTypePinned;
    prop.location.type = cudaMemLocationTypeDevice;
    size_t step = 0;
    CUdeviceptr range = 0;
    CUmemGenericAllocationHandle memory, same;
    OK(cuMemGetAllocationGranularity(&step, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemAddressReserve(&range, 2 * step, 0, 0, 0));
    SAME(cuMemCreate(&memory, step + 1, &prop, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemCreate(&memory, step, &prop, 0));
    OK(cuMemMap(range, step, 0, memory, 0));
    SAME(cuMemMap(range, step, 0, memory, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemMap(range + step, step, 0, memory, 0));
    CUmemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
    OK(cuMemSetAccess(range, 2 * step, &access, 1));
    OK(cuMemsetD32(range + 64, 77, 1));
    int value = 0;
    OK(cuMemcpyDtoH(&value, range + step + 64, sizeof value));
    SAME(value, 77);
    OK(cuMemRetainAllocationHandle(&same, (void*)(range + 5)));
    SAME(same, memory);
    OK(cuMemRelease(same));
    OK(cuMemUnmap(range, 2 * step));
    SAME(cuMemUnmap(range, step), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemMap(range, step, 0, memory, 0));
    OK(cuMemcpyDtoH(&value, range + 64, sizeof value));
    SAME(value, 77);
    OK(cuMemUnmap(range, step));
    OK(cuMemRelease(memory));
    SAME(cuMemRelease(memory), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressFree(range, 2 * step));
}

static void arrays(void) {
    CUDA_ARRAY_DESCRIPTOR shape = {8, 4, CU_AD_FORMAT_FLOAT, 1}, got;
    CUarray array;
    float in[32], out[32] = {0};
    for (int k = 0; k < 32; ++k) in[k] = (float)k;
    OK(cuArrayCreate(&array, &shape));
    OK(cuArrayGetDescriptor(&got, array));
    SAME(got.Format, CU_AD_FORMAT_FLOAT);
    SAME(got.Height, 4);
    CUDA_MEMCPY2D copy;
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = in, copy.srcPitch = 32;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
    copy.WidthInBytes = 32, copy.Height = 4;
    OK(cuMemcpy2D(&copy));
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = array, copy.srcXInBytes = 8, copy.srcY = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = out, copy.dstPitch = 8;
    copy.WidthInBytes = 8, copy.Height = 2;
    OK(cuMemcpy2D(&copy));
    SAME(out[0], 10);
    SAME(out[3], 19);
    copy.WidthInBytes = 64;
    SAME(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(array));
}

static void link_and_libraries(void) {
    CUlinkState state;
    void* image = 0;
    size_t size = 0;
    char log[200] = "x";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, (void*)sizeof log};
    OK(cuLinkCreate(2, options, values, &state));
    OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void*)kPtx, strlen(kPtx) + 1, "a", 0, 0, 0));
    OK(cuLinkComplete(state, &image, &size));
    CUlibrary library;
    CUkernel kernel;
    OK(cuLibraryLoadData(&library, image, 0, 0, 0, 0, 0, 0));
    OK(cuLinkDestroy(state));
    SAME(cuLinkDestroy(state), CUDA_ERROR_INVALID_HANDLE);
    OK(cuLibraryGetKernel(&kernel, library, "add"));
    size_t offset = 9, bytes = 0;
    OK(cuKernelGetParamInfo(kernel, 1, &offset, &bytes));
    SAME(offset, 8);
    SAME(bytes, 4);
    OK(cuLibraryUnload(library));
    SAME(cuLibraryGetKernel(&kernel, library, "add"), CUDA_ERROR_INVALID_HANDLE);
    CUmodule module;
    SAME(cuModuleLoadDataEx(&module, "no PTX at all", 2, options, values), CUDA_ERROR_INVALID_PTX);
    SAME(strlen(log) > 10, 1);
    SAME(cuModuleLoadData(&module, "\177ELF\2\1\1\0"), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

extern "C" int cudaGetDeviceCount(int*), cudaGetLastError(void);
extern "C" int cudaMalloc(void**, size_t), cudaMemcpy(void*, const void*, size_t, int), cudaStreamCreate(void**),
    cudaStreamSynchronize(void*), cudaGetLastError(void);

// One state: what one library makes, the other uses.
static void both_libraries(CUmodule module) {
    void *data, *stream;
    CUfunction add;
    unsigned n = kN;
    SAME(cudaMalloc(&data, sizeof(int) * kN), 0);
    SAME(cudaStreamCreate(&stream), 0);
    OK(cuModuleGetFunction(&add, module, "add"));
    void* parameters[] = {&data, &n};
    OK(cuLaunchKernel(add, 4, 1, 1, 32, 1, 1, 0, (CUstream)stream, parameters, 0));
    SAME(cudaStreamSynchronize(stream), 0);
    int last = 0;
    SAME(cudaMemcpy(&last, (int*)data + kN - 1, sizeof last, 2), 0);
    SAME(last >= kN, 1);
    OK(cuStreamDestroy((CUstream)stream));
    SAME(cudaStreamSynchronize(stream), 400);
    SAME(cudaGetLastError(), 400);
    OK(cuMemFree((CUdeviceptr)data));
}

// A kernel gets memory of the heap after the program has asked for the device's address of it, and not before.
static void pageable(CUmodule module) {
    CUfunction add;
    CUdeviceptr device = 0;
    unsigned n = kN;
    OK(cuModuleGetFunction(&add, module, "add"));
    OK(cuMemsetD32(bias_of(module), 3, 1));
    int* const small = (int*)malloc(sizeof(int) * kN);
    int* const large = (int*)malloc((size_t)64 << 20);
    int* const both[] = {small, large, small + 10, large + (1 << 20)};
    for (int* memory : both) {
        OK(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, (CUdeviceptr)memory));
        SAME(device, memory);
        unsigned count = memory == small + 10 ? n - 10 : n;
        void* parameters[] = {&device, &count};
        // Nobody who reads ordinary memory waits for the device first.
        OK(cuLaunchKernel(add, 4, 1, 1, 32, 1, 1, 0, 0, parameters, 0));
        for (unsigned k = 0; k < count; ++k) SAME(memory[k], (int)k + 3);
    }
    // A mapping that grew after it was asked for, as a heap does: the next question takes the rest of it.
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char* const pages = (char*)mmap(0, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t end = page; end <= 2 * page; end += page) {
        mprotect(pages, end, PROT_READ | PROT_WRITE);
        int* const last = (int*)(pages + end) - 1;
        OK(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, (CUdeviceptr)pages));
        // What a kernel may access does not make it an allocation.
        unsigned type;
        SAME(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)pages),
             CUDA_ERROR_INVALID_VALUE);
        device = (CUdeviceptr)last, n = 1;
        void* parameters[] = {&device, &n};
        OK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, 0, parameters, 0));
        SAME(*last, 3);
    }
    // Copies and fills of the device's reach it too, to its end.
    OK(cuMemsetD8((CUdeviceptr)pages, 7, page));
    OK(cuMemcpyDtoD((CUdeviceptr)(pages + page), (CUdeviceptr)pages, page));
    SAME(pages[2 * page - 1], 7);
    SAME(cuMemsetD8((CUdeviceptr)pages, 7, 64 * page), CUDA_ERROR_INVALID_VALUE);
    munmap(pages, 2 * page);
    // What the device reaches may become page-locked, and the rest is asked for again.
    OK(cuMemHostRegister(large, 4096, 0));
    OK(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, (CUdeviceptr)(large + 5000)));
    OK(cuMemHostUnregister(large));
    free(large), free(small);
    SAME(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, 64), CUDA_ERROR_INVALID_VALUE);
    SAME(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, (CUdeviceptr) "constant"),
         CUDA_ERROR_INVALID_VALUE);
}

static void stream_memory(void) {
    CUstream first, second;
    CUdeviceptr word;
    OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&word, 16));
    OK(cuMemsetD32(word, 0, 4));
    // The first stream waits for the second.
    OK(cuStreamWaitValue32(first, word, 5, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuStreamWriteValue64(first, word + 8, 0x100000002, 0));
    SAME(cuStreamQuery(first), CUDA_ERROR_NOT_READY);
    OK(cuStreamWriteValue32(second, word, 5, 0));
    OK(cuStreamSynchronize(first));
    unsigned back[4] = {0};
    OK(cuMemcpyDtoH(back, word, sizeof back));
    SAME(back[0], 5);
    SAME(back[2], 2);
    SAME(back[3], 1);
    CUstreamBatchMemOpParams batch[3];
    memset(batch, 0, sizeof batch);
    batch[0].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    batch[0].waitValue.address = word, batch[0].waitValue.value = 4,
    batch[0].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
    batch[1].operation = CU_STREAM_MEM_OP_BARRIER;
    batch[2].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    batch[2].writeValue.address = word + 4, batch[2].writeValue.value = 9;
    OK(cuStreamBatchMemOp(second, 3, batch, 0));
    OK(cuStreamSynchronize(second));
    OK(cuMemcpyDtoH(back, word, sizeof back));
    SAME(back[1], 9);
    SAME(cuStreamWaitValue32(first, word + 2, 5, 0), CUDA_ERROR_INVALID_VALUE);
    SAME(cuStreamWriteValue64(first, word + 4, 5, 0), CUDA_ERROR_INVALID_VALUE);
    SAME(cuStreamWriteValue32(first, 64, 5, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(word));
    OK(cuStreamDestroy(first));
    OK(cuStreamDestroy(second));
}

static int range_attribute(CUmem_range_attribute attribute, CUdeviceptr pointer, size_t bytes) {
    int value = -100;
    OK(cuMemRangeGetAttribute(&value, sizeof value, attribute, pointer, bytes));
    return value;
}

static void hints(void) {
    CUdeviceptr managed = 0;
    size_t size = 4096, index = 0;
    CUmemLocation here;
    memset(&here, 0, sizeof here);
    here.type = cudaMemLocationTypeDevice;
    OK(cuMemAllocManaged(&managed, 2 * size, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemDiscardBatchAsync(&managed, &size, 1, 0, 0));
    OK(cuMemDiscardAndPrefetchBatchAsync(&managed, &size, 1, &here, &index, 1, 0, 0));
    SAME(cuMemDiscardBatchAsync(&managed, &size, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    // The last prefetch is told, of all bytes that were asked about.
    SAME(range_attribute(cudaMemRangeAttributeLastPrefetchLocation, managed, size), 0);
    SAME(range_attribute(cudaMemRangeAttributeLastPrefetchLocation, managed, 2 * size), cudaInvalidDeviceId);
    SAME(cuMemDiscardAndPrefetchBatchAsync(&managed, &index, 1, &here, &index, 1, 0, 0), CUDA_ERROR_INVALID_VALUE);
    // So is advice, where it was given and not taken back.
    const CUmemLocation host = {cudaMemLocationTypeHost, 0};
    SAME(range_attribute(cudaMemRangeAttributePreferredLocation, managed, size), cudaInvalidDeviceId);
    OK(cuMemAdvise_v2(managed, size, cudaMemAdviseSetPreferredLocation, host));
    OK(cuMemAdvise_v2(managed + size / 2, size, cudaMemAdviseSetReadMostly, host));
    SAME(range_attribute(cudaMemRangeAttributePreferredLocation, managed, size), cudaCpuDeviceId);
    SAME(range_attribute(cudaMemRangeAttributePreferredLocationType, managed, size), cudaMemLocationTypeHost);
    SAME(range_attribute(cudaMemRangeAttributeReadMostly, managed, size), 0);
    SAME(range_attribute(cudaMemRangeAttributeReadMostly, managed + size / 2, size), 1);
    OK(cuMemAdvise_v2(managed, 2 * size, cudaMemAdviseUnsetPreferredLocation, host));
    SAME(range_attribute(cudaMemRangeAttributePreferredLocation, managed, size), cudaInvalidDeviceId);
    OK(cuMemAdvise_v2(managed, size, cudaMemAdviseSetAccessedBy, host));
    OK(cuMemAdvise_v2(managed, size, cudaMemAdviseSetAccessedBy, here));
    int who[3];
    OK(cuMemRangeGetAttribute(who, sizeof who, cudaMemRangeAttributeAccessedBy, managed, size));
    HOLDS(who[0] == cudaCpuDeviceId && who[1] == 0 && who[2] == cudaInvalidDeviceId);
    OK(cuMemAdvise_v2(managed, size, cudaMemAdviseUnsetAccessedBy, here));
    OK(cuMemRangeGetAttribute(who, sizeof who, cudaMemRangeAttributeAccessedBy, managed, size));
    HOLDS(who[0] == cudaCpuDeviceId && who[1] == cudaInvalidDeviceId);
    SAME(cuMemAdvise_v2(managed, 64 * size, cudaMemAdviseSetReadMostly, host), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(managed));
}

static void heard(void* data, CUlogLevel level, char* message, size_t length) {
    SAME(level, CU_LOG_LEVEL_ERROR);
    SAME(strlen(message), length);
    if (strstr(message, "external semaphores")) ++*(int*)data;
}

/// A node that graphs cannot have: refused with a line.
static void be_refused(void) {
    CUgraph graph;
    CUgraphNode node;
    CUgraphNodeParams p;
    OK(cuGraphCreate(&graph, 0));
    memset(&p, 0, sizeof p);
    p.type = (CUgraphNodeType)12;
    SAME(cuGraphAddNode(&node, graph, 0, 0, 0, &p), CUDA_ERROR_NOT_SUPPORTED);
    OK(cuGraphDestroy(graph));
}

/// What stands on standard error can be read by the program, each time, also where it is printed once.
static void logs(void) {
    CUlogIterator here, same;
    CUlogsCallbackHandle handle;
    char text[4000];
    int times = 0;
    size_t size = sizeof text;
    OK(cuLogsCurrent(&here, 0));
    OK(cuLogsRegisterCallback(heard, &times, &handle));
    be_refused();
    be_refused();
    SAME(times, 2);
    OK(cuLogsUnregisterCallback(handle));
    SAME(cuLogsUnregisterCallback(handle), CUDA_ERROR_INVALID_VALUE);
    be_refused();
    SAME(times, 2);
    same = here;
    OK(cuLogsDumpToMemory(&here, text, &size, 0));
    SAME(strlen(text), size);
    for (char* at = text; (at = strstr(at, "external semaphores")); ++at) ++times;
    SAME(times, 5);
    const size_t line = size / 3;
    size = sizeof text;
    OK(cuLogsDumpToMemory(&here, text, &size, 0));
    SAME(size, 0);
    // Where there is room for some of the lines, those are the newest; for none, nothing is read.
    size = 2 * line + 40;
    here = same;
    OK(cuLogsDumpToMemory(&here, text, &size, 0));
    SAME(strncmp(text, "(older lines", 12), 0);
    SAME(size > line && size < 2 * line + 40, 1);
    size = 10;
    SAME(cuLogsDumpToMemory(&same, text, &size, 0), CUDA_ERROR_INVALID_VALUE);
    SAME(size, 0);
    SAME(cuLogsDumpToFile(&same, "/proc/self/no-such-folder/log", 0), CUDA_ERROR_INVALID_VALUE);
    SAME(cuLogsRegisterCallback(0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    SAME(cuLogsCurrent(&here, 1), CUDA_ERROR_INVALID_VALUE);
}

static void fault(CUcontext context, CUmodule module) {
    CUfunction spoil;
    CUdeviceptr data;
    OK(cuModuleGetFunction(&spoil, module, "spoil"));
    OK(cuLaunchKernel(spoil, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
    SAME(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    SAME(cuMemAlloc(&data, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
    unsigned flags;
    int active;
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));  // PyTorch asks this where it may not throw
    SAME(cudaGetLastError(), 700);
    OK(cuCtxDestroy(context));
}

/// The runtime library's first question initialises the driver, as PyTorch relies on; one about errors does not.
static int runtime_first(void) {
    int count = 0, active = 7;
    unsigned flags = 7;
    SAME(cudaGetLastError(), 0);
    SAME(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    SAME(cudaGetDeviceCount(&count), 0);
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    SAME(active, 0);
    CUcontext now = (CUcontext)&count;
    OK(cuCtxGetCurrent(&now));
    SAME(now == 0, 1);
    puts(failed ? "failed" : "passed");
    return failed;
}

int main(int argc, char**) {
    if (argc > 1) return runtime_first();
    int count = 0, version = 0, value = 0;
    CUdevice device = -1;
    CUcontext context, primary, now;
    CUmodule module;
    const char* text = 0;
    SAME(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    SAME(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuDriverGetVersion(&version));
    SAME(version >= 13000, 1);
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    SAME(cuDeviceGet(&device, 1000), CUDA_ERROR_INVALID_DEVICE);
    OK(cuDeviceGetAttribute(&value, cudaDevAttrWarpSize, device));
    SAME(value, 32);
    OK(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
    SAME(strcmp(text, "CUDA_ERROR_INVALID_VALUE"), 0);
    OK(cuCtxGetCurrent(&now));
    SAME(now == 0, 1);
    CUdeviceptr data;
    SAME(cuMemAlloc(&data, 16), CUDA_ERROR_INVALID_CONTEXT);
    // Questions about memory need no context: what is not the device's has no attributes.
    unsigned type = 9;
    CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    void* answers[] = {&type};
    OK(cuPointerGetAttributes(1, &attribute, answers, (CUdeviceptr)&value));
    SAME(type, 0);
    OK(cuDevicePrimaryCtxRetain(&primary, device));
    CUcontext older = nullptr;
    OK(cuCtxCreate(&older, 0, device));  // as until CUDA 12
    OK(cuCtxDestroy(older));
    OK(cuCtxCreate(&context, 0, 0, device));
    OK(cuCtxGetCurrent(&now));
    SAME(now == context, 1);
    OK(cuCtxPushCurrent(primary));
    OK(cuCtxPopCurrent(&now));
    SAME(now == primary, 1);
    SAME(cuCtxSetCurrent((CUcontext)&value), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuModuleLoadData(&module, kPtx));
    launches(module);
    by_name();
    virtual_memory();
    arrays();
    link_and_libraries();
    both_libraries(module);
    pageable(module);
    stream_memory();
    logs();
    hints();
    failed |= graphs(module);
    failed |= references();
    fault(context, module);
    OK(cuDevicePrimaryCtxRelease(device));
    SAME(cuDevicePrimaryCtxRelease(device), CUDA_ERROR_INVALID_CONTEXT);
    if (!failed) puts("passed");
    return failed;
}
